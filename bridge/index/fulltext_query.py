"""What a query asks of full text search, and how LanceDB is asked for it."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from bridge.text.scripts import strip_invisible
from bridge.text.stems import index_forms, query_forms

MOST_WORDS = 48
"""Words of a query that are searched for; a pasted page is known by its first ones."""

LONGEST = 200

_SAYS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Words and phrases (written with spaces) that should, must and must not be there.

    Positions are not indexed, so a phrase is searched for as all of its words, and one that must not be there is not
    searched for at all: whoever asks compares phrases with the text.
    """

    should: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FtsQuery:
    """What is asked of one column; each of `must` is met by any of its words."""

    column: str
    should: str
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """True when every word that must be there is one word."""
        return not any(" " in each for each in self.must)

    def best(self) -> Any:
        """Ask LanceDB for the rows that count: those with all that must be there, else with any that should."""
        from lancedb.query import FullTextOperator, MatchQuery

        if self.must:
            return MatchQuery(" ".join(self.must), self.column, operator=FullTextOperator.AND)
        return MatchQuery(self.should, self.column)

    def also(self) -> Any | None:
        """Ask for what those rows should say besides."""
        from lancedb.query import MatchQuery

        return MatchQuery(self.should, self.column) if self.must and self.should else None

    def excluded(self) -> Any | None:
        """Ask for the rows with anything that must not be there."""
        from lancedb.query import MatchQuery

        return MatchQuery(" ".join(self.must_not), self.column) if self.must_not else None

    def together(self) -> Any:
        """Ask for all of it in one query, which LanceDB answers five times slower than one without clauses."""
        from lancedb.query import BooleanQuery, MatchQuery, Occur

        clauses = [(Occur.MUST, MatchQuery(each, self.column)) for each in self.must]
        clauses += [(Occur.SHOULD, MatchQuery(self.should, self.column))] if self.should else []
        clauses += [(Occur.MUST_NOT, MatchQuery(each, self.column)) for each in self.must_not]
        return BooleanQuery(clauses)


def exact_query(words: TextQuery, column: str) -> FtsQuery | None:
    """Ask for words as they are written.

    Returns:
        What to ask, or None when the words say nothing that could be found.
    """
    should, must = searchable_words(words.should), searchable_words(words.must)
    should += [pair for word in should for pair in index_forms(word, None).split()]
    must = list(dict.fromkeys(part for word in must for part in required_tokens(word)))
    must_not = tuple(word for word in searchable_words(words.must_not) if len(split_tokens(word)) == 1)
    return FtsQuery(column, " ".join(should), tuple(must), must_not) if should or must else None


def stemmed_query(words: TextQuery, column: str, languages: Collection[str]) -> FtsQuery | None:
    """Ask for the forms that words have in the languages of the vault."""
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
    """Keep the words that have a letter or digit, each once and none too many."""
    kept = dict.fromkeys(strip_invisible(word)[:LONGEST].replace("\x00", " ") for word in words)
    return [word for word in kept if _SAYS.search(word)][:MOST_WORDS]


def required_tokens(word: str) -> list[str]:
    """Return all that must be there for a word or phrase to be; Korean words stand in the index as pairs too."""
    return [piece for part in split_tokens(word) for piece in index_forms(part, None).split() or [part]]


def split_tokens(word: str) -> list[str]:
    """Cut a word or phrase as the tokenizer of the index does."""
    from lancedb import tokenize

    tokens = tokenize(word, base_tokenizer=TOKENIZER, stem=False, remove_stop_words=False)
    return list(dict.fromkeys(token.text for token in tokens))


TOKENIZER = "icu/split"
"""ICU finds words in every script; split cuts paths and names of code as well."""
