"""One open SQLite file, which several threads use in turn, and its tables, which migrations bring up to date."""

import contextlib
import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from bridge.errors import BridgeError, Busy, DiskFull, ReadOnly, StateUnusable
from bridge.private_files import write_error
from bridge.state.change_log import ChangeLog
from bridge.state.tables import Subject

READ_FAILURES = (sqlite3.Error, MemoryError, UnicodeDecodeError)
"""Raised by reads of a damaged file: a damaged length may ask for too much memory, or a name may not be UTF-8."""


class DamagedDatabase(Exception):
    """The database file is damaged."""


class NewerDatabase(Exception):
    """A newer version wrote the database file."""


SCHEMA_VERSION = 11

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

MAX_VERSIONS_AHEAD = 1_000
"""Versions ahead of ours that no release will reach: such a number means damage."""


def migrate(connection: sqlite3.Connection, subjects: Sequence[Subject] = ()) -> None:
    """Migrate a file to the newest version: first the program's tables, and then those of the subjects."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    require_known(version, SCHEMA_VERSION)
    if not version:
        connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
    elif version < SCHEMA_VERSION:
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
    if not 0 <= version <= newest + MAX_VERSIONS_AHEAD:
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


PROBE_BYTES = 256 * 1024
"""Bytes written to test the disk before an SQLite error is put down to something other than lack of space."""


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise to_bridge_error(path, error) from None
    except OSError as error:
        raise write_error(path, error) from None


def to_bridge_error(path: Path, error: sqlite3.Error) -> BridgeError:
    match primary_code(error):
        case sqlite3.SQLITE_FULL:
            return DiskFull(f"The disk is full: no space for {path}.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(
                f"{path} is locked by another program.", hint="Close that program; nothing is lost in the meantime."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            # SQLite raises any of these for a full disk, missing permissions and a damaged file, so the disk is tested.
            return write_refusal(path) or StateUnusable(f"{path} cannot be used: {error_name(error)}.")
        case _:
            return StateUnusable(f"{path} cannot be used: {error_name(error)}.")


def primary_code(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def error_name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", type(error).__name__))


def write_refusal(path: Path) -> BridgeError | None:
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return ReadOnly(f"{path} is not writable.")
    try:
        with tempfile.TemporaryFile(dir=path.parent, buffering=0) as file:
            left = memoryview(os.urandom(PROBE_BYTES))
            while left:
                left = left[file.write(left) :]
    except OSError as error:
        return write_error(path, error)
    return None


PATIENCE_S = 1.0
"""Seconds for which another program may have the file locked."""


def open_database(path: Path, subjects: Sequence[Subject], *, new: bool) -> sqlite3.Connection:
    """Open a file, check it, and migrate it to the newest version."""
    connection = connect(path)
    try:
        path.chmod(0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Only macOS knows this: synced data is then on the disk, and not only in its cache.
        connection.execute("PRAGMA fullfsync = ON")
        # Deleted data is overwritten: the path of a denied note must not stay in the file.
        connection.execute("PRAGMA secure_delete = ON")
        if not new and connection.execute("PRAGMA user_version").fetchone() == (0,):
            raise DamagedDatabase("it is empty")
        check(connection)
        migrate(connection, subjects)
    except (*READ_FAILURES, OSError) as error:
        connection.close()
        raise classify_error(path, error) from None
    except (DamagedDatabase, NewerDatabase):
        connection.close()
        raise
    return connection


def connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE_S, check_same_thread=False)
    except sqlite3.Error as error:
        raise classify_error(path, error) from None
    # Before WAL: its index is then kept in memory instead of in a mapped file, and a write to a mapped file for which
    # the disk is full ends the process. No other process opens the file, since the vault is locked.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    return connection


def classify_error(path: Path, error: Exception) -> BridgeError | DamagedDatabase:
    """Return what an error of the disk means; one that only the file itself can cause is damage."""
    match error:
        case sqlite3.Error():
            translation = to_bridge_error(path, error)
            return DamagedDatabase(error_name(error)) if isinstance(translation, StateUnusable) else translation
        case OSError():
            return write_error(path, error)
        case _:
            return DamagedDatabase(type(error).__name__)


def check(connection: sqlite3.Connection) -> None:
    """Require that SQLite finds a file intact."""
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        # The list of its tables is damaged, which is longer than the first page.
        if primary_code(error) != sqlite3.SQLITE_CORRUPT:
            raise
        found = None
    if found != ("ok",):
        raise DamagedDatabase("quick_check failed")


def is_sound(path: Path) -> bool:
    try:
        with contextlib.closing(connect(path)) as connection:
            check(connection)
    except (BridgeError, DamagedDatabase, *READ_FAILURES):
        return False
    return True


T = TypeVar("T")


class Database:
    """Runs queries and transactions on one connection, and logs the changes that they write."""

    def __init__(self, connection: sqlite3.Connection, path: Path, log: ChangeLog | None = None) -> None:
        self.connection = connection
        self.path = path
        self.lock = threading.RLock()
        """Held by every statement: those of two threads on one connection would end up in one transaction."""
        self._log = log

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        with self.lock, translate_errors(self.path):
            return query(self.connection)

    def rows(self, query: str, *values: object) -> list[Any]:
        return self.read(lambda connection: connection.execute(query, values).fetchall())

    def write(self, statement: str, *rows: tuple[object, ...]) -> None:
        """Run a statement for some rows, in one transaction; raises as `transaction`."""
        with self.transaction() as connection:
            connection.executemany(statement, rows)

    @contextlib.contextmanager
    def transaction(self, *, durably: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a write transaction, which ends with the block."""
        lines: list[bytes] = []
        with self.lock, translate_errors(self.path):
            if durably:
                self.connection.execute("PRAGMA synchronous = FULL")
            try:
                with self.connection:
                    yield self.connection
                    if self._log is not None:
                        lines = self._log.take_touched()
            finally:
                self.connection.execute("PRAGMA synchronous = NORMAL")
            if self._log is not None:
                self._log.append(lines)
