"""Full text queries, and the terms that they ask for."""

from collections.abc import Collection, Iterable

from bridge.index.inverted_index import TermQuery
from bridge.index.tokens import FORMS, WORDS, Tokenizer, query_terms, split_pieces
from bridge.records import dataclass
from bridge.text.invisible import strip_break_hints
from bridge.text.stems import index_forms, query_forms
from bridge.text.words import ALPHANUMERIC

MOST_WORDS = 48
"""Words of a query that are searched for; a pasted page is identified by its first ones."""

LONGEST = 200


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Words and phrases (with spaces) that should, must and must not occur.

    Positions are not indexed, so a phrase is searched as all of its words, and an excluded phrase is not searched at
    all: the caller compares phrases with the text.
    """

    should: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


def exact_query(words: TextQuery) -> TermQuery | None:
    """Build the query for words as written.

    Returns:
        The query, or None when no word is searchable.
    """
    should, must = searchable_words(words.should), searchable_words(words.must)
    should += [pair for word in should for pair in index_forms(word, None).split()]
    must = list(dict.fromkeys(part for word in must for part in required_tokens(word)))
    must_not = [word for word in searchable_words(words.must_not) if len(split_tokens(word)) == 1]
    return _term_query(should, must, must_not, WORDS)


def stemmed_query(words: TextQuery, languages: Collection[str]) -> TermQuery | None:
    """Build the query for the forms that words have in the languages of the vault."""
    should = dict.fromkeys(
        form
        for word in searchable_words(words.should)
        for part in query_forms(word, languages)
        for form in sorted(part)
    )
    must = dict.fromkeys(
        " ".join(sorted(part)) for word in searchable_words(words.must) for part in query_forms(word, languages)
    )
    return _term_query(should, must, (), FORMS)


def _term_query(
    should: Iterable[str], must: Iterable[str], must_not: Iterable[str], tokenizer: Tokenizer
) -> TermQuery | None:
    """Build the query for the tokens of words; each of `must` may name several that will do."""
    required = [terms for each in must if len(terms := query_terms(each, tokenizer))]
    query = TermQuery(query_terms(" ".join(should), tokenizer), required, query_terms(" ".join(must_not), tokenizer))
    return query if len(query.should) or query.must else None


def searchable_words(words: Iterable[str]) -> list[str]:
    """Keep the words that have a letter or digit, each once and within the limit."""
    kept = dict.fromkeys(strip_break_hints(word)[:LONGEST].replace("\x00", " ") for word in words)
    return [word for word in kept if ALPHANUMERIC.search(word)][:MOST_WORDS]


def required_tokens(word: str) -> list[str]:
    """Return the tokens that a word or phrase requires; Korean words are indexed as pairs too."""
    return [piece for part in split_tokens(word) for piece in index_forms(part, None).split() or [part]]


def split_tokens(word: str) -> list[str]:
    """Split a word or phrase as the tokenizer of the index does."""
    return list(dict.fromkeys(token for own in split_pieces(word.split(), WORDS) for token in own))
