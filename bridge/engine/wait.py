"""Waits until a vault's index has reached the state that a caller needs."""

import time
from typing import TYPE_CHECKING, Literal

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.indexer import Indexer
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.progress import IndexedPassage, Inspection
from bridge.errors import NotReady
from bridge.state.store import Store
from bridge.types import Digest, VaultPath, is_same_digest

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine

IndexPart = Literal["keyword", "links", "vectors"]
"""A part of the index that a caller can wait for."""

NO_DOCUMENT = "Only notes, canvases, Excalidraw drawings and PDF files are searched."


def inspect_note(indexer: Indexer, store: Store, path: VaultPath) -> Inspection:
    """Return what the index holds of a note, or why it holds nothing."""
    note = indexer.index.notes.get(path)
    if note is not None:
        passages = tuple(IndexedPassage(p.heading, p.lines, p.embedded) for p in indexer.index.passages_of(path))
        state: Literal["indexed", "pending"] = "pending" if path in indexer.pending else "indexed"
        return Inspection(state, None, note.digest, passages, note.left_out, note.problems)
    failed = store.failures.all().get(path)
    if failed is not None:
        return Inspection("failed", failed[1], None, (), (), ())
    if path in indexer.pending:
        return Inspection("pending", "It waits to be read.", None, (), (), ())
    there = indexer.vault.look([path])
    if path in there.files:
        return Inspection("pending", "It was not noticed yet; `reindex` reads it now.", None, (), (), ())
    if path in there.others or path in there.skipped:
        return Inspection("skipped", skip_reason(indexer, path) or NO_DOCUMENT, None, (), (), ())
    return Inspection("unknown", "There is no such file.", None, (), (), ())


def skip_reason(indexer: Indexer, path: VaultPath) -> str | None:
    """Return why a file is not indexed: its own reason or that of a folder above it."""
    skipped = indexer.skipped
    above = [path, *(f"{'/'.join(path.split('/')[:n])}/" for n in range(1, path.count("/") + 1))]
    return next((skipped[p] for p in above if p in skipped), None) or indexer.vault.rules.reason(path)


def is_indexed(indexer: Indexer, path: VaultPath, digest: Digest | None, what: IndexPart) -> bool:
    """Return whether the index holds a note as it is on disk, or with this digest."""
    note = indexer.index.notes.get(path)
    if note is None or path in indexer.pending:
        return False
    if digest is not None and not is_same_digest(note.digest, digest):
        return False
    stat = indexer.vault.stat(path)
    if digest is None and stat is not None and (note.mtime_ns, note.size) != (stat.mtime_ns, stat.size):
        return False
    match what:
        case "keyword":
            return indexer.complete
        case "links":
            return indexer.link_resolver.settled
        case "vectors":
            return indexer.index.embedded(path)


OPEN_LOOK_S = 0.05
READY_LOOK_S = 0.25
LOOK_S = 1.0


class VaultWaiter:
    """Waits on one vault, whose parts may be closed and reopened meanwhile."""

    def __init__(self, engine: "VaultEngine") -> None:
        self._engine = engine

    async def resolved_links(self) -> ResolvedLinks:
        """Return every link as currently resolved, once all links have been.

        Raises:
            NotReady: The first full scan is not committed.
        """
        self._engine.require_keyword()
        while (resolved_links := self._engine.indexer.link_resolver.resolved_links) is None:
            await self._engine.signal.wait(LOOK_S)
            self._engine.require_keyword()
        return resolved_links

    async def graph_snapshot(self) -> GraphSnapshot:
        """Return the graph of all notes written so far, once there is one.

        Raises:
            NotReady: The first full scan is not committed.
        """
        await self.resolved_links()
        graph = await self._engine.indexer.link_resolver.drawn()
        if graph is None:
            raise NotReady("The index is being opened again.")
        return GraphSnapshot(graph, self._engine.index.notes, self._engine.index)

    async def readable(self, timeout: float) -> None:
        """Wait until the first full scan is committed, an error occurs, or `timeout` seconds have passed."""
        engine, ends = self._engine, time.monotonic() + timeout
        while engine.trouble is None and not (engine.is_open and engine.indexer.complete):
            left = ends - time.monotonic()
            if left <= 0:
                return
            await engine.signal.wait(min(left, READY_LOOK_S))

    async def indexed(self, path: VaultPath, digest: Digest | None, what: IndexPart, timeout: float) -> bool:
        """Wait until the index holds a note as it is on disk, or with this digest.

        Args:
            path: The note.
            digest: The content to wait for; that on disk when absent.
            what: Which part of the index must hold it.
            timeout: Seconds to wait at most.

        Raises:
            NoteNotFound: The note is neither on disk nor in the index.
        """
        engine, ends = self._engine, time.monotonic() + timeout
        while not engine.is_open and time.monotonic() < ends:
            await engine.signal.wait(OPEN_LOOK_S)
        if engine.vault.stat(path) is None and path not in engine.index.notes:
            raise engine.names.missing(path)
        if not is_indexed(engine.indexer, path, digest, what):
            await engine.report([path])
        while not is_indexed(engine.indexer, path, digest, what):
            left = ends - time.monotonic()
            if left <= 0:
                return False
            if what == "vectors":
                engine.parts.backfill.hurry()
            await engine.signal.wait(min(left, LOOK_S))
        return True
