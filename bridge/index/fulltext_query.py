"""Full text queries, and the terms that they ask for."""

from collections.abc import Collection, Iterable, Sequence

from bridge.index.inverted_index import TermQuery
from bridge.index.tokens import hash_tokens, query_tokens
from bridge.records import dataclass
from bridge.text.fold import fold_words
from bridge.text.invisible import strip_break_hints
from bridge.text.stems import query_forms
from bridge.text.words import TOKEN

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
    should = [token for word in searchable_words(words.should) for token in query_tokens(word)]
    must = [token for word in searchable_words(words.must) for token in query_tokens(word, exact=True)]
    tokens_not = [query_tokens(word, exact=True) for word in searchable_words(words.must_not)]
    return _term_query(
        should, [[token] for token in dict.fromkeys(must)], [one[0] for one in tokens_not if len(one) == 1]
    )


def stemmed_query(words: TextQuery, languages: Collection[str]) -> TermQuery | None:
    should = {form for word in searchable_words(words.should) for part in query_forms(word, languages) for form in part}
    must = [part for word in searchable_words(words.must) for part in query_forms(word, languages)]
    return _term_query(fold_words(sorted(should)), [fold_words(sorted(part)) for part in dict.fromkeys(must)], ())


def _term_query(should: Sequence[str], must: Iterable[Sequence[str]], must_not: Sequence[str]) -> TermQuery | None:
    """Build the query for tokens; each of `must` names several of which one will do."""
    query = TermQuery(hash_tokens(should), [hash_tokens(each) for each in must if each], hash_tokens(must_not))
    return query if len(query.should) or query.must else None


def searchable_words(words: Iterable[str]) -> list[str]:
    kept = dict.fromkeys(strip_break_hints(word)[:LONGEST].replace("\x00", " ") for word in words)
    return [word for word in kept if TOKEN.search(word)][:MOST_WORDS]
