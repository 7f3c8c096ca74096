"""Tells what the index holds of one note, and why not if it does not."""

from typing import Literal

from bridge.engine.following import Following
from bridge.engine.status import IndexedPassage, Inspection
from bridge.store import Store
from bridge.types import Digest, VaultPath, same_digest

What = Literal["keyword", "links", "vectors"]
"""A part of the index that one can wait for."""

NO_DOCUMENT = "Only notes, canvases, Excalidraw drawings and PDF files are searched."


def inspect(following: Following, store: Store, path: VaultPath) -> Inspection:
    """Tell what the index holds of a note, or why it holds nothing."""
    note = following.index.notes.get(path)
    if note is not None:
        passages = tuple(IndexedPassage(p.heading, p.lines, p.embedded) for p in following.index.passages_of(path))
        state: Literal["indexed", "pending"] = "pending" if path in following.pending else "indexed"
        return Inspection(state, None, note.digest, passages, note.left_out, note.problems)
    failed = store.failures().get(path)
    if failed is not None:
        return Inspection("failed", failed[1], None, (), (), ())
    if path in following.pending:
        return Inspection("pending", "It waits to be read.", None, (), (), ())
    there = following.vault.look([path])
    if path in there.files:
        return Inspection("pending", "It was not noticed yet; `reindex` reads it now.", None, (), (), ())
    if path in there.others or path in there.skipped:
        return Inspection("skipped", skip_reason(following, path) or NO_DOCUMENT, None, (), (), ())
    return Inspection("unknown", "There is no such file.", None, (), (), ())


def skip_reason(following: Following, path: VaultPath) -> str | None:
    """Return why a file is not indexed: its own reason or that of a folder above it."""
    skipped = following.skipped
    above = [path, *(f"{'/'.join(path.split('/')[:n])}/" for n in range(1, path.count("/") + 1))]
    return next((skipped[p] for p in above if p in skipped), None) or following.vault.rules.reason(path)


def holds(following: Following, path: VaultPath, digest: Digest | None, what: What) -> bool:
    """Say whether the index holds a note as it is on disk, or as `digest` names it."""
    note = following.index.notes.get(path)
    if note is None or path in following.pending:
        return False
    if digest is not None and not same_digest(note.digest, digest):
        return False
    stat = following.vault.stat(path)
    if digest is None and stat is not None and (note.mtime_ns, note.size) != (stat.mtime_ns, stat.size):
        return False
    match what:
        case "keyword":
            return following.complete
        case "links":
            return following.weaving.settled
        case "vectors":
            return following.index.embedded(path)
