"""Has work give way: that of other processes to the answering of requests, and one caller's to another's."""

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from typing import Final, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

NICENESS: Final = 10
"""What is added to the priority number of a process that gives way."""


@cache
def lower_priority() -> None:
    """Lower this process's priority, once and for good; without effect where the system does not permit it."""
    with suppress(OSError):
        if sys.platform == "win32":
            import psutil

            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(NICENESS)


CALLER: Final[ContextVar[str]] = ContextVar("CALLER", default="")
"""The name of the caller for whom a task works."""

PLACES: Final = 3


class Turns:
    """Threads for one kind of work that takes long: a caller has one of them at a time, however much it asks for.

    They delay no other work, and an exit does not wait for them.
    """

    def __init__(self, kind: str) -> None:
        self._threads = ThreadPoolExecutor(PLACES, thread_name_prefix=kind)
        self._turns: WeakValueDictionary[tuple[asyncio.AbstractEventLoop, str], asyncio.Lock] = WeakValueDictionary()

    async def run(self, work: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        turn = self._turns.setdefault((loop, CALLER.get()), asyncio.Lock())
        await turn.acquire()
        running = self._threads.submit(work)

        def end_turn(_: object) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(turn.release)

        # Work whose call is cancelled keeps its thread until it ends.
        running.add_done_callback(end_turn)
        return await asyncio.wrap_future(running)
