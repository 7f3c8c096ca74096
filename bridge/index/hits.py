"""The hits of the retrievers; scores are comparable only within one retriever and answer."""

from dataclasses import dataclass
from typing import Literal

from bridge.types import VaultPath

NameField = Literal["title", "alias", "heading"]


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage found."""

    path: VaultPath
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note found as a whole."""

    path: VaultPath
    score: float


@dataclass(frozen=True, slots=True)
class NameHit:
    """A note found by its title, alias or heading; the score is 1 for a title typed in full."""

    path: VaultPath
    field: NameField
    matched: str
    score: float
