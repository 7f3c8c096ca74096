"""What is known of a vault's progress, as values for `status` and `index_status`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bridge.types import Digest, Lines

State = Literal["indexed", "pending", "skipped", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class ModelInUse:
    """The embedding model and how its vectors stand."""

    id: str
    dimensions: int
    digest: Digest
    answering: str | None
    """Key of the vectors that answer now; another model's while a swap is not complete."""
    workers: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the index is behind the vault."""

    notes: int
    passages: int
    pending_keyword: int
    pending_vectors: int
    ready_keyword: bool
    ready_semantic: bool
    skipped: Mapping[str, str]
    failed: Mapping[str, str]
    model: ModelInUse | None
    model_known: bool
    embedded_total: int
    per_second: float | None
    """Passages embedded in a second; None while none are."""
    paused: bool
    trouble: str | None
    """Why indexing stands still, when it does."""


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """One passage of a note as the index holds it."""

    heading: str
    lines: Lines
    embedded: bool


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the index holds of one note, or why it holds nothing."""

    state: State
    reason: str | None
    digest: Digest | None
    passages: tuple[IndexedPassage, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]
