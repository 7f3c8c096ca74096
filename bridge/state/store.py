"""Opens one vault's SQLite file, gives access to its content, and keeps backups of it."""

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from bridge.data_folder import snapshots_folder
from bridge.errors import BridgeError, StateUnusable
from bridge.private_files import modified_at, move_into_place
from bridge.state.call_log import CALLS, DAY_S, KEPT_DAYS, CallLog
from bridge.state.change_log import ChangeLog, log_path, replay
from bridge.state.database import (
    READ_FAILURES,
    DamagedDatabase,
    Database,
    NewerDatabase,
    check,
    connect,
    is_sound,
    open_database,
    translate_errors,
)
from bridge.state.decisions import DECISIONS, Decisions
from bridge.state.dismissals import DISMISSALS, Dismissals
from bridge.state.file_history import FileHistory
from bridge.state.graph_days import GRAPH_DAYS, GraphDays
from bridge.state.injection_log import INJECTIONS, InjectionLog
from bridge.state.journal import JOURNAL, Journal, needed_contents
from bridge.state.link_feedback import FEEDBACK, FeedbackLog
from bridge.state.session_log import SESSIONS, SessionLog
from bridge.state.snapshots import Snapshots
from bridge.state.tables import Denied, Moved, StateTable, Subject, columns_of, forget_notes, insert_row, move_notes
from bridge.types import Digest, VaultPath

MAX_BACKUPS = 3


def list_backups(path: Path) -> list[Path]:
    return [place for number in range(MAX_BACKUPS + 1) if (place := backup_path(path, number)).exists()]


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
    for number in reversed(range(MAX_BACKUPS)):
        if backup_path(path, number).exists():
            backup_path(path, number).replace(backup_path(path, number + 1))


MAX_FAILED_READS = 20_000
"""Failed reads of a table before the rest of it is given up."""

MAX_ROWS = 1 << 40


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
    except READ_FAILURES:
        return []
    return [name for name in columns_of(target, table) if name in columns]


