"""The hits of the retrievers; scores are comparable only within one retriever and answer.

They are tuples, because a search makes hundreds of them.
"""

from operator import itemgetter
from typing import Literal, NamedTuple, TypeVar

from bridge.types import VaultPath

NameField = Literal["title", "alias", "heading"]


class PassageHit(NamedTuple):
    """A passage found."""

    path: VaultPath
    ordinal: int
    score: float


class NoteHit(NamedTuple):
    """A note found as a whole."""

    path: VaultPath
    score: float


class NameHit(NamedTuple):
    """A note found by its title, alias or heading; the score is 1 for a title typed in full."""

    path: VaultPath
    field: NameField
    matched: str
    score: float


MAX_EQUAL_HITS = 64
"""Hits beyond a limit that are compared by path because they equal the last; of more, those written first are found."""

_Hit = TypeVar("_Hit", PassageHit, NoteHit)


def best_hits(hits: list[_Hit], limit: int) -> list[_Hit]:
    """Return the best hits, by path and place where scores are equal.

    The numbers of rows must not decide: they tell in which order notes were written.
    """
    hits.sort()
    hits.sort(key=itemgetter(-1), reverse=True)
    return hits[:limit]
