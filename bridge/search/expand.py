"""Expansion: notes that the first hits name, link to, share tags with or were read with."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bridge.graph.graph import Graph
from bridge.index.note import IndexedNote
from bridge.search.calibrate import share_of_best
from bridge.search.co_reading import CoReading
from bridge.search.fuse import WEIGHTS, FusedHit, RetrieverResult
from bridge.search.query import Query
from bridge.search.vocabulary import Vocabulary
from bridge.text.stopwords import content_words
from bridge.text.words import words_of
from bridge.types import VaultPath

SEEDS = 5
"""First hits that are expanded."""

FAR = 2_000
"""Notes near a hit that are considered."""

_TELLING = frozenset({"meaning", "passages", "stems", "whole", "name"})
_MOST_TAGGED = 50


@dataclass(frozen=True, slots=True)
class Seed:
    """A first hit, and how far it can be trusted for expansion (0-1)."""

    path: VaultPath
    strength: float


@dataclass(frozen=True, slots=True)
class LinkedHit:
    """The hit that a note is linked with, and whether the hit links to it; otherwise it links to the hit."""

    path: VaultPath
    onward: bool


def choose_seeds(first: Sequence[FusedHit], results: Iterable[RetrieverResult]) -> list[Seed]:
    """Return the best hits as starting points.

    A hit counts by its share of the best score, and by the highest value that any retriever gives it: where nothing
    fits well, as with a misspelt word, the first hits are not worth expanding.
    """
    best = first[0].score if first else 0.0
    if best <= 0:
        return []
    telling = [result.calibrated for result in results if result.weight > 0 and result.name in _TELLING]
    return [
        Seed(hit.path, hit.score / best * max((said.get(hit.path, 0.0) for said in telling), default=0.0))
        for hit in first[:SEEDS]
    ]


def expand_mentions(
    start: Sequence[Seed],
    texts: Mapping[VaultPath, str],
    vocabulary: Vocabulary,
    candidates: Collection[VaultPath],
) -> tuple[RetrieverResult, dict[VaultPath, VaultPath]]:
    """Favour candidates that the best hits mention: the second step of a two-step question.

    Returns:
        The retriever result, and by note the hit that mentions it.
    """
    raw: dict[VaultPath, float] = {}
    via: dict[VaultPath, VaultPath] = {}
    for seed in start:
        for path in vocabulary.named_in(texts.get(seed.path, "")):
            if path != seed.path and path in candidates and seed.strength > raw.get(path, 0.0):
                raw[path] = seed.strength
                via[path] = seed.path
    return RetrieverResult("mentions", WEIGHTS["mentions"], raw, raw), via


def expand_links(
    start: Sequence[Seed], graph: Graph | None, candidates: frozenset[VaultPath]
) -> tuple[RetrieverResult, dict[VaultPath, LinkedHit]]:
    """Favour candidates that walks along links from the best hits often reach: personalised PageRank.

    Returns:
        The retriever result, and by note the best hit that it is linked with, if any.
    """
    if graph is None:
        return RetrieverResult("links", WEIGHTS["links"]), {}
    raw: dict[VaultPath, float] = {}
    linked: dict[VaultPath, LinkedHit] = {}
    for seed in start:
        for path, often in walk_scores(graph, seed.path).items():
            if path in candidates:
                raw[path] = raw.get(path, 0.0) + seed.strength * often
        onward = graph.links_to(seed.path)
        for path in graph.neighbours(seed.path) & candidates:
            linked.setdefault(path, LinkedHit(seed.path, onward=path in onward))
    top = max((seed.strength for seed in start), default=0.0)
    scaled = {path: top * share for path, share in share_of_best(raw).items()}
    return RetrieverResult("links", WEIGHTS["links"], raw, scaled), linked


def walk_scores(graph: Graph, start: VaultPath) -> dict[VaultPath, float]:
    """Return how often a walk along links from a note reaches each other note, divided by that note's degree."""
    # Every walk passes hubs; what matters is how much more often this one does than others.
    return {
        near.path: near.score / graph.degree(near.path)
        for near in graph.nearness({start: 1.0}, FAR)
        if near.path != start
    }


def expand_co_reading(
    start: Sequence[Seed], drifted: CoReading, candidates: Collection[VaultPath]
) -> tuple[RetrieverResult, dict[VaultPath, VaultPath]]:
    """Favour candidates that were recently read together with the best hits.

    Returns:
        The retriever result, and by note the hit that it was read with.
    """
    raw: dict[VaultPath, float] = {}
    via: dict[VaultPath, VaultPath] = {}
    for seed in start:
        for path, near in drifted.beside.get(seed.path, {}).items():
            if path in candidates and seed.strength * near > raw.get(path, 0.0):
                raw[path] = seed.strength * near
                via[path] = seed.path
    return RetrieverResult("drift", drifted.weight, raw, raw), via


def match_tags(
    query: Query,
    vocabulary: Vocabulary,
    notes: Mapping[VaultPath, IndexedNote],
    within: Collection[VaultPath] | None,
) -> tuple[RetrieverResult, dict[VaultPath, str]]:
    """Find the notes with a tag that was typed; a tag on many notes says little about each.

    Returns:
        The retriever result, and by note the tag.
    """
    query_words = tuple(content_words(words_of(query.text.replace("/", " "))))
    raw: dict[VaultPath, float] = {}
    which: dict[VaultPath, str] = {}
    for word in query_words:
        tagged = vocabulary.tagged(word)
        rare = tagged if within is None else tagged & frozenset(within)
        newest = sorted(rare, key=lambda path: (-notes[path].modified, path))[:_MOST_TAGGED]
        for path in newest:
            raw[path] = raw.get(path, 0.0) + 1 / len(query_words)
            which.setdefault(path, _tag_with_word(notes[path], word))
    return RetrieverResult("tags", WEIGHTS["tags"], raw, raw), which


def _tag_with_word(note: IndexedNote, word: str) -> str:
    """Return the note's tag that contains a word."""
    plain = [(tag, tag.casefold()) for tag in note.tags]
    return next((tag for tag, folded in plain if word == folded or word in folded.split("/")), word)
