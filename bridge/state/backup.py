"""Backs the file up and salvages it: keeps the current backup, and the last of each of three earlier days."""

import contextlib
import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bridge.errors import BridgeError
from bridge.private_files import modified_at, move_into_place
from bridge.state.call_log import DAY_S
from bridge.state.change_log import replay
from bridge.state.database import check, connect, is_sound, open_database
from bridge.state.schema import FAILING, DamagedDatabase
from bridge.state.tables import Subject, columns_of, insert_row

KEPT = 3


def list_backups(path: Path) -> list[Path]:
    return [place for number in range(KEPT + 1) if (place := backup_path(path, number)).exists()]


def backup_path(path: Path, number: int) -> Path:
    """Return the path of a backup; 0 is the current one."""
    return path.with_name(f"{path.name}.backup" + (f"-{number}" if number else ""))


def is_due(path: Path) -> bool:
    return time.time() - modified_at(backup_path(path, 0)) > DAY_S


def back_up(connection: sqlite3.Connection, path: Path) -> None:
    """Make a new current backup; the existing ones are kept if anything goes wrong."""
    fresh = path.with_name(f"{path.name}.backup.new")
    fresh.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(fresh)) as target:
            fresh.chmod(0o600)
            connection.backup(target)
            check(target)
            # A backup is one file: without this it would be opened with a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
        rotate(path)
        move_into_place(fresh, backup_path(path, 0))
    finally:
        # On a full disk a partial copy takes the space that the file itself needs, as does its log, which then stays.
        for end in ("", "-wal", "-shm"):
            fresh.with_name(f"{fresh.name}{end}").unlink(missing_ok=True)


def rotate(path: Path) -> None:
    """Keep the current backup as the first older one if it is the last of a past day, or if there is no older one."""
    if backup_path(path, 1).exists() and modified_at(backup_path(path, 0)) // DAY_S == time.time() // DAY_S:
        return
    for number in reversed(range(KEPT)):
        if backup_path(path, number).exists():
            backup_path(path, number).replace(backup_path(path, number + 1))


log = logging.getLogger(__name__)

TRIES = 20_000
"""Failed reads of a table before the rest of it is given up."""

ROWS = 1 << 40
"""More rows than a table ever has."""


def salvage(path: Path, subjects: Sequence[Subject]) -> None:
    """Replace a damaged or lost file by the merged content of all sources; the damaged one is set aside."""
    fresh = path.with_name(f"{path.name}.salvaged")
    for leftover in (fresh, sidecar_path(fresh, "-wal")):
        leftover.unlink(missing_ok=True)
    with contextlib.closing(open_database(fresh, subjects, new=True)) as target:
        for source in sources(path):
            with target:
                merge_source(source, target, subjects)
        with target:
            for subject in subjects:
                if subject.after_merge is not None:
                    subject.after_merge(target)
            replay(path, target)
        # Back to one file, without a log beside it.
        target.execute("PRAGMA journal_mode = DELETE")
    set_aside(path)
    move_into_place(fresh, path)


def sources(path: Path) -> list[Path]:
    """Return all files that may hold data: intact ones first, newest first."""
    found = [file for file in (path, *list_backups(path)) if file.exists()]
    return sorted(found, key=lambda file: (not is_sound(file), found.index(file)))


def merge_source(source: Path, target: sqlite3.Connection, subjects: Sequence[Subject]) -> None:
    try:
        connection = connect(source)
    except (BridgeError, DamagedDatabase):
        return
    with contextlib.closing(connection):
        # Otherwise SQLite reads nothing from a file that is truncated, or whose schema is partly damaged.
        connection.execute("PRAGMA writable_schema = ON")
        for table in (table for subject in subjects for table in subject.tables):
            if table.merge is None:
                continue
            taken = 0
            columns = shared_columns(connection, target, table.name)
            for row in rows(connection, table.name, columns):
                # A value that does not fit its column was damaged.
                with contextlib.suppress(sqlite3.IntegrityError):
                    taken += insert_row(target, table.name, dict(zip(columns, row, strict=True)), table.merge)
            if taken:
                log.warning("%d rows of %s are taken from %s", taken, table.name, source.name)


def shared_columns(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> list[str]:
    try:
        columns = columns_of(source, table)
    except FAILING:
        return []
    return [name for name in columns_of(target, table) if name in columns]


def rows(connection: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield the readable rows of a table, including those behind damaged pages."""
    if not columns:
        return
    query = f"SELECT {', '.join(columns)} FROM {table} WHERE rowid BETWEEN ? AND ?"  # noqa: S608
    ranges, tries = [(1, ROWS)], TRIES
    while ranges and tries:
        low, high = ranges.pop()
        try:
            yield from connection.execute(query, (low, high)).fetchall()
        except FAILING:
            tries -= 1
            middle = (low + high) // 2
            ranges += [(middle + 1, high), (low, middle)] if low < high else []


def set_aside(path: Path) -> None:
    """Rename a damaged file and its log, never overwriting an earlier one."""
    number = next(n for n in range(1, 1_000_000) if not damaged_path(path, n).exists())
    # A log left behind would be taken for the new file's.
    for end in ("-wal", ""):
        with contextlib.suppress(FileNotFoundError):
            sidecar_path(path, end).replace(sidecar_path(damaged_path(path, number), end))


def damaged_files(path: Path) -> list[Path]:
    return sorted(file for file in path.parent.glob(f"{path.name}.damaged-*") if file.is_file())


def damaged_path(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.damaged-{number}")


def sidecar_path(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)
