"""A process for what would hold up every thread of this one."""

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

from bridge.errors import Busy

IDLE_S = 120.0
"""Seconds without work after which the process ends and gives its memory back."""

P = ParamSpec("P")
T = TypeVar("T")


class Apart:
    """Runs functions in one process beside this one, which starts with the first and ends when idle."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._running = 0
        self._ending: asyncio.TimerHandle | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of a module; all that goes in and comes out is pickled.

        Raises:
            Busy: The process was ended from outside, twice.
        """
        self._running += 1
        if self._ending is not None:
            self._ending.cancel()
        try:
            for _ in range(2):
                # Spawned, never forked: LanceDB's threads do not survive a fork.
                self._pool = self._pool or ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
                pool = self._pool
                try:
                    return await asyncio.wrap_future(pool.submit(work, *args, **kwargs))
                except BrokenProcessPool:
                    self._drop(pool)
            raise Busy("The process that measures the graph was ended.", hint="Ask again; is there enough memory?")
        finally:
            self._running -= 1
            if not self._running:
                self._ending = asyncio.get_running_loop().call_later(IDLE_S, self.close)

    def close(self) -> None:
        """End the process; what it still does is lost."""
        if self._ending is not None:
            self._ending.cancel()
        if self._pool is not None:
            self._drop(self._pool)

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        """Let go of a pool; the next work starts another."""
        if pool is self._pool:
            self._pool = None
        pool.shutdown(wait=False, cancel_futures=True)
