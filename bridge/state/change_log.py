"""Logs the newest changes a second time, in a file beside SQLite's, whose backups are older should it be destroyed.

Each line holds a change's current rows, with its steps, or none if it was deleted. The last line of a change counts.
The file starts over with each backup.
"""

import contextlib
import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bridge.private_files import write_private
from bridge.state.tables import columns_of, insert_row

log = logging.getLogger(__name__)

MAX_BYTES = 2 * 1024 * 1024
"""Length at which a backup is made, which empties the file."""

CHECKSUM_LENGTH = 16
"""Hex digits that verify that a line is complete."""

TABLES = {"change": "id", "step": "change"}
"""Each table with the column of the change's id."""

WATCH_TRIGGER = """
    CREATE TEMP TRIGGER {0}_{2} AFTER {2} ON main.{0} BEGIN INSERT OR IGNORE INTO touched VALUES ({3}.{1}); END;
"""
WATCH_TABLE = "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE touched (change TEXT PRIMARY KEY);" + "".join(
    WATCH_TRIGGER.format(table, column, event, row)
    for table, column in TABLES.items()
    for event, row in (("insert", "new"), ("update", "new"), ("delete", "old"))
)


class ChangeLog:
    """The log file of changes."""

    def __init__(self, connection: sqlite3.Connection, state: Path, overflow: Callable[[], None]) -> None:
        self._overflow = overflow
        self._connection = connection
        self._path = log_path(state)
        connection.executescript(WATCH_TABLE)

    def take_touched(self) -> list[bytes]:
        """Return the lines of changes written since the last call; to be called within the transaction."""
        ids = [change for (change,) in self._connection.execute("SELECT change FROM touched ORDER BY change")]
        if ids:
            self._connection.execute("DELETE FROM touched")
        return [line_of(self._connection, change) for change in ids]

    def append(self, lines: list[bytes]) -> None:
        """Append lines; if the disk does not accept them, only SQLite's file and the next backup have them."""
        if not lines:
            return
        try:
            # On a new line: a crash may have left the last one incomplete.
            with open(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:  # noqa: PTH123
                file.write(b"\n" + b"".join(lines))
        except OSError as error:
            log.warning("The newest changes are not kept a second time: %s", error.strerror)
        if self.is_long:
            self._overflow()

    @property
    def is_long(self) -> bool:
        try:
            return self._path.stat().st_size > MAX_BYTES
        except OSError:
            return False

    def clear(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Rewrite the log with only the changes that SQLite's file still has."""
        with self._connection:
            self._connection.execute("DELETE FROM touched")
        if not self._path.exists():
            return
        stored = [id_ for (id_,) in self._connection.execute("SELECT id FROM change")]
        ids = set(stored).intersection(read_log(self._path))
        write_private(self._path, b"".join(line_of(self._connection, change) for change in sorted(ids)))


def log_path(state: Path) -> Path:
    return state.with_name(f"{state.name}.changes")


def line_of(connection: sqlite3.Connection, change: str) -> bytes:
    found = {table: rows_of(connection, table, column, change) for table, column in TABLES.items()}
    data = json.dumps({"id": change, **found}, separators=(",", ":")).encode()
    return b"%s %s\n" % (checksum(data), data)


def rows_of(connection: sqlite3.Connection, table: str, column: str, change: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {column} = ?", (change,))  # noqa: S608
    names = [name for name, *_ in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:CHECKSUM_LENGTH].encode()


def read_log(path: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return {}
    return {record["id"]: record for record in whole_lines(lines)}


def whole_lines(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        begins, _, data = line.partition(b" ")
        if data and begins == checksum(data):
            yield json.loads(data)


def replay(state: Path, target: sqlite3.Connection) -> None:
    found = read_log(log_path(state))
    for change, record in found.items():
        for table, column in TABLES.items():
            target.execute(f"DELETE FROM {table} WHERE {column} = ?", (change,))  # noqa: S608
            # They may have been written by an older or newer version of the table.
            columns = columns_of(target, table)
            for row in record[table]:
                insert_row(target, table, {name: value for name, value in row.items() if name in columns})
    if found:
        log.warning("%d changes are taken from the log of changes", len(found))
