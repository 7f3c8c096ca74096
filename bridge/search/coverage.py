"""How rare the words of a query are in the vault, and how much of a query each note contains."""

import math
import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from bridge.index.index import Index
from bridge.records import Record
from bridge.search.query import Query
from bridge.text.fold import fold_word
from bridge.text.words import RUN, SPACED_WORD
from bridge.types import VaultPath

APOSTROPHE = re.compile("['’ʻʼ׳]")

COMMON_SHARE, ASSUMED_NOTES = 0.25, 40
"""Share of the notes above which a word is common, and the number of notes added to every vault for this."""

UBIQUITOUS_SHARE = 0.5
"""Share of the notes above which a word does not tell one from another: a name in a third of them still does."""


def idf(index: Index, word: str) -> float:
    """Return a word's inverse document frequency as in BM25, as if there were some more notes.

    In a handful of notes, a word that all of them contain need not be a common one.
    """
    count = index.document_frequency(word)
    return math.log(1 + (len(index.notes) + ASSUMED_NOTES - count + 0.5) / (count + 0.5))


def common_words(index: Index, words: Iterable[str], share: float = COMMON_SHARE) -> frozenset[str]:
    """Return the words, folded, that too many notes contain to be informative; never all of them."""
    query_words = {*spaced_words(words)}
    least = share * (len(index.notes) + ASSUMED_NOTES)
    common = {word for word in query_words if index.document_frequency(word) > least}
    return frozenset(map(fold_word, common if common < query_words else ()))


class QueryCover(Record):
    """How much of a query notes contain."""

    shares: dict[VaultPath, float] | None
    common_words: frozenset[str]
    evident: frozenset[VaultPath] | None
    """The notes with a word that is not ubiquitous; None where no word is, or where all are common."""


def cover_query(index: Index, paths: Collection[VaultPath], query: Query) -> QueryCover:
    shares, common = score_coverage(index, paths, query.search_terms), common_words(index, query.content)
    ubiquitous = common and common_words(index, query.content, UBIQUITOUS_SHARE)
    rare_words = [word for word in query.search_terms if fold_word(word) not in ubiquitous]
    rare_shares = score_coverage(index, paths, rare_words) if shares is not None and ubiquitous else None
    evident = None if rare_shares is None else frozenset(path for path, share in rare_shares.items() if share > 0)
    return QueryCover(shares, common, evident)


def score_coverage(index: Index, paths: Iterable[VaultPath], words: Sequence[str]) -> dict[VaultPath, float] | None:
    """Return how much of a query notes contain (0-1), rare words counting most; None for a script without spaces.

    A long note contains a word by chance more often than a short one, so that the word counts less there.
    """
    query_words = spaced_words(words)
    if not query_words or any(RUN.search(word) for word in words):
        return None
    notes = index.notes
    own_paths = [path for path in paths if path in notes]
    if not own_paths:
        return {}
    gains = np.array([[idf(index, word)] for word in query_words])
    by_chance = 1 - (1 - np.exp(-gains)) ** index.relative_lengths(own_paths)
    worth = np.minimum(gains, -np.log(by_chance)) * index.notes_with(query_words, own_paths)
    return dict(zip(own_paths, (worth.sum(axis=0) / gains.sum()).tolist(), strict=True))


def spaced_words(words: Iterable[str]) -> list[str]:
    """Return the words of a query that spaces or apostrophes separate, each once."""
    found = (part for word in words for spaced in SPACED_WORD.findall(word) for part in APOSTROPHE.split(spaced))
    return [*{fold_word(word): word for word in found if word}.values()]
