"""Fuses the calibrated scores of all retrievers into one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Literal, NamedTuple

from msgspec import field
from msgspec.structs import astuple, replace

from bridge.records import Record
from bridge.search.model import RetrieverScore
from bridge.types import VaultPath

RetrieverName = Literal["meaning", "stems", "whole", "title", "name", "tags", "links", "mentions"]

WEIGHTS: Mapping[RetrieverName, float] = {
    # Tuned on all development sets together; the optimum is flat (docs/measurements.md).
    "meaning": 1.0,
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

    weight: float = 0.0
    raw: Mapping[VaultPath, float] = field(default_factory=dict)
    calibrated: Mapping[VaultPath, float] = field(default_factory=dict)


NO_RESULT = RetrieverResult()


class Evidence(Record, rename={"co_reading": "drift"}):
    """What each retriever found; one that was not asked found nothing."""

    meaning: RetrieverResult = NO_RESULT
    passages: RetrieverResult = NO_RESULT
    """The words as written."""
    stems: RetrieverResult = NO_RESULT
    whole: RetrieverResult = NO_RESULT
    """The words of notes as a whole, also those that say nothing of their own."""
    title: RetrieverResult = NO_RESULT
    """The titles and aliases of which the query says some."""
    name: RetrieverResult = NO_RESULT
    """The names that begin with the query, or nearly equal it."""
    tags: RetrieverResult = NO_RESULT
    mentions: RetrieverResult = NO_RESULT
    links: RetrieverResult = NO_RESULT
    co_reading: RetrieverResult = NO_RESULT

    def results(self) -> tuple[RetrieverResult, ...]:
        return astuple(self)


MIN_ABOUT_SCORE = 0.17
"""Minimum score of the best note if any note is near the query by meaning alone."""

MIN_MEANING_SCORE = 0.05
"""Minimum score of a note that is near by meaning alone, and of one that is more than weak evidence."""

NOISE_SIMILARITY = 0.15
"""Calibrated semantic similarity up to which a note may be unrelated to the query."""


MAX_NEAREST_NOTES = 2
"""Notes that are nearest by meaning of which none is more than one place further down than by meaning alone."""


class FusedHit(NamedTuple):
    """A note and its fused score."""

    path: VaultPath
    score: float


def fuse(
    results: Iterable[RetrieverResult], among: Collection[VaultPath] | None = None, limit: int | None = None
) -> list[FusedHit]:
    """Return the notes by the weighted sum of the retrievers; a score is the share of what all of them could give."""
    total: dict[VaultPath, float] = {}
    most = 0.0
    for result in results:
        weight = result.weight
        if not result.calibrated or weight <= 0:
            continue
        most += weight
        for path, value in result.calibrated.items():
            total[path] = total.get(path, 0.0) + weight * value
    ranked = [item for item in total.items() if among is None or item[0] in among]
    # By path first: sorting is stable, and two plain keys cost less than one that is a pair.
    ranked.sort(key=itemgetter(0))
    ranked.sort(key=itemgetter(1), reverse=True)
    return [FusedHit(path, share if (share := score / most) < 1.0 else 1.0) for path, score in ranked[:limit]]


def drop_irrelevant(
    ranked: Sequence[FusedHit], evident: Collection[VaultPath]
) -> tuple[Sequence[FusedHit], frozenset[VaultPath]]:
    """Drop the notes that are only distantly near by meaning; also return those kept that score as little."""
    least = MIN_MEANING_SCORE if ranked and ranked[0].score >= MIN_ABOUT_SCORE else 1.0
    kept = [hit for hit in ranked if hit.score >= least or hit.path in evident]
    return kept, frozenset(hit.path for hit in kept if hit.score < least)


def choose_pinned(
    ranked: Sequence[FusedHit], named: Collection[VaultPath], empty: Collection[VaultPath]
) -> frozenset[VaultPath]:
    """Return the notes to pin, given those that the query names.

    Typing a full name asks for that note, whatever else is semantically close: dates most of all. One that says nothing
    is below the best that does.
    """
    names = frozenset(named)
    best = frozenset(hit.path for hit in ranked[:1] if names)
    return names.difference(empty) or names | best.difference(empty)


def pin(ranked: Sequence[FusedHit], pinned: Collection[VaultPath]) -> list[FusedHit]:
    """Move some of the notes to the top, in their order and with at least the best score."""
    best = ranked[0].score if ranked else 0.0
    return [
        *(FusedHit(hit.path, max(best, hit.score)) for hit in ranked if hit.path in pinned),
        *(hit for hit in ranked if hit.path not in pinned),
    ]


def keep_best(ranked: Sequence[FusedHit], evidence: Evidence, *, is_word: bool) -> list[FusedHit]:
    """Rank the nearest notes, and the best by all else, at most one place further down than they are alone.

    A question in other words than the notes' is found by meaning only, or by one word only; what is fair by both comes
    before neither. Who searches for a single word looks for a note that says it.
    """
    left = [*ranked]
    by_meaning = [hit for hit in fuse([evidence.meaning]) if evidence.meaning.calibrated[hit.path] > NOISE_SIMILARITY]
    latest = {hit.path: place for place, hit in enumerate(by_meaning[:MAX_NEAREST_NOTES], 2)}
    latest |= {
        hit.path: 1 if is_word and hit.path in evidence.stems.calibrated else 2
        for hit in fuse(replace(evidence, meaning=NO_RESULT).results(), limit=1)
        if hit.score >= MIN_ABOUT_SCORE
    }
    placed: list[FusedHit] = []
    for place in range(1, min(len(left), MAX_NEAREST_NOTES + 1) + 1):
        next_hit = left[0]
        due = sorted((hit for hit in left[1:] if hit.path in latest), key=lambda hit: latest[hit.path])
        if any(latest[hit.path] <= place + at for at, hit in enumerate(due)):
            next_hit = due[0]
        left.remove(next_hit)
        placed.append(next_hit)
    scores = [*accumulate((hit.score for hit in reversed((*placed, *left))), max)]
    return [FusedHit(hit.path, score) for hit, score in zip((*placed, *left), reversed(scores), strict=True)]


def lower(ranked: Sequence[FusedHit], empty: Collection[VaultPath]) -> list[FusedHit]:
    """Rank notes that say nothing but their title below all that are about the query, and score them no higher."""
    if not empty:
        return [*ranked]
    lowered = sorted(ranked, key=lambda hit: -hit.score * (MIN_ABOUT_SCORE if hit.path in empty else 1))
    least = accumulate((hit.score for hit in lowered), min)
    return [FusedHit(hit.path, score) for hit, score in zip(lowered, least, strict=True)]


def relevant_notes(evidence: Evidence) -> frozenset[VaultPath]:
    """Return the notes with evidence for them: a word, a name, a tag, or a semantic similarity above chance."""
    return frozenset(
        path
        for result in evidence.results()
        for path, value in result.calibrated.items()
        if value > (NOISE_SIMILARITY if result is evidence.meaning else 0.0)
    )


def explain_scores(evidence: Evidence, paths: Sequence[VaultPath]) -> dict[VaultPath, dict[str, RetrieverScore]]:
    explained: dict[VaultPath, dict[str, RetrieverScore]] = {path: {} for path in paths}
    for name, result in zip(evidence.__struct_encode_fields__, evidence.results(), strict=True):
        best = sorted(result.calibrated, key=lambda path: (-result.calibrated[path], path))
        place = {path: rank for rank, path in enumerate(best, 1)}
        for path in result.calibrated.keys() & explained.keys():
            explained[path][name] = RetrieverScore(
                raw=result.raw.get(path, 0.0),
                calibrated=result.calibrated[path],
                weight=result.weight,
                rank=place[path],
            )
    return explained
