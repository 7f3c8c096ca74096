"""Opens one SQLite file and makes sure that it is in order."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bridge.errors import BridgeError, Busy, DiskFull, ReadOnly, StateUnusable
from bridge.private_files import write_error
from bridge.state.schema import FAILING, DamagedDatabase, NewerDatabase, migrate

ROOM = 256 * 1024
"""Bytes that a disk must take before SQLite's trouble is put down to something else than a lack of room."""


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
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
        raise to_bridge_error(path, error) from None
    except OSError as error:
        raise write_error(path, error) from None


def to_bridge_error(path: Path, error: sqlite3.Error) -> BridgeError:
    """Say what an error of SQLite means to whoever wants to use the file."""
    match primary_code(error):
        case sqlite3.SQLITE_FULL:
            return DiskFull(f"There is no room for {path}.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(f"Another program has {path} locked.", hint="Close it there; nothing is lost meanwhile.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            # SQLite says any of these of a full disk, a folder without rights and a spoilt file: the disk knows better.
            return write_refusal(path) or StateUnusable(f"{path} cannot be used: {error_name(error)}.")
        case _:
            return StateUnusable(f"{path} cannot be used: {error_name(error)}.")


def primary_code(error: sqlite3.Error) -> int | None:
    """Return the code without its details; None for what SQLite itself did not raise."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def error_name(error: sqlite3.Error) -> str:
    """Name an error as SQLite's documentation does, without the words of a statement."""
    return str(getattr(error, "sqlite_errorname", type(error).__name__))


def write_refusal(path: Path) -> BridgeError | None:
    """Write a little beside a file, and return what the system has against it or against writing the file."""
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return ReadOnly(f"{path} cannot be written.")
    try:
        with tempfile.TemporaryFile(dir=path.parent, buffering=0) as file:
            left = memoryview(os.urandom(ROOM))
            while left:
                left = left[file.write(left) :]
    except OSError as error:
        return write_error(path, error)
    return None


PATIENCE_S = 1.0
"""Seconds that another program may have the file locked."""


def open_database(path: Path, *, new: bool) -> sqlite3.Connection:
    """Open a file, check it, and bring it to the newest version.

    Args:
        path: The file.
        new: Whether it may be new or empty.

    Raises:
        Damaged: It is not in order.
        Newer: A newer version wrote it.
        BridgeError: The disk or another program is in the way.
    """
    connection = connect(path)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Only macOS knows this: what is synced is on the disk, and not only in its cache.
        connection.execute("PRAGMA fullfsync = ON")
        # What is deleted is overwritten: the path of a note that is denied now must not stay in the file.
        connection.execute("PRAGMA secure_delete = ON")
        if not new and connection.execute("PRAGMA user_version").fetchone() == (0,):
            raise DamagedDatabase("it is empty")
        check(connection)
        migrate(connection)
    except (*FAILING, OSError) as error:
        connection.close()
        raise classify_error(path, error) from None
    except (DamagedDatabase, NewerDatabase):
        connection.close()
        raise
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """Open a file without a look at it.

    Raises:
        Damaged: It is no file.
        BridgeError: The disk is in the way.
    """
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_S, check_same_thread=False)
    except sqlite3.Error as error:
        raise classify_error(path, error) from None
    # Before WAL: its index is then kept in memory instead of in a mapped file, and a write to a mapped file for which
    # the disk has no room ends the process. Nobody else opens the file, since the vault is held.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.text_factory = decode_lenient
    return connection


def classify_error(path: Path, error: Exception) -> BridgeError | DamagedDatabase:
    """Return an error of the disk as what it means, and one that only the file itself can cause as damage."""
    match error:
        case sqlite3.Error():
            meant = to_bridge_error(path, error)
            return DamagedDatabase(error_name(error)) if isinstance(meant, StateUnusable) else meant
        case OSError():
            return write_error(path, error)
        case _:
            return DamagedDatabase(type(error).__name__)


def check(connection: sqlite3.Connection) -> None:
    """Let only a file pass that SQLite finds in order.

    Raises:
        Damaged: It is not.
        sqlite3.Error: It cannot be read.
    """
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise DamagedDatabase("quick_check failed")


def is_sound(path: Path) -> bool:
    """Say whether SQLite finds a file in order."""
    try:
        with contextlib.closing(connect(path)) as connection:
            check(connection)
    except (BridgeError, DamagedDatabase, *FAILING):
        return False
    return True


def decode_lenient(text: bytes) -> str:
    """Decode what may be spoilt."""
    return text.decode("utf-8", "replace")
