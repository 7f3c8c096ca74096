"""Changes as callers see them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.errors import StateUnusable
from bridge.steps import Step
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.changes import Reference
    from bridge.engine import VaultEngine

Fetch = Callable[[Digest], bytes | None]
"""Returns bytes by their digest; None when they are kept no more."""


@dataclass(frozen=True, slots=True)
class LostLink:
    """A link that a change breaks.

    Attributes:
        path: The note that has it.
        line: Its line.
        text: What it points at, as written.
    """

    path: VaultPath
    line: int
    text: str


def lost(references: "Iterable[Reference]") -> tuple[LostLink, ...]:
    """Tell of broken links."""
    return tuple(LostLink(one.path, one.line, one.text) for one in references)


def diff_of(steps: Sequence[Step], fetch: Fetch) -> str:
    """Return steps as one unified diff, with renames as git writes them, and in words what no diff can show."""
    from bridge.changes import differences

    parts: list[str] = []
    for found in differences(steps, fetch):
        if found.step.kind == "move":
            parts.append(f"rename from {found.step.path}\nrename to {found.step.to}\n")
        parts += [*(f"{found.step.path}: {remark}\n" for remark in found.remarks), found.diff]
    return "".join(parts)


def kept(engine: "VaultEngine") -> Fetch:
    """Return what fetches contents that are kept; one that was damaged on the disk is as one that is not."""

    def fetch(digest: Digest) -> bytes | None:
        try:
            return engine.store.snapshot(digest)
        except StateUnusable:
            return None

    return fetch
