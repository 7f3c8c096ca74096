"""Keeps changes to the same notes apart."""

import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterator
from contextlib import asynccontextmanager

from bridge.engine.signal import Signal
from bridge.types import VaultPath

LONG_S = 1.0
"""Seconds from which on a change says for what it waited."""


class Hold:
    """The notes that one change has locked."""

    def __init__(self, work: str, paths: Collection[VaultPath] | None, *, wide: bool = False) -> None:
        self.work = work
        """What is done with them."""
        self.wide = wide
        """Whether it chooses its notes while others go on."""
        self.waited = ""
        """For what it waited long, as a sentence."""
        self.passed: set[VaultPath] = set()
        """What others have locked since it began to choose."""
        self.take(paths)

    def take(self, paths: Collection[VaultPath] | None) -> None:
        """Have these notes from now on; None for every present and future one."""
        self.paths = None if paths is None else frozenset(paths)
        # The folders around them.
        self.around = frozenset(folder for path in self.paths or () for folder in folders_of(path))

    def overlaps(self, other: "Hold") -> bool:
        """Return whether two have a note in common; a folder stands for what is in it."""
        if self.paths is None or other.paths is None:
            return self.paths != frozenset() and other.paths != frozenset()
        return not (
            self.paths.isdisjoint(other.paths)
            and self.paths.isdisjoint(other.around)
            and self.around.isdisjoint(other.paths)
        )


class PathLocks:
    """Locks notes for one change at a time: all of its notes at once or none, so that no deadlock can occur.

    A change that may touch any note has none at first, and then claims those that it turns out to need. Others go on
    with the rest; only one of such changes runs at a time.
    """

    def __init__(self) -> None:
        self._holds: list[Hold] = []
        self._freed = Signal()

    @asynccontextmanager
    async def hold(self, paths: Collection[VaultPath] | None, work: str = "") -> AsyncGenerator[Hold, None]:
        """Lock notes until the block is left."""
        mine = Hold(work, () if paths is None else paths, wide=paths is None)
        await self._wait(mine, lambda other: other.overlaps(mine) or (other.wide and mine.wide))
        self._holds.append(mine)
        for other in self._holds:
            other.passed.update(mine.paths or ())
        try:
            yield mine
        finally:
            self._holds.remove(mine)
            self._freed.notify()

    def choose(self, mine: Hold) -> None:
        """Begin to choose notes: `passed` has what others have locked since."""
        mine.passed = {path for other in self._holds if other is not mine for path in other.paths or ()}

    async def claim(self, mine: Hold, paths: Collection[VaultPath] | None) -> None:
        """Lock other notes instead, None for all, once those who have them are done; nobody else gets them before."""
        mine.take(paths)
        self._freed.notify()
        await self._wait(mine, lambda other: other is not mine and other.overlaps(mine))

    async def _wait(self, mine: Hold, blocks: Callable[[Hold], bool]) -> None:
        since, work = time.monotonic(), None
        while blocking := next(filter(blocks, self._holds), None):
            work = blocking.work
            await self._freed.wait()
        waited = time.monotonic() - since
        if work is not None and waited >= LONG_S:
            mine.waited = f"It waited {waited:.0f} s for another change to end{work and f': `{work}`'}."


def folders_of(path: VaultPath) -> Iterator[VaultPath]:
    while path := VaultPath(path.rpartition("/")[0]):
        yield path
