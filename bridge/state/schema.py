"""Defines the tables, and brings those of a subject up to date by its migrations."""

import contextlib
import sqlite3
from collections.abc import Sequence
from functools import cache

from bridge.state.tables import Subject

FAILING = (sqlite3.Error, MemoryError, UnicodeDecodeError)
"""Raised by reads of a damaged file: a damaged length may ask for too much memory, or a name may not be UTF-8."""


class DamagedDatabase(Exception):
    """The database file is damaged."""


class NewerDatabase(Exception):
    """A newer version wrote the database file."""


VERSION = 11

SCHEMA = """
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE failed (path TEXT PRIMARY KEY, digest TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
    CREATE TABLE call (
        id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, tool TEXT NOT NULL, client TEXT, version TEXT,
        session TEXT, transport TEXT, code TEXT, ms REAL NOT NULL, tokens INTEGER NOT NULL, paths TEXT NOT NULL
    ) STRICT;
    CREATE INDEX call_time ON call (time);
    CREATE TABLE judged (tool TEXT PRIMARY KEY, helped INTEGER NOT NULL, missed INTEGER NOT NULL) STRICT;
    CREATE TABLE verdict (
        source TEXT NOT NULL, target TEXT NOT NULL, form TEXT NOT NULL,
        accepted INTEGER NOT NULL, declined INTEGER NOT NULL, seen INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (source, target, form)
    ) STRICT;
    CREATE TABLE graph_day (
        day TEXT PRIMARY KEY, notes INTEGER NOT NULL, links INTEGER NOT NULL, stubs INTEGER NOT NULL,
        changes TEXT NOT NULL, state BLOB
    ) STRICT;
    CREATE TABLE change (
        id TEXT PRIMARY KEY, time REAL NOT NULL, client TEXT, session TEXT, operation TEXT NOT NULL, reason TEXT,
        state TEXT NOT NULL, expires REAL, facts TEXT NOT NULL
    , made TEXT) STRICT;
    CREATE INDEX change_state ON change (state);
    CREATE TABLE step (
        change TEXT NOT NULL, pending INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
        path TEXT NOT NULL, target TEXT, before TEXT, after TEXT, now TEXT NOT NULL, gone TEXT, inode TEXT,
        PRIMARY KEY (change, pending, number)
    ) STRICT;
    CREATE INDEX step_now ON step (now);
    CREATE INDEX change_made ON change (coalesce(made, id));
    CREATE TABLE subject (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
"""  # noqa: E501 - as SQLite keeps it, and compares it with the file
"""The tables of before each subject had migrations and a version of its own; an inode may be greater than integers."""

FAR = 1_000
"""Versions ahead of ours that no release will reach: such a number means damage."""


def migrate(connection: sqlite3.Connection, subjects: Sequence[Subject] = ()) -> None:
    """Migrate a file to the newest version: first the program's tables, and then those of the subjects."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    require_known(version, VERSION)
    if not version:
        connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
    elif version < VERSION:
        raise DamagedDatabase(f"its version {version} was never released")
    versions: dict[str, int] = dict(connection.execute("SELECT name, version FROM subject"))
    if unknown := versions.keys() - {subject.name for subject in subjects}:
        # Nobody would erase their rows of denied notes.
        raise NewerDatabase(f"written by a version with more features ({', '.join(sorted(unknown))})")
    scripts: list[str] = []
    for subject in subjects:
        version = versions.get(subject.name, 0)
        require_known(version, newest := len(subject.migrations))
        if missing := subject.migrations[version:]:
            note = f"INSERT OR REPLACE INTO subject VALUES ('{subject.name}', {newest});"  # noqa: S608 - our own name
            scripts += *missing, note
    if scripts:
        connection.executescript(f"BEGIN; {''.join(scripts)} COMMIT;")
    expected = tables_made_by("".join((SCHEMA, *(script for one in subjects for script in one.migrations))))
    if not expected <= tables(connection):
        raise DamagedDatabase("it lacks tables")


def require_known(version: int, newest: int) -> None:
    if not 0 <= version <= newest + FAR:
        raise DamagedDatabase(f"its version {version} cannot be right")
    if version > newest:
        raise NewerDatabase(f"written by a newer version ({version}, this one knows {newest})")


@cache
def tables_made_by(script: str) -> frozenset[str]:
    with contextlib.closing(sqlite3.connect(":memory:")) as blank:
        blank.executescript(script)
        return tables(blank)


def tables(connection: sqlite3.Connection) -> frozenset[str]:
    found = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return frozenset(sql for (sql,) in found)
