"""Takes the paths of notes out of what is kept."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from bridge.store import calls, changes, growth, verdicts
from bridge.store.condition import Damaged, Newer
from bridge.store.opening import opened
from bridge.types import VaultPath


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Take notes out of a file."""
    failed = [(path,) for (path,) in connection.execute("SELECT path FROM failed") if denied(VaultPath(path))]
    with connection:
        connection.executemany("DELETE FROM failed WHERE path = ?", failed)
        calls.forget(connection, denied)
        verdicts.forget(connection, denied)
        growth.forget(connection, denied)
        changes.forget(connection, denied)
    # Deleted text is overwritten, but SQLite leaves some behind where it moved rows between pages.
    connection.execute("VACUUM")


def forget_in(backup: Path, denied: Callable[[VaultPath], bool]) -> None:
    """Take notes out of a backup; one that cannot be understood is deleted, since nobody can say what it still holds.

    Raises:
        BridgeError: The disk is in the way.
        sqlite3.Error: The disk is in the way.
        OSError: The disk is in the way.
    """
    made = backup.stat()
    try:
        with contextlib.closing(opened(backup, new=False)) as connection:
            forget(connection, denied)
            connection.execute("PRAGMA journal_mode = DELETE")
    except (Damaged, Newer):
        backup.unlink()
        return
    # It is still as old as it was.
    os.utime(backup, ns=(made.st_atime_ns, made.st_mtime_ns))
