"""A subject of the state: its tables, and what becomes of rows when notes are denied or moved, or the file is lost."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager

from bridge.records import Record
from bridge.types import VaultPath

Denied = Callable[[VaultPath], bool]
"""Returns whether a path is denied."""
Moved = Mapping[VaultPath, VaultPath]
"""The new path of each moved note, by its old one."""
Begin = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Opens a write transaction, which ends with the block."""


class StateTable(Record):
    """A table, and how its rows are merged.

    Attributes:
        name: Its name. It must have row ids, since a damaged file is read by them.
        merge: The conflict clause with which a row of another copy of the file is inserted; None for rows that are
            made again by themselves.
        paths: Columns that hold the path of a note or nothing. A row is deleted when one of them is denied, and follows
            moves.
        join: The conflict clause for rows that become one by a move; the moved row stands by default.
    """

    name: str
    merge: str | None
    paths: tuple[str, ...] = ()
    join: str = ""


class Subject(Record):
    """The tables of one subject, such as those of a feature.

    Attributes:
        name: Its name; never changed once released.
        tables: Its tables.
        migrations: SQL scripts that create and alter them; never edited once released, only added to.
        forget: Removes denied notes from what `paths` cannot describe, such as lists; called on backups, too.
        move: Updates the paths of moved notes in it; of much data, in several transactions, between which others write.
        after_merge: Settles what rows merged from several copies contradict.
    """

    name: str
    tables: tuple[StateTable, ...]
    migrations: tuple[str, ...] = ()
    forget: Callable[[sqlite3.Connection, Denied], None] | None = None
    move: Callable[[Begin, Moved], None] | None = None
    after_merge: Callable[[sqlite3.Connection], None] | None = None


def forget_notes(connection: sqlite3.Connection, subjects: Iterable[Subject], denied: Denied) -> None:
    """Remove denied notes from all tables, in one transaction; the file keeps no trace of them."""
    with connection:
        for subject in subjects:
            for table in subject.tables:
                _forget_rows(connection, table, denied)
            if subject.forget is not None:
                subject.forget(connection, denied)
    # Deleted text is overwritten, but SQLite leaves some behind where it moved rows between pages.
    connection.execute("VACUUM")


def move_notes(begin: Begin, subjects: Iterable[Subject], moved: Moved) -> None:
    """Update the paths of moved notes in all tables, in a transaction for each subject or more."""
    for subject in subjects:
        with begin() as connection:
            for table in subject.tables:
                _move_rows(connection, table, moved)
        if subject.move is not None:
            subject.move(begin, moved)


def _forget_rows(connection: sqlite3.Connection, table: StateTable, denied: Denied) -> None:
    if table.paths:
        rows = connection.execute(f"SELECT rowid, {', '.join(table.paths)} FROM {table.name}")  # noqa: S608
        gone = [(id_,) for id_, *paths in rows if any(path and denied(path) for path in paths)]
        connection.executemany(f"DELETE FROM {table.name} WHERE rowid = ?", gone)  # noqa: S608


def _move_rows(connection: sqlite3.Connection, table: StateTable, moved: Moved) -> None:
    if not table.paths:
        return
    ids = connection.execute(f"SELECT rowid, {', '.join(table.paths)} FROM {table.name}")  # noqa: S608
    moving = [(id_,) for id_, *paths in ids if not moved.keys().isdisjoint(paths)]
    rows = []
    for id_ in moving:
        cursor = connection.execute(f"SELECT * FROM {table.name} WHERE rowid = ?", id_)  # noqa: S608
        row = dict(zip((name for name, *_ in cursor.description), cursor.fetchone(), strict=True))
        rows.append(row | {column: moved.get(row[column], row[column]) for column in table.paths})
    # All of them first: notes may swap their paths.
    connection.executemany(f"DELETE FROM {table.name} WHERE rowid = ?", moving)  # noqa: S608
    for row in rows:
        insert_row(connection, table.name, row, table.join)


def insert_row(connection: sqlite3.Connection, table: str, row: Mapping[str, object], conflict: str = "") -> int:
    """Insert a row; return the number of rows written."""
    verb = "INSERT" if conflict else "INSERT OR REPLACE"
    query = f"{verb} INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) {conflict}"
    return connection.execute(query, tuple(row.values())).rowcount


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
