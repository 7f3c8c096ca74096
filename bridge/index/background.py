"""Background tasks that outlive their caller, and memory housekeeping."""

import asyncio
import ctypes
import gc
import logging
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Timer
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


class Tasks:
    """Running tasks, referenced so that none is garbage-collected."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[Any]) -> None:
        """Drop a finished task; its error goes to those who await it, and otherwise only to the debug log."""
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("A task ended with %s", type(error).__name__)

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Finish work even if the caller is cancelled, so that memory stays consistent with the disk."""
        return await asyncio.shield(self.start(work))


SLICE_S = 0.002
"""Seconds for which background work occupies the event loop at a time."""

PATIENCE_S = 0.1
"""Seconds after which background work goes on although something is searched all the time."""

PAUSE_S = 1.0
"""Seconds without a search after which the next one is not expected at once."""


class Searches:
    """The searches under way, for which background work on the event loop waits."""

    def __init__(self) -> None:
        self._running = 0
        self._ended = -PAUSE_S
        self._over = asyncio.Event()

    def __enter__(self) -> None:
        self._running += 1
        self._over.clear()

    def __exit__(self, *_: object) -> None:
        self._running -= 1
        self._ended = time.monotonic()
        if not self._running:
            self._over.set()

    @property
    def is_pausing(self) -> bool:
        """Whether nothing has been searched for a while, so that work which would slow searches down may begin."""
        return not self._running and time.monotonic() - self._ended >= PAUSE_S

    async def give_way(self, since: float) -> float:
        """Let searches go first, at the end of a slice of background work."""
        if time.perf_counter() - since < SLICE_S:
            return since
        await asyncio.sleep(0)
        if self._running:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), PATIENCE_S)
        return time.perf_counter()

    def give_way_in_thread(self, since: float) -> float:
        """Let searches go first, as `give_way` does, from a thread: only one of them can run Python at a time."""
        if time.perf_counter() - since < SLICE_S:
            return since
        ends = time.perf_counter() + PATIENCE_S
        while self._running and time.perf_counter() < ends:
            time.sleep(SLICE_S)
        return time.perf_counter()


_M_ARENA_MAX = -8
_MAX_ARENAS = 2

_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 4 * 2**20
"""Size from which memory is mapped apart; unless it is set, glibc raises it to that of the largest freed so far."""


@cache
def _libc() -> Any | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None


def limit_memory() -> None:
    """Limit glibc to two heaps, and return large arrays when they are freed; call it before many threads exist."""
    if (libc := _libc()) is not None:
        libc.mallopt(_M_ARENA_MAX, _MAX_ARENAS)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause garbage collection while many long-lived objects are created, then exempt them.

    Collections meanwhile would walk over them again and again, and so would every later full collection, for a tenth
    of a second at 50,000 notes.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


OBJECTS_A_COLLECTION = 10_000
"""New objects after which garbage is collected: more than a search has at any time, hardly any of which are garbage."""


def collect_rarely() -> None:
    """Collect garbage so rarely that no search has to; by default a search of many notes does every other time."""
    gc.set_threshold(OBJECTS_A_COLLECTION)


SOON_S = 2.0
"""Seconds after which the memory that an answer needed is returned."""

_timers: list[Timer] = []


def trim_soon() -> None:
    """Return free memory to the system soon, once for all calls until then."""
    _timers[:] = [timer for timer in _timers if timer.is_alive()]
    if not _timers:
        timer = Timer(SOON_S, trim)
        timer.daemon = True
        timer.start()
        _timers.append(timer)


def trim() -> None:
    """Return free memory to the system."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    if (libc := _libc()) is not None:
        libc.malloc_trim(0)
