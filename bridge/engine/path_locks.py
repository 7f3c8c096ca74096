"""Keeps changes to the same notes apart."""

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager

from bridge.engine.signal import Signal
from bridge.types import VaultPath


class PathLocks:
    """Locks notes for one change at a time: all of its notes at once or none, so that no deadlock can occur."""

    def __init__(self) -> None:
        self._locked: set[VaultPath] = set()
        self._alone = False
        self._waiting_alone = 0
        self._freed = Signal()

    @asynccontextmanager
    async def hold(self, paths: Collection[VaultPath] | None) -> AsyncGenerator[None, None]:
        """Lock notes until the block is left.

        Args:
            paths: The notes; None for every present and future note.
        """
        notes = None if paths is None else frozenset(paths)
        await self._acquire(notes)
        try:
            yield
        finally:
            if notes is None:
                self._alone = False
            else:
                self._locked -= notes
            self._freed.notify()

    async def _acquire(self, notes: frozenset[VaultPath] | None) -> None:
        """Wait until the notes are free; a waiter for all notes goes before later ones."""
        if notes is None:
            self._waiting_alone += 1
            try:
                while self._alone or self._locked:
                    await self._freed.wait()
                self._alone = True
            finally:
                self._waiting_alone -= 1
                self._freed.notify()
            return
        while self._alone or self._waiting_alone or not self._locked.isdisjoint(notes):
            await self._freed.wait()
        self._locked |= notes
