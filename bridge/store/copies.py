"""Backups of the file: the current one, and the last of each of three days before."""

import contextlib
import sqlite3
import time
from pathlib import Path

from bridge.private import put
from bridge.store.calls import DAY_S
from bridge.store.opening import check

KEPT = 3


def copies(path: Path) -> list[Path]:
    """Return the backups there are, the newest first."""
    return [place for number in range(KEPT + 1) if (place := copy(path, number)).exists()]


def copy(path: Path, number: int) -> Path:
    """Name the place of a backup; 0 is the current one."""
    return path.with_name(f"{path.name}.backup" + (f"-{number}" if number else ""))


def is_due(path: Path) -> bool:
    """Say whether there is no backup of the last day."""
    return time.time() - made(copy(path, 0)) > DAY_S


def made(file: Path) -> float:
    """Return when a file was written, in seconds since 1970; 0 when there is none."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def back_up(connection: sqlite3.Connection, path: Path) -> None:
    """Make a backup the current one; whatever goes wrong, the ones there are stay.

    Raises:
        Damaged: What would be copied is not in order.
        sqlite3.Error: It cannot be copied.
        OSError: The disk is in the way.
    """
    fresh = path.with_name(f"{path.name}.backup.new")
    fresh.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(fresh)) as target:
            fresh.chmod(0o600)
            connection.backup(target)
            # A backup is one file: without this it would be opened with a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
            check(target)
        rotate(path)
        put(fresh, copy(path, 0))
    finally:
        # On a full disk half a copy takes the room that the file itself needs, as does its log, which then stays.
        for end in ("", "-wal", "-shm"):
            fresh.with_name(f"{fresh.name}{end}").unlink(missing_ok=True)


def rotate(path: Path) -> None:
    """Keep the current backup as the first of the older ones if it is the last of a day that is over, or the first."""
    if copy(path, 1).exists() and made(copy(path, 0)) // DAY_S == time.time() // DAY_S:
        return
    for number in reversed(range(KEPT)):
        if copy(path, number).exists():
            copy(path, number).replace(copy(path, number + 1))
