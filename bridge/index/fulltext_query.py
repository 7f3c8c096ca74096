"""Full text queries, and their form for LanceDB."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class FtsQuery:
    """A query on one column; each of `must` is satisfied by any of its words."""

    column: str
    should: str
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether every required word is a single word."""
        return not any(" " in each for each in self.must)

    def best(self) -> Any:
        """Return the query for the rows that count: those with everything required, or else with any wanted word."""
        from lancedb.query import FullTextOperator, MatchQuery

        if self.must:
            return MatchQuery(" ".join(self.must), self.column, operator=FullTextOperator.AND)
        return MatchQuery(self.should, self.column)

    def also(self) -> Any | None:
        """Return the query for what those rows should also contain."""
        from lancedb.query import MatchQuery

        return MatchQuery(self.should, self.column) if self.must and self.should else None

    def excluded(self) -> Any | None:
        """Return the query for the rows with anything excluded."""
        from lancedb.query import MatchQuery

        return MatchQuery(" ".join(self.must_not), self.column) if self.must_not else None

    def together(self) -> Any:
        """Return everything as one query, which LanceDB answers five times more slowly than one without clauses."""
        from lancedb.query import BooleanQuery, MatchQuery, Occur

        clauses = [(Occur.MUST, MatchQuery(each, self.column)) for each in self.must]
        clauses += [(Occur.SHOULD, MatchQuery(self.should, self.column))] if self.should else []
        clauses += [(Occur.MUST_NOT, MatchQuery(each, self.column)) for each in self.must_not]
        return BooleanQuery(clauses)


def exact_query(words: TextQuery, column: str) -> FtsQuery | None:
    """Build the query for words as written.

    Returns:
        The query, or None when no word is searchable.
    """
    should, must = searchable_words(words.should), searchable_words(words.must)
    should += [pair for word in should for pair in index_forms(word, None).split()]
    must = list(dict.fromkeys(part for word in must for part in required_tokens(word)))
    must_not = tuple(word for word in searchable_words(words.must_not) if len(split_tokens(word)) == 1)
    return FtsQuery(column, " ".join(should), tuple(must), must_not) if should or must else None


def stemmed_query(words: TextQuery, column: str, languages: Collection[str]) -> FtsQuery | None:
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
    return FtsQuery(column, " ".join(should), tuple(must)) if should or must else None


def searchable_words(words: Iterable[str]) -> list[str]:
    """Keep the words that have a letter or digit, each once and within the limit."""
    kept = dict.fromkeys(strip_break_hints(word)[:LONGEST].replace("\x00", " ") for word in words)
    return [word for word in kept if ALPHANUMERIC.search(word)][:MOST_WORDS]


def required_tokens(word: str) -> list[str]:
    """Return the tokens that a word or phrase requires; Korean words are indexed as pairs too."""
    return [piece for part in split_tokens(word) for piece in index_forms(part, None).split() or [part]]


def split_tokens(word: str) -> list[str]:
    """Split a word or phrase as the tokenizer of the index does."""
    from lancedb import tokenize

    tokens = tokenize(word, base_tokenizer=TOKENIZER, stem=False, remove_stop_words=False)
    return list(dict.fromkeys(token.text for token in tokens))


TOKENIZER = "icu/split"
"""ICU finds words in every script; split also cuts paths and names of code."""
