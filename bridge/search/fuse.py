"""Fuses the calibrated scores of all retrievers into one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Literal, NamedTuple

from msgspec import field

from bridge.records import Record
from bridge.search.model import RetrieverScore
from bridge.types import VaultPath

RetrieverName = Literal["meaning", "passages", "stems", "whole", "title", "name", "tags", "links", "mentions", "drift"]

WEIGHTS: Mapping[RetrieverName, float] = {
    # Tuned on all development sets together; the optimum is flat (docs/measurements.md).
    "meaning": 1.0,
    "passages": 0.05,
    "stems": 0.45,
    "whole": 0.4,
    "title": 0.2,
    "name": 0.6,
    "tags": 0.15,
    "links": 0.1,
    "mentions": 0.25,
}


class RetrieverResult(Record):
    """The result of one retriever: raw scores and their calibrated form (0-1)."""

    name: RetrieverName
    weight: float
    raw: Mapping[VaultPath, float] = field(default_factory=dict)
    calibrated: Mapping[VaultPath, float] = field(default_factory=dict)


ABOUT = 0.17
"""Minimum score of the best note if any note is near the query by meaning alone."""

FLOOR = 0.05
"""Minimum score of a note that is near by meaning alone, and of one that is more than weak evidence."""

NOISE = 0.15
"""Calibrated semantic similarity up to which a note may be unrelated to the query."""


NEAREST = 2
"""Notes that are nearest by meaning of which none is more than one place further down than by meaning alone."""


class FusedHit(NamedTuple):
    """A note and its fused score."""

    path: VaultPath
    score: float


class Fusion:
    """The weighted sum of retrievers, to which more can be added."""

    def __init__(self, results: Iterable[RetrieverResult]) -> None:
        self._total: dict[VaultPath, float] = {}
        self._most = 0.0
        self.add(results)

    def add(self, results: Iterable[RetrieverResult]) -> None:
        total = self._total
        for result in results:
            weight = result.weight
            if not result.calibrated or weight <= 0:
                continue
            self._most += weight
            for path, value in result.calibrated.items():
                total[path] = total.get(path, 0.0) + weight * value

    def rank(self, among: Collection[VaultPath] | None = None, limit: int | None = None) -> list[FusedHit]:
        """Return the notes, best first; a score is the share of what all retrievers could give."""
        ranked = [item for item in self._total.items() if among is None or item[0] in among]
        # By path first: sorting is stable, and two plain keys cost less than one that is a pair.
        ranked.sort(key=itemgetter(0))
        ranked.sort(key=itemgetter(1), reverse=True)
        most = self._most
        return [FusedHit(path, share if (share := score / most) < 1.0 else 1.0) for path, score in ranked[:limit]]


def fuse(results: Iterable[RetrieverResult]) -> list[FusedHit]:
    """Return the notes by the weighted sum of the retrievers, as `Fusion.rank` does."""
    return Fusion(results).rank()


def drop_irrelevant(
    ranked: Sequence[FusedHit], said: Collection[VaultPath]
) -> tuple[Sequence[FusedHit], frozenset[VaultPath]]:
    """Drop the notes that are only distantly near by meaning."""
    least = FLOOR if ranked and ranked[0].score >= ABOUT else 1.0
    kept = [hit for hit in ranked if hit.score >= least or hit.path in said]
    return kept, frozenset(hit.path for hit in kept if hit.score < least)


def pin(ranked: Sequence[FusedHit], by: Collection[VaultPath]) -> list[FusedHit]:
    """Move some of the notes to the top, in their order and with at least the best score."""
    if not by:
        return [*ranked]
    best = ranked[0].score if ranked else 0.0
    return [
        *(FusedHit(hit.path, max(best, hit.score)) for hit in ranked if hit.path in by),
        *(hit for hit in ranked if hit.path not in by),
    ]


def keep_best(ranked: Sequence[FusedHit], near: RetrieverResult, others: Iterable[RetrieverResult]) -> list[FusedHit]:
    """Rank the nearest notes, and the best by all else, at most one place further down than they are alone.

    A question in other words than the notes' is found by meaning only, or by one word only; what is fair by both comes
    before neither.
    """
    left = [*ranked]
    by_meaning = [hit for hit in fuse([near]) if near.calibrated[hit.path] > NOISE]
    latest = {hit.path: place for place, hit in enumerate(by_meaning[:NEAREST], 2)}
    latest |= {hit.path: 2 for hit in fuse(others)[:1] if hit.score >= ABOUT}
    placed: list[FusedHit] = []
    for place in range(1, min(len(left), NEAREST + 1) + 1):
        next_hit = left[0]
        due = sorted((hit for hit in left[1:] if hit.path in latest), key=lambda hit: latest[hit.path])
        if any(latest[hit.path] <= place + at for at, hit in enumerate(due)):
            next_hit = due[0]
        left.remove(next_hit)
        placed.append(next_hit)
    scores = [*accumulate((hit.score for hit in reversed((*placed, *left))), max)]
    return [FusedHit(hit.path, score) for hit, score in zip((*placed, *left), reversed(scores), strict=True)]


def lower(ranked: Sequence[FusedHit], silent: Collection[VaultPath]) -> list[FusedHit]:
    """Rank notes that say nothing but their title below all that are about the query, and score them no higher."""
    if not silent:
        return [*ranked]
    lowered = sorted(ranked, key=lambda hit: -hit.score * (ABOUT if hit.path in silent else 1))
    least = accumulate((hit.score for hit in lowered), min)
    return [FusedHit(hit.path, score) for hit, score in zip(lowered, least, strict=True)]


def relevant_notes(results: Iterable[RetrieverResult]) -> frozenset[VaultPath]:
    """Return the notes with evidence for them: a word, a name, a tag, or a semantic similarity above chance."""
    return frozenset(
        path
        for result in results
        for path, value in result.calibrated.items()
        if value > (NOISE if result.name == "meaning" else 0.0)
    )


def explain_scores(
    results: Sequence[RetrieverResult], paths: Iterable[VaultPath]
) -> dict[VaultPath, dict[str, RetrieverScore]]:
    places = {
        result.name: {
            path: rank
            for rank, (path, _) in enumerate(sorted(result.calibrated.items(), key=lambda item: (-item[1], item[0])), 1)
        }
        for result in results
    }
    return {
        path: {
            result.name: RetrieverScore(
                raw=result.raw.get(path, 0.0),
                calibrated=result.calibrated[path],
                weight=result.weight,
                rank=places[result.name][path],
            )
            for result in results
            if path in result.calibrated
        }
        for path in paths
    }