def rows(connection: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield the readable rows of a table, including those behind damaged pages."""
    if not columns:
        return
    query = f"SELECT {', '.join(columns)} FROM {table} WHERE rowid BETWEEN ? AND ?"  # noqa: S608
    ranges, tries = [(1, MAX_ROWS)], MAX_FAILED_READS
    while ranges and tries:
        low, high = ranges.pop()
        try:
            yield from connection.execute(query, (low, high)).fetchall()
        except READ_FAILURES:
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


MAX_COUNT = (1 << 63) - 1
"""The largest number that the file can hold; a damaged counter must not stop the indexing."""

COUNTERS = Subject(
    "counters",
    tables=(
        # Counts never fall, so the greatest is the newest.
        StateTable("counter", "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)"),
        StateTable(
            "judged",
            "ON CONFLICT (tool) DO UPDATE"
            " SET helped = max(helped, excluded.helped), missed = max(missed, excluded.missed)",
        ),
    ),
)


class Counters:
    """Named counters, which start at 0 and never fall; held in memory, so that reads do not wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._values: Mapping[str, int] = dict(database.connection.execute("SELECT name, value FROM counter"))

    def get(self, name: str) -> int:
        """Return a counter's value."""
        return self._values.get(name, 0)

    def add(self, name: str, more: int) -> None:
        with self._database.lock:
            value = min(self.get(name) + more, MAX_COUNT)
            self._database.write("INSERT OR REPLACE INTO counter VALUES (?, ?)", (name, value))
            self._values = {**self._values, name: value}


class ToolScores:
    """How often each tool that was suggested for a task was the right one and how often not; held in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scores: Mapping[str, tuple[int, int]] = {
            tool: (helped, missed)
            for tool, helped, missed in database.connection.execute("SELECT * FROM judged ORDER BY tool")
        }

    def all(self) -> Mapping[str, tuple[int, int]]:
        return self._scores

    def add(self, tool: str, helped: bool) -> None:
        with self._database.lock:
            right, wrong = self._scores.get(tool, (0, 0))
            after = (right + helped, wrong + (not helped))
            self._database.write("INSERT OR REPLACE INTO judged VALUES (?, ?, ?)", (tool, *after))
            self._scores = {**self._scores, tool: after}


# Not merged: the notes are read again.
FAILURES = Subject("failures", tables=(StateTable("failed", None, paths=("path",)),))


class Failures:
    """The notes that could not be indexed; held in memory, so that reads do not wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.load()

    def load(self) -> None:
        """Read the rows again, after others have written them."""
        self._by_path: Mapping[VaultPath, tuple[Digest, str]] = {
            VaultPath(path): (Digest(digest), reason)
            for path, digest, reason in self._database.connection.execute("SELECT * FROM failed ORDER BY path")
        }

    def all(self) -> Mapping[VaultPath, tuple[Digest, str]]:
        return self._by_path

    def add(self, path: VaultPath, digest: Digest, reason: str) -> None:
        """Record that this content of a note could not be indexed."""
        with self._database.lock:
            self._database.write("INSERT OR REPLACE INTO failed VALUES (?, ?, ?)", (path, digest, reason))
            self._by_path = dict(sorted({**self._by_path, path: (digest, reason)}.items()))

    def remove_if(self, test: Callable[[VaultPath], bool]) -> None:
        self.remove([path for path in self._by_path if test(path)])

    def remove(self, paths: Iterable[VaultPath]) -> None:
        """Forget the failures of these notes."""
        known = {path for path in paths if path in self._by_path}
        if not known:
            return
        with self._database.lock:
            self._database.write("DELETE FROM failed WHERE path = ?", *((path,) for path in known))
            self._by_path = {path: entry for path, entry in self._by_path.items() if path not in known}


DEEP_SEARCH = Subject(
    "deep_search",
    tables=(),
    migrations=(
        """
        CREATE TABLE deep_search_measurement (
            id INTEGER PRIMARY KEY CHECK (id = 1), measured REAL NOT NULL, reranker TEXT NOT NULL,
            embedder TEXT NOT NULL, questions INTEGER NOT NULL, gain REAL NOT NULL, helps INTEGER NOT NULL
        ) STRICT;
        """,
        "DROP TABLE deep_search_measurement;",
    ),
)
"""Of a feature that was taken out."""

OWN_SUBJECTS = (
    COUNTERS, FAILURES, CALLS, SESSIONS, INJECTIONS, FEEDBACK, DISMISSALS, DECISIONS, GRAPH_DAYS, JOURNAL, DEEP_SEARCH,
)  # fmt: skip

_added: list[Subject] = []


def install_subjects(added: Iterable[Subject]) -> None:
    """Set the subjects of features, for every file that is opened from now on."""
    _added[:] = added


def all_subjects() -> tuple[Subject, ...]:
    return (*OWN_SUBJECTS, *_added)


log = logging.getLogger(__name__)

GATHER_S = 0.5
"""Seconds for which calls are gathered before a write; a crash can lose this much."""

LOOK_EVERY_S = 3_600.0
"""Seconds between checks for daily maintenance."""


class BackgroundWriter:
    """The thread that writes what waits."""

    def __init__(self, calls: CallLog, tidy: Callable[[], None]) -> None:
        self._calls = calls
        self._tidy = tidy
        self._end = threading.Event()
        self._urgent = threading.Event()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def start(self) -> None:
        """Start the thread, which runs the maintenance at once."""
        self._thread.start()

    def hurry(self) -> None:
        """Request maintenance soon; returns at once."""
        self._urgent.set()
        self._calls.arrival.set()

    def stop(self) -> None:
        """Write the waiting calls, as far as the disk accepts them, and end."""
        self._end.set()
        self._calls.arrival.set()
        self._thread.join()
        self._try(self._calls.flush, "")

    def _run(self) -> None:
        """Run maintenance, then write calls as they come and repeat the maintenance periodically, until stopped."""
        trouble, due = "", 0.0
        while not self._end.is_set():
            if self._urgent.is_set() or time.monotonic() >= due:
                self._urgent.clear()
                trouble, due = self._try(self._tidy, trouble), time.monotonic() + LOOK_EVERY_S
            if self._calls.arrival.wait(LOOK_EVERY_S):
                self._calls.arrival.clear()
                self._end.wait(GATHER_S)
                trouble = self._try(self._calls.flush, trouble)

    def _try(self, work: Callable[[], None], trouble: str) -> str:
        """Run work that may fail; a lasting error is logged once."""
        try:
            work()
        except BridgeError as error:
            if error.code != trouble:
                log.warning("What was called is not written now: %s", error.code)
            return error.code
        return ""


class Store:
    """One vault's SQLite file, and the contents of its changes beside it: one attribute a subject.

    Writes are committed before they return and may wait for the disk; only `calls.record` never does.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        subjects: Sequence[Subject],
        now: Callable[[], float],
        *,
        salvaged: bool,
    ) -> None:
        self.salvaged = salvaged
        """True when the file was damaged or lost at this start and was rebuilt from what could be read."""
        self._path = path
        self._subjects = subjects
        self._now = now
        self._backed_up = connection.total_changes
        self._log = ChangeLog(connection, path, self._hurry)
        self.database = database = Database(connection, path, self._log)
        self.counters = Counters(database)
        self.failures = Failures(database)
        self.tool_scores = ToolScores(database)
        self.sessions = SessionLog(database, now)
        self.calls = CallLog(database, self.sessions)
        with contextlib.suppress(BridgeError):
            self.sessions.recover()
        self.injections = InjectionLog(database)
        self.feedback = FeedbackLog(database)
        self.dismissals = Dismissals(database)
        self.decisions = Decisions(database, now)
        self.graph_days = GraphDays(database)
        self.snapshots = Snapshots(snapshots_folder(path))
        self.journal = Journal(database, self.snapshots, now)
        self.files = FileHistory(database)
        self._writer = BackgroundWriter(self.calls, self._tidy)
        self._writer.start()

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], float] = time.time) -> Self:
        """Open or create the file; a damaged one is set aside and rebuilt from its readable parts and its backups."""
        subjects = all_subjects()
        backed_up = bool(list_backups(path)) or log_path(path).exists()
        with translate_errors(path):
            try:
                if backed_up and not path.exists():
                    raise DamagedDatabase("it is gone")
                return cls(open_database(path, subjects, new=not backed_up), path, subjects, now, salvaged=False)
            except NewerDatabase as error:
                raise StateUnusable(
                    f"{path} was {error}.", hint="Install the newer version again, or move the file away."
                ) from None
            except DamagedDatabase as error:
                log.warning("The state file is damaged and made again from what can be read: %s", error)
            try:
                salvage(path, subjects)
                return cls(open_database(path, subjects, new=True), path, subjects, now, salvaged=True)
            except (DamagedDatabase, NewerDatabase) as error:
                raise StateUnusable(f"{path} cannot be used: {error}.") from None

    def close(self) -> None:
        """Write waiting calls and a backup, as far as the disk accepts them, and close."""
        self._writer.stop()
        with contextlib.suppress(BridgeError):
            self.sessions.pause()
        with self.database.lock:
            if self.database.connection.total_changes != self._backed_up or not backup_path(self._path, 0).exists():
                with contextlib.suppress(BridgeError):
                    self.back_up()
            self.database.connection.close()

    def move(self, moved: Moved, *, journalled: bool = False) -> None:
        """Update the paths of moved notes; call in a thread, since there may be many calls."""
        self.calls.flush()
        subjects = [one for one in self._subjects if not (journalled and one is JOURNAL)]
        move_notes(self.database.transaction, subjects, moved)
        self._reload()

    def forget(self, denied: Denied) -> None:
        """Remove denied notes from all stored data, including backups; damaged files set aside are deleted.

        A change that touched one of them is deleted as a whole, with the contents that no other change needs.
        """
        self.calls.flush()
        with self.database.lock:
            with translate_errors(self._path):
                forget_notes(self.database.connection, self._subjects, denied)
                # The write-ahead log still has what was overwritten in the file.
                self.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self.snapshots.sweep({digest for digest, _, _ in needed_contents(self.database.connection)})
            self._reload()
            for backup in list_backups(self._path):
                with translate_errors(backup):
                    forget_in(backup, self._subjects, denied)
            for damaged in damaged_files(self._path):
                with translate_errors(damaged):
                    damaged.unlink()
            with translate_errors(self._path):
                self._log.forget()

    def sound(self) -> bool:
        """Return whether SQLite finds the file on disk intact."""
        try:
            self.database.read(lambda connection: connection.execute("PRAGMA shrink_memory"))
            self.database.read(check)
        except (BridgeError, DamagedDatabase):
            return False
        return True

    def back_up(self) -> None:
        """Copy the file to its backup; the old backup is kept until the new one is complete."""
        with self.database.lock, translate_errors(self._path):
            changes = self.database.connection.total_changes
            try:
                back_up(self.database.connection, self._path)
            except DamagedDatabase as error:
                raise StateUnusable(f"{self._path} is not backed up: {error}.") from None
            self._backed_up = changes
            self._log.clear()

    def _reload(self) -> None:
        with self.database.lock, translate_errors(self._path):
            self.failures.load()
            self.feedback.load()

    def _hurry(self) -> None:
        self._writer.hurry()

    def _tidy(self) -> None:
        self.calls.purge(self._now())
        self.sessions.purge(self._now() - KEPT_DAYS * DAY_S)
        self.injections.purge(self._now() - KEPT_DAYS * DAY_S)
        self.journal.purge()
        if is_due(self._path) or self._log.is_long:
            self.back_up()


def forget_in(backup: Path, subjects: Sequence[Subject], denied: Denied) -> None:
    """Remove denied notes from a backup; an unreadable one is deleted, since its content is unknown."""
    made = backup.stat()
    try:
        with contextlib.closing(open_database(backup, subjects, new=False)) as connection:
            forget_notes(connection, subjects, denied)
            connection.execute("PRAGMA journal_mode = DELETE")
    except (DamagedDatabase, NewerDatabase):
        backup.unlink()
        return
    # Keep the backup's age.
    os.utime(backup, ns=(made.st_atime_ns, made.st_mtime_ns))
