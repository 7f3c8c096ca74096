"""Vacuums deleted rows and compacts the tables while nothing is written."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from bridge.errors import BridgeError, NotReady
from bridge.index.background import Tasks, pause_gc, trim
from bridge.index.folder import disk_errors
from bridge.index.open import OpenIndex
from bridge.index.table import VERSION_AGE, LanceTable
from bridge.index.vectors import Vectors

log = logging.getLogger(__name__)

VACUUM_AFTER_S = 0.25
"""Pause after a write before the rows that it replaced are deleted, so that a burst needs one vacuum."""

COMPACT_AFTER_S = 2.0
"""Pause after a write before the index is compacted."""

MAX_UNSAVED = 2_000
"""Passages and notes whose postings wait to be stored with the next compaction."""

MAX_STALE_NOTES = 250
"""Notes whose names the next start may split into words again, which takes some 15 ms."""

FAILURES = (BridgeError, OSError, RuntimeError, ValueError)


class Compaction:
    """Runs everything that deletes or merges, one at a time, because deletions and merges of one table conflict."""

    def __init__(self, opened: OpenIndex, vectors: Vectors, tasks: Tasks) -> None:
        self.lock = asyncio.Lock()
        self._opened, self._vectors, self._tasks = opened, vectors, tasks
        self._later: asyncio.Task[None] | None = None
        self._hurrying: asyncio.Task[None] | None = None
        self._pruning: asyncio.Task[None] | None = None
        self._indexing: asyncio.Task[None] | None = None
        self._put_off = 0

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Do only urgent work until this ends."""
        self._put_off += 1
        with pause_gc():
            try:
                yield
            finally:
                self._put_off -= 1
                self.later()

    @property
    def is_put_off(self) -> bool:
        return self._put_off > 0

    def later(self) -> None:
        """Schedule work for the next pause in writing, or start it now if it is urgent."""
        if self.urgent:
            self._hurry()
        if self._later is not None:
            self._later.cancel()
        if not self._put_off:
            self._later = self._tasks.start(self._tidy(VACUUM_AFTER_S, COMPACT_AFTER_S))

    def start_overdue(self) -> None:
        """Start overdue work at once, without waiting for a pause, because it slows every search."""
        if self._overdue and not self._put_off:
            self._hurry()

    def _hurry(self) -> None:
        if self._hurrying is None or self._hurrying.done():
            self._hurrying = self._tasks.start(self._tidy(0, 0))

    def stop(self) -> None:
        """Cancel scheduled work."""
        for task in (self._later, self._hurrying, self._pruning, self._indexing):
            if task is not None:
                task.cancel()

    def index_vectors_later(self) -> None:
        """Start to build the index of vectors on disk if it is lacking, unless that failed since the vault is open."""
        if self._indexing is None and self._vectors.lacks_index:
            self._indexing = self._tasks.start(self._index_vectors())

    async def _index_vectors(self) -> None:
        try:
            async with self.lock:
                with disk_errors(self._opened.folder.path):
                    await self._vectors.build_index()
            self._indexing = None
        except FAILURES as error:
            log.warning("The index of vectors could not be built: %s", type(error).__name__)

    async def stop_indexing_vectors(self) -> None:
        """Stop building the index of vectors, which the next search starts again."""
        if (task := self._indexing) is not None:
            task.cancel()
            await asyncio.wait([task])
            self._indexing = None

    @property
    def urgent(self) -> bool:
        return any(table.urgent for table in self.tables())

    @property
    def _overdue(self) -> bool:
        return self._opened.notes.overdue or self._opened.passages.overdue

    def tables(self) -> list[LanceTable]:
        return [self._opened.passages, self._opened.notes, *self._vectors.tables()]

    async def _tidy(self, sweep_after: float, optimise_after: float) -> None:
        """Do what is due, after pauses; a new write restarts them."""
        try:
            await asyncio.sleep(sweep_after)
            await self._tasks.finish(self._sweep())
            await asyncio.sleep(optimise_after)
            if self.urgent or self._overdue or self._opened.postings.unsaved_count > MAX_UNSAVED:
                await self._tasks.finish(self.optimise(at_once=False))
        except NotReady:
            # The index was closed meanwhile, as at the end of a command.
            return
        except FAILURES as error:
            # Nothing is lost: the next write or the next start tries again.
            log.warning("The index could not be tidied: %s", type(error).__name__)

    async def _sweep(self) -> None:
        async with self.lock:
            await self.sweep()

    async def sweep(self) -> None:
        """Delete rows that belong to no note; the caller holds the lock."""
        with disk_errors(self._opened.folder.path):
            opened = self._opened
            for table, column, dead in (
                (opened.notes, "seq", opened.dead_seqs),
                (opened.passages, "key", opened.dead_keys),
            ):
                if numbers := set(dead):
                    await table.drop(column, numbers)
                    dead.difference_update(numbers)

    async def optimise(self, *, at_once: bool) -> None:
        """Delete replaced rows, merge fragments and store new postings."""
        await self._sweep()
        # Merging copies rows: what was needed to write them is not to lie beside that.
        await asyncio.to_thread(trim)
        async with self.lock:
            with disk_errors(self._opened.folder.path):
                for table in (self._opened.passages, self._opened.notes):
                    await table.optimise()
                    await asyncio.to_thread(trim)
                await self._vectors.optimise(at_once=at_once)
            await self._opened.postings.merge(everything=at_once)
            await self._opened.postings.save()
            await self.save_names()
            await asyncio.to_thread(self._opened.folder.update_checksums)
        if at_once:
            await self._prune(timedelta(0))
            return
        if self._pruning is not None:
            self._pruning.cancel()
        self._pruning = self._tasks.start(self._prune_later())

    async def save_names(self) -> None:
        """Store the names of the notes, unless the next start will soon have split them into words again."""
        await self._opened.name_file.save(self._opened.known, self._opened.catalogue, MAX_STALE_NOTES)

    async def _prune_later(self) -> None:
        """Remove replaced versions once no search can be reading them."""
        await asyncio.sleep(1.5 * VERSION_AGE.total_seconds())
        try:
            await self._tasks.finish(self._prune(VERSION_AGE))
        except FAILURES as error:
            log.warning("The index could not be pruned: %s", type(error).__name__)

    async def _prune(self, keep: timedelta) -> None:
        async with self.lock:
            with disk_errors(self._opened.folder.path):
                for table in self.tables():
                    await table.prune(keep)
                    await asyncio.to_thread(trim)
