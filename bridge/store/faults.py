"""What SQLite says of a file, as errors a caller can act on."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bridge.errors import BridgeError, Busy, DiskFull, ReadOnly, StateUnusable
from bridge.private import unwritable

ROOM = 256 * 1024
"""Bytes that a disk must take before SQLite's trouble is put down to something else than a lack of room."""


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what goes wrong with a file as errors of the bridge.

    Raises:
        DiskFull: There is no room.
        ReadOnly: It cannot be written.
        Busy: Another program has it locked.
        StateUnusable: Anything else.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise told(path, error) from None
    except OSError as error:
        raise unwritable(path, error) from None


def told(path: Path, error: sqlite3.Error) -> BridgeError:
    """Say what an error of SQLite means to whoever wants to use the file."""
    match primary(error):
        case sqlite3.SQLITE_FULL:
            return DiskFull(f"There is no room for {path}.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(f"Another program has {path} locked.", hint="Close it there; nothing is lost meanwhile.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            # SQLite says any of these of a full disk, a folder without rights and a spoilt file: the disk knows better.
            return refusal(path) or StateUnusable(f"{path} cannot be used: {name(error)}.")
        case _:
            return StateUnusable(f"{path} cannot be used: {name(error)}.")


def primary(error: sqlite3.Error) -> int | None:
    """Return the code without its details; None for what SQLite itself did not raise."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def name(error: sqlite3.Error) -> str:
    """Name an error as SQLite's documentation does, without the words of a statement."""
    return str(getattr(error, "sqlite_errorname", type(error).__name__))


def refusal(path: Path) -> BridgeError | None:
    """Write a little beside a file, and return what the system has against it or against writing the file."""
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return ReadOnly(f"{path} cannot be written.")
    try:
        with tempfile.TemporaryFile(dir=path.parent, buffering=0) as file:
            left = memoryview(os.urandom(ROOM))
            while left:
                left = left[file.write(left) :]
    except OSError as error:
        return unwritable(path, error)
    return None
