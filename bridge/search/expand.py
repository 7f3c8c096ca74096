"""Expansion: notes that the first hits name, link to, share tags with or were read with."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from bridge.graph.graph import Graph
from bridge.index.note import IndexedNote
from bridge.index.rows import StoredPassage
from bridge.records import Record
from bridge.search.calibrate import share_of_best
from bridge.search.co_reading import CoReading
from bridge.search.fuse import NO_RESULT, WEIGHTS, Evidence, FusedHit, RetrieverResult
from bridge.search.model import Sources
from bridge.search.query import Query
from bridge.search.vocabulary import Vocabulary
from bridge.text.fold import fold_case
from bridge.types import VaultPath

MAX_SEED_HITS = 5
"""First hits that are expanded."""

_MAX_TAGGED_NOTES = 50


class Seed(Record):
    """A first hit, and how far it can be trusted for expansion (0-1)."""

    path: VaultPath
    strength: float


class LinkedHit(Record):
    """The hit that a note is linked with, and whether the hit links to it; otherwise it links to the hit."""

    path: VaultPath
    onward: bool


class Expansion(Record):
    """The notes to which the first hits lead, each with the hit that does."""

    mentioned: Mapping[VaultPath, VaultPath]
    linked: Mapping[VaultPath, LinkedHit]
    co_read: Mapping[VaultPath, VaultPath]


def expand(
    sources: Sources,
    first: Sequence[FusedHit],
    texts: Mapping[VaultPath, StoredPassage],
    evidence: Evidence,
    candidates: frozenset[VaultPath],
) -> tuple[Evidence, Expansion]:
    """Favour the candidates that the best hits mention, link to or were read with."""
    seeds = choose_seeds(first, evidence)
    mentions, mentioned = _expand_mentions(seeds, texts, sources.vocabulary, candidates)
    links, linked = _expand_links(seeds, sources.graph, candidates)
    co_reading, co_read = _expand_co_reading(seeds, sources.co_reading, candidates)
    return (
        replace(evidence, mentions=mentions, links=links, co_reading=co_reading),
        Expansion(mentioned, linked, co_read),
    )


def choose_seeds(first: Sequence[FusedHit], evidence: Evidence) -> list[Seed]:
    """Return the best hits as starting points.

    A hit counts by its share of the best score, and by the highest value that any retriever gives it: where nothing
    fits well, as with a misspelt word, the first hits are not worth expanding.
    """
    best = first[0].score if first else 0.0
    if best <= 0:
        return []
    results = (evidence.meaning, evidence.passages, evidence.stems, evidence.whole, evidence.name)
    values = [result.calibrated for result in results if result.weight > 0]
    return [
        Seed(hit.path, hit.score / best * max((value.get(hit.path, 0.0) for value in values), default=0.0))
        for hit in first[:MAX_SEED_HITS]
    ]


def _expand_mentions(
    seeds: Sequence[Seed],
    texts: Mapping[VaultPath, StoredPassage],
    vocabulary: Vocabulary,
    candidates: Collection[VaultPath],
) -> tuple[RetrieverResult, dict[VaultPath, VaultPath]]:
    """Favour candidates that the best hits mention: the second step of a two-step question."""
    raw: dict[VaultPath, float] = {}
    via: dict[VaultPath, VaultPath] = {}
    for seed in seeds:
        for path in vocabulary.named_in(texts[seed.path].text if seed.path in texts else ""):
            if path != seed.path and path in candidates and seed.strength > raw.get(path, 0.0):
                raw[path] = seed.strength
                via[path] = seed.path
    return RetrieverResult(WEIGHTS["mentions"], raw, raw), via


def _expand_links(
    seeds: Sequence[Seed], graph: Graph | None, candidates: frozenset[VaultPath]
) -> tuple[RetrieverResult, dict[VaultPath, LinkedHit]]:
    """Favour candidates that walks along links from the best hits often reach: personalised PageRank."""
    if graph is None:
        return NO_RESULT, {}
    linked: dict[VaultPath, LinkedHit] = {}
    for seed in seeds:
        onward = graph.links_to(seed.path)
        for path in graph.neighbours(seed.path) & candidates:
            linked.setdefault(path, LinkedHit(seed.path, onward=path in onward))
    raw = walk_scores(graph, {seed.path: seed.strength for seed in seeds}, candidates)
    top = max((seed.strength for seed in seeds), default=0.0)
    return RetrieverResult(
        WEIGHTS["links"], raw, {path: top * share for path, share in share_of_best(raw).items()}
    ), linked


def walk_scores(
    graph: Graph, strengths: Mapping[VaultPath, float], among: Iterable[VaultPath]
) -> dict[VaultPath, float]:
    """Return how often walks along links from some notes reach others, divided by the degree of those."""
    numbered = [(number, weight) for path, weight in strengths.items() if (number := graph.number(path)) is not None]
    found = [(path, number) for path in among if (number := graph.number(path)) is not None]
    if not numbered or not found:
        return {}
    starts, numbers = [number for number, _ in numbered], np.array([number for _, number in found])
    visits = graph.visits(starts)
    visits[np.arange(len(starts)), starts] = 0.0
    # Every walk passes hubs; what matters is how much more often these do than others.
    weights = np.array([weight for _, weight in numbered])
    scores = weights @ visits[:, numbers] / np.maximum(graph.degrees(numbers), 1)
    return {path: score for (path, _), score in zip(found, scores.tolist(), strict=True) if score > 0}


def _expand_co_reading(
    seeds: Sequence[Seed], co_reading: CoReading, candidates: Collection[VaultPath]
) -> tuple[RetrieverResult, dict[VaultPath, VaultPath]]:
    """Favour candidates that were recently read together with the best hits."""
    raw: dict[VaultPath, float] = {}
    via: dict[VaultPath, VaultPath] = {}
    for seed in seeds:
        for path, near in co_reading.beside.get(seed.path, {}).items():
            if path in candidates and seed.strength * near > raw.get(path, 0.0):
                raw[path] = seed.strength * near
                via[path] = seed.path
    return RetrieverResult(co_reading.weight, raw, raw), via


def match_tags(
    query: Query,
    vocabulary: Vocabulary,
    notes: Mapping[VaultPath, IndexedNote],
    within: Collection[VaultPath] | None,
) -> tuple[RetrieverResult, dict[VaultPath, str]]:
    """Find the notes with a tag that was typed; a tag on many notes says little about each."""
    raw: dict[VaultPath, float] = {}
    which: dict[VaultPath, str] = {}
    for word in query.folded_content:
        tagged = vocabulary.find_tagged(word)
        rare = tagged if within is None else tagged & frozenset(within)
        newest = sorted(rare, key=lambda path: (-notes[path].mtime, path))[:_MAX_TAGGED_NOTES]
        for path in newest:
            raw[path] = raw.get(path, 0.0) + 1 / len(query.folded_content)
            which.setdefault(path, _tag_with_word(notes[path], word))
    return RetrieverResult(WEIGHTS["tags"], raw, raw), which


def _tag_with_word(note: IndexedNote, word: str) -> str:
    plain = [(tag, fold_case(tag)) for tag in note.tags]
    return next((tag for tag, folded in plain if word == folded or word in folded.split("/")), word)
