"""Gives memory back to the system: glibc keeps what LanceDB's threads freed, several times what is in use."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from typing import Any

_M_ARENA_MAX = -8
_ARENAS = 2


@cache
def _libc() -> Any | None:
    """Return glibc, or None where there is another C library."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None


def few_arenas() -> None:
    """Let all threads share two heaps; to be called before there are many threads."""
    if (libc := _libc()) is not None:
        libc.mallopt(_M_ARENA_MAX, _ARENAS)


@contextmanager
def settling() -> Iterator[None]:
    """Make many objects that stay.

    Collecting garbage meanwhile would walk over them again and again, and so would every full collection afterwards,
    for a tenth of a second at 50,000 notes.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()


SOON_S = 2.0
"""Seconds after which memory is given back that one answer needed."""

_timers: list[Timer] = []


def trim_soon() -> None:
    """Return free memory to the system in a moment, once for all who ask until then."""
    _timers[:] = [timer for timer in _timers if timer.is_alive()]
    if not _timers:
        timer = Timer(SOON_S, trim)
        timer.daemon = True
        timer.start()
        _timers.append(timer)


def trim() -> None:
    """Return free memory to the system."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if (libc := _libc()) is not None:
        libc.malloc_trim(0)
