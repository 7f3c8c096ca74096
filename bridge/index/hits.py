"""What the lanes of a search return; scores compare within one lane of one answer."""

from dataclasses import dataclass
from typing import Literal

from bridge.types import VaultPath

NameField = Literal["title", "alias", "heading"]


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage that was found."""

    path: VaultPath
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note that was found as a whole."""

    path: VaultPath
    score: float


@dataclass(frozen=True, slots=True)
class NameHit:
    """A note found by a name of its own; the score is 1 for a title typed in full."""

    path: VaultPath
    field: NameField
    matched: str
    score: float
