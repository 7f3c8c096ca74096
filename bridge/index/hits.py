"""The hits of the retrievers; scores are comparable only within one retriever and answer.

They are tuples, because a search makes hundreds of them.
"""

from typing import Literal, NamedTuple

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
