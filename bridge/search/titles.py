"""Scores how well a query fits the names of notes."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from bridge.index.hits import NameField, NameHit
from bridge.index.note import IndexedNote
from bridge.records import dataclass
from bridge.search.query import Query
from bridge.search.vocabulary import coverage
from bridge.text.fold import fold_case
from bridge.text.stems import stem_words
from bridge.text.stopwords import STOP_WORDS, content_words
from bridge.text.words import count_words, words_of
from bridge.types import VaultPath

MOST_WORDS = 6
"""Longer queries are questions, not beginnings of a name."""

Fit = Literal["matches", "matches in part", "is spelt alike"]
"""How a name fits: it contains the whole query, or the query contains it; a part of it; a similar spelling."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A matching name of a note, its score (0-1), and which kind of name it is."""

    score: float
    field: NameField
    name: str
    fit: Fit = "matches"


def score_covered_names(notes: Iterable[IndexedNote], query: Query) -> dict[VaultPath, NameMatch]:
    query_words = frozenset(stem_words("english", content_words(words_of(query.text))))
    found: dict[VaultPath, NameMatch] = {}
    if not query_words:
        return found
    for note in notes:
        # Nearly all notes are like this, and there are hundreds.
        if not note.aliases and query_words.isdisjoint(_stemmed_name(note.title)):
            continue
        best = 0.0
        for place, name in enumerate((note.title, *note.aliases)):
            words = _stemmed_name(name)
            if not query_words.isdisjoint(words) and (score := coverage(words, query_words)) > best:
                best = score
                whole = score >= 1 or query_words.issubset(words)
                field: NameField = "alias" if place else "title"
                found[note.path] = NameMatch(score, field, name, "matches" if whole else "matches in part")
    return found


def name_query(query: Query) -> str:
    """Return the query if it may be a name or its beginning; a question is not."""
    return query.text if count_words(query.text) <= MOST_WORDS else ""


def score_typed_names(hits: Sequence[NameHit], query: Query) -> dict[VaultPath, NameMatch]:
    """Score the notes with a name that begins with the whole query, or nearly equals it."""
    words = words_of(query.text)
    found: dict[VaultPath, NameMatch] = {}
    for hit in hits:
        share, fit = _name_fit(words, _words_of_name(hit.matched))
        score = share * (0.6 if hit.field == "heading" else 1.0) * (1 + min(1.0, hit.score)) / 2
        if score > (known.score if (known := found.get(hit.path)) else 0.0):
            found[hit.path] = NameMatch(score, hit.field, hit.matched, fit)
    return found


def exact_names(hits: Sequence[NameHit], query: Query) -> frozenset[VaultPath]:
    """Return the notes whose title or an alias equals the whole query, or begins with it and its punctuation."""
    words, begun = tuple(words_of(query.text)), fold_case(query.begun)
    return frozenset(
        hit.path
        for hit in hits
        if hit.field != "heading"
        and (_words_of_name(hit.matched) == words or (begun and fold_case(hit.matched).startswith(begun)))
    )


@lru_cache(maxsize=1_000)
def _words_of_name(name: str) -> tuple[str, ...]:
    return tuple(words_of(name))


def _name_fit(query_words: Sequence[str], name: Sequence[str]) -> tuple[float, Fit]:
    if not name:
        return 0.0, "matches in part"
    if list(query_words) == list(name):
        return 1.0, "matches"
    if " ".join(name).startswith(" ".join(query_words)):
        return 0.9, "matches"
    hit = sum(
        any(word == part or (at == len(query_words) - 1 and part.startswith(word)) for part in name)
        for at, word in enumerate(query_words)
    )
    if hit == len(query_words):
        return 0.8, "matches"
    share, spelt = hit / len(query_words) if hit else 0.0, _spelt_alike(query_words, name)
    return 0.6 * max(share, spelt), "is spelt alike" if spelt > share else "matches in part"


def _spelt_alike(query_words: Sequence[str], name: Sequence[str]) -> float:
    from rapidfuzz import fuzz

    likeness = fuzz.ratio(" ".join(query_words), " ".join(name)) / 100
    start = fuzz.ratio(" ".join(query_words), " ".join(name)[: len(" ".join(query_words)) + 1]) / 100
    best = max(likeness, start)
    return best if best >= 0.75 else 0.0


@lru_cache(maxsize=100_000)
def _stemmed_name(name: str) -> tuple[str, ...]:
    words = words_of(name)
    content = [word for word in words if word not in STOP_WORDS] or words
    return tuple(stem_words("english", content))


def merge_matches(*matches: Mapping[VaultPath, NameMatch]) -> dict[VaultPath, NameMatch]:
    best: dict[VaultPath, NameMatch] = {}
    for each in matches:
        for path, match in each.items():
            if match.score > (known.score if (known := best.get(path)) else 0.0):
                best[path] = match
    return best
