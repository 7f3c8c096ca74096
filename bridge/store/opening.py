"""Opens one SQLite file and makes sure that it is in order."""

import contextlib
import sqlite3
from pathlib import Path

from bridge.errors import BridgeError, StateUnusable
from bridge.private import unwritable
from bridge.store.condition import FAILING, Damaged, Newer
from bridge.store.faults import name, told
from bridge.store.schema import migrate

PATIENCE_S = 1.0
"""Seconds that another program may have the file locked."""


def opened(path: Path, *, new: bool) -> sqlite3.Connection:
    """Open a file, check it, and bring it to the newest version.

    Args:
        path: The file.
        new: Whether it may be new or empty.

    Raises:
        Damaged: It is not in order.
        Newer: A newer version wrote it.
        BridgeError: The disk or another program is in the way.
    """
    connection = connected(path)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Only macOS knows this: what is synced is on the disk, and not only in its cache.
        connection.execute("PRAGMA fullfsync = ON")
        # What is deleted is overwritten: the path of a note that is denied now must not stay in the file.
        connection.execute("PRAGMA secure_delete = ON")
        if not new and connection.execute("PRAGMA user_version").fetchone() == (0,):
            raise Damaged("it is empty")
        check(connection)
        migrate(connection)
    except (*FAILING, OSError) as error:
        connection.close()
        raise judged(path, error) from None
    except (Damaged, Newer):
        connection.close()
        raise
    return connection


def connected(path: Path) -> sqlite3.Connection:
    """Open a file without a look at it.

    Raises:
        Damaged: It is no file.
        BridgeError: The disk is in the way.
    """
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_S, check_same_thread=False)
    except sqlite3.Error as error:
        raise judged(path, error) from None
    # Before WAL: its index is then kept in memory instead of in a mapped file, and a write to a mapped file for which
    # the disk has no room ends the process. Nobody else opens the file, since the vault is held.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.text_factory = readable
    return connection


def judged(path: Path, error: Exception) -> BridgeError | Damaged:
    """Return an error of the disk as what it means, and one that only the file itself can cause as damage."""
    match error:
        case sqlite3.Error():
            meant = told(path, error)
            return Damaged(name(error)) if isinstance(meant, StateUnusable) else meant
        case OSError():
            return unwritable(path, error)
        case _:
            return Damaged(type(error).__name__)


def check(connection: sqlite3.Connection) -> None:
    """Let only a file pass that SQLite finds in order.

    Raises:
        Damaged: It is not.
        sqlite3.Error: It cannot be read.
    """
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise Damaged("quick_check failed")


def is_sound(path: Path) -> bool:
    """Say whether SQLite finds a file in order."""
    try:
        with contextlib.closing(connected(path)) as connection:
            check(connection)
    except (BridgeError, Damaged, *FAILING):
        return False
    return True


def readable(text: bytes) -> str:
    """Decode what may be spoilt."""
    return text.decode("utf-8", "replace")
