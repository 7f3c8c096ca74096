"""When a file was created, as the system tells."""

import ctypes
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_HERE: Final = -100
"""AT_FDCWD: names are whole paths."""
_BIRTH: Final = 0x800
"""STATX_BTIME: that time is asked for, and known."""
_STATX: Final = struct.Struct("=I76xqI164x")
"""The mask, and the seconds and nanoseconds of the birth; all that `struct statx` has is 256 bytes."""


def birth_time(path: Path) -> float | None:
    """Return when a file was created, in seconds since 1970; None if it is gone, or its disk does not keep this."""
    try:
        found: float | None = getattr(path.stat(), "st_birthtime", None) if _ask_linux is None else _ask_linux(path)
    except OSError:
        return None
    return found


def _linux_call() -> Callable[[Path], float | None] | None:
    """Return a function that asks Linux, which tells Python from version 3.15 on only; None for other systems."""
    statx = getattr(ctypes.CDLL(None), "statx", None) if sys.platform == "linux" else None
    if statx is None:
        return None

    def ask(path: Path) -> float | None:
        facts = ctypes.create_string_buffer(_STATX.size)
        if statx(_HERE, os.fsencode(path), 0, _BIRTH, facts) != 0:
            return None
        mask, seconds, nanoseconds = _STATX.unpack(facts.raw)
        return float(seconds + nanoseconds / 1e9) if mask & _BIRTH and seconds > 0 else None

    return ask


_ask_linux: Final = _linux_call()
