"""Changes as callers see them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bridge.errors import StateUnusable
from bridge.steps import Step
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.changes import Difference, Reference
    from bridge.engine import VaultEngine

Fetch = Callable[[Digest], bytes | None]
"""Returns bytes by their digest; None when they are kept no more."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a change touches.

    Attributes:
        path: The file or folder, by the path that it has afterwards; of a removed file the one that it had.
        digest: SHA-256 of the whole file afterwards; null for a folder, a removed file, and in a dry run.
        added: Lines that it gains.
        removed: Lines that it loses.
        moved_from: The path that it had before; null for one that is not moved.
        deleted: Whether it is deleted.
        trash: Where it lies in the vault's trash; null for one that does not, or when that is not known.
    """

    path: VaultPath
    digest: Digest | None
    added: int
    removed: int
    moved_from: VaultPath | None = None
    deleted: bool = False
    trash: VaultPath | None = None


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

    return unified_diff(differences(steps, fetch))


def unified_diff(found: "Iterable[Difference]") -> str:
    """Return differences as `diff_of` does."""
    parts: list[str] = []
    for one in found:
        if one.step.kind == "move":
            parts.append(f"rename from {one.step.path}\nrename to {one.step.to}\n")
        parts += [*(f"{one.step.path}: {remark}\n" for remark in one.remarks), one.diff]
    return "".join(parts)


def changed_files(found: "Iterable[Difference]") -> tuple[ChangedFile, ...]:
    """Return the files that a change touches, each once, by the paths that they have afterwards."""
    files: dict[VaultPath, ChangedFile] = {}
    made: set[VaultPath] = set()
    for one in found:
        step = one.step
        match step.kind:
            case "put" | "remove":
                kinds = [row.kind for hunk in one.hunks for row in hunk.rows]
                before = files.get(step.path) if step.before is not None and step.kind == "put" else None
                files[step.path] = ChangedFile(
                    step.path,
                    step.after,
                    kinds.count("added"),
                    kinds.count("removed"),
                    moved_from=before.moved_from if before else None,
                    deleted=step.kind == "remove",
                )
                made.update([step.path] if step.before is None else [])
            case "move" if step.to is not None:
                moved = files.pop(step.path, ChangedFile(step.path, step.before, 0, 0))
                origin = None if step.path in made else moved.moved_from or step.path
                files[step.to] = replace(moved, path=step.to, moved_from=origin)
                made = {step.to if path == step.path else path for path in made}
    return tuple(files.values())


def kept(engine: "VaultEngine") -> Fetch:
    """Return what fetches contents that are kept; one that was damaged on the disk is as one that is not."""

    def fetch(digest: Digest) -> bytes | None:
        try:
            return engine.store.snapshot(digest)
        except StateUnusable:
            return None

    return fetch
