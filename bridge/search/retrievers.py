"""Runs all retrievers of the index at the same time."""

import asyncio
import time
from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import field
from msgspec.structs import replace

from bridge.index.hits import NameHit, NoteHit, PassageHit
from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.records import Record
from bridge.search.calibrate import ModelCalibration, Scores, calibrate_cosines, scale_by_coverage
from bridge.search.fuse import WEIGHTS, Evidence, RetrieverResult
from bridge.search.query import Query
from bridge.text.scripts import stemmed_share
from bridge.types import VaultPath

RETRIEVER_NOTES = 100
"""Notes requested from a retriever."""

MIN_COVERED_SHARE = 0.01
"""How much of a query counts as said by a note in which its words are found in no form that is counted."""

_Answer = TypeVar("_Answer")


class IndexAnswers(Record):
    """The answers of the index."""

    nearest: Sequence[PassageHit] = ()
    passages: Sequence[PassageHit] = ()
    stems: Sequence[PassageHit] = ()
    whole: Sequence[NoteHit] = ()
    names: Sequence[NameHit] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)


async def retrieve(
    index: Index,
    query: Query,
    vector: Awaitable[np.ndarray | None] | None,
    within: Collection[VaultPath] | None,
    *,
    every_passage: bool = False,
) -> tuple[IndexAnswers, bool]:
    """Run all retrievers at once; a query's vector is awaited beside the full-text ones, not before them.

    With `every_passage`, only passages are found, and those near by meaning are not only the best of each note.
    """
    took: dict[str, float] = {}
    words = TextQuery(should=query.search_terms)
    every = TextQuery(should=() if every_passage else (*query.words, *query.phrases))
    name = "" if every_passage else query.name

    async def timed(name: str, answer: Awaitable[_Answer]) -> _Answer:
        start = time.perf_counter()
        result = await answer
        took[name] = round((time.perf_counter() - start) * 1000, 2)
        return result

    async def near() -> Sequence[PassageHit] | None:
        found = None if vector is None else await timed("query vector", vector)
        if found is None:
            return None
        depth = RETRIEVER_NOTES * 2 if every_passage else RETRIEVER_NOTES
        return await timed("meaning", index.nearest(found, depth, within, every_passage=every_passage))

    # Stems find everything that words as written do, except in scripts without stems.
    has_other = stemmed_share(" ".join(words.should)) < 1

    async def by_text() -> IndexAnswers:
        passages = await timed("passages", index.passages(words, RETRIEVER_NOTES * 2, within)) if has_other else ()
        stems = await timed("stems", index.stems(words, RETRIEVER_NOTES * 2, within)) if words.should else ()
        whole = await timed("whole", index.search_notes(every, RETRIEVER_NOTES, within)) if every.should else ()
        names = await timed("names", index.search_names(name, RETRIEVER_NOTES // 4, within)) if name else ()
        return IndexAnswers((), passages, stems, whole, names, took)

    nearest, answers = await asyncio.gather(near(), by_text())
    return replace(answers, nearest=nearest or ()), nearest is not None


def weigh_texts(answers: IndexAnswers, text: str, cover: Scores | None) -> Evidence:
    stemmed = stemmed_share(text) if answers.stems else 0.0

    def weigh(weight: float, hits: Sequence[PassageHit] | Sequence[NoteHit], least: float) -> RetrieverResult:
        raw = best_scores(hits)
        return RetrieverResult(weight, raw, scale_by_coverage(raw, cover, least))

    return Evidence(
        passages=weigh(WEIGHTS["stems"] * (1.0 - stemmed), answers.passages, MIN_COVERED_SHARE),
        stems=weigh(WEIGHTS["stems"] * stemmed, answers.stems, MIN_COVERED_SHARE),
        # Notes as a whole are also found by words that say nothing.
        whole=weigh(WEIGHTS["whole"], answers.whole, 0.0),
    )


def weigh_meaning(answers: IndexAnswers, meaning: ModelCalibration, trust: float) -> RetrieverResult:
    """Calibrate the vector answers, weighted by how well the model can read the query."""
    raw = best_scores(answers.nearest)
    return RetrieverResult(WEIGHTS["meaning"] * trust, raw, calibrate_cosines(raw, meaning))


def passage_scores(answers: IndexAnswers, evidence: Evidence) -> dict[VaultPath, dict[int, float]]:
    worth: dict[VaultPath, dict[int, float]] = {}
    near = evidence.meaning.calibrated
    for result, hits in (
        (evidence.meaning, answers.nearest),
        (evidence.passages, answers.passages),
        (evidence.stems, answers.stems),
    ):
        top = max((score for _, _, score in hits), default=0.0) or 1.0
        for path, ordinal, score in hits:
            value = near.get(path, 0.0) if result is evidence.meaning else score / top
            if (own := worth.get(path)) is None:
                own = worth[path] = {}
            own[ordinal] = own.get(ordinal, 0.0) + result.weight * value
    return worth


def best_passages(worth: Mapping[VaultPath, Mapping[int, float]]) -> dict[VaultPath, int]:
    """Choose for each note the passage with the highest total score."""
    return {
        path: max(own, key=lambda ordinal: (own[ordinal], -ordinal)) if len(own) > 1 else next(iter(own))
        for path, own in worth.items()
    }


def best_scores(hits: Iterable[PassageHit | NoteHit]) -> dict[VaultPath, float]:
    found: dict[VaultPath, float] = {}
    for hit in hits:
        path, score = hit[0], hit[-1]
        if (known := found.get(path)) is None or score > known:
            found[path] = score
    return found
