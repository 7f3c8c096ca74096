"""Opens one vault's SQLite file and gives access to its content."""

import contextlib
import functools
import logging
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self, TypeVar

from bridge.data_folder import snapshots_folder
from bridge.errors import BridgeError, StateUnusable
from bridge.state import call_log, change_rows, file_history, graph_days, link_feedback
from bridge.state.backup import back_up, backup_path, damaged_files, is_due, list_backups, salvage
from bridge.state.call_log import CallLogWriter, CallRecord, NoteRead
from bridge.state.change_log import ChangeLog, log_path
from bridge.state.connection import check, open_database, translate_errors
from bridge.state.graph_days import Day, Size
from bridge.state.journal import History
from bridge.state.link_feedback import LinkFeedback
from bridge.state.schema import DamagedDatabase, NewerDatabase
from bridge.state.snapshots import Snapshots
from bridge.types import Digest, VaultPath


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Remove denied notes from a file."""
    failed = [(path,) for (path,) in connection.execute("SELECT path FROM failed") if denied(VaultPath(path))]
    with connection:
        connection.executemany("DELETE FROM failed WHERE path = ?", failed)
        call_log.forget(connection, denied)
        link_feedback.forget(connection, denied)
        graph_days.forget(connection, denied)
        change_rows.forget(connection, denied)
    # Deleted text is overwritten, but SQLite leaves some behind where it moved rows between pages.
    connection.execute("VACUUM")


def forget_in(backup: Path, denied: Callable[[VaultPath], bool]) -> None:
    """Remove denied notes from a backup; an unreadable one is deleted, since its content is unknown.

    Raises:
        BridgeError: The disk does not allow it.
        sqlite3.Error: The disk does not allow it.
        OSError: The disk does not allow it.
    """
    made = backup.stat()
    try:
        with contextlib.closing(open_database(backup, new=False)) as connection:
            forget(connection, denied)
            connection.execute("PRAGMA journal_mode = DELETE")
    except (DamagedDatabase, NewerDatabase):
        backup.unlink()
        return
    # Keep the backup's age.
    os.utime(backup, ns=(made.st_atime_ns, made.st_mtime_ns))


log = logging.getLogger(__name__)

T = TypeVar("T")

MOST_COUNTED = (1 << 63) - 1
"""The largest number that the file can hold; a damaged counter must not stop the indexing."""


class Store(History):
    """One vault's SQLite file, and the contents of its changes beside it.

    Frequently read data is held in memory, so that reads do not wait for the disk. Writes are committed before they
    return and may wait for the disk; only `record` never does.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, now: Callable[[], float], *, salvaged: bool) -> None:
        self.salvaged = salvaged
        """True when the file was damaged or lost at this start and was rebuilt from what could be read."""
        self._connection = connection
        self._path = path
        self._now = now
        self._snapshots = Snapshots(snapshots_folder(path))
        # Statements of two threads on one connection would end up in one transaction.
        self._lock = threading.RLock()
        self._naming = threading.Lock()
        self._last_id = change_rows.last_id(connection)
        self._backed_up = connection.total_changes
        self._counters: Mapping[str, int] = dict(connection.execute("SELECT name, value FROM counter"))
        self._failed: Mapping[VaultPath, tuple[Digest, str]] = {
            VaultPath(path): (Digest(digest), reason)
            for path, digest, reason in connection.execute("SELECT path, digest, reason FROM failed ORDER BY path")
        }
        self._judged: Mapping[str, tuple[int, int]] = {
            tool: (helped, missed)
            for tool, helped, missed in connection.execute("SELECT tool, helped, missed FROM judged ORDER BY tool")
        }
        self._accepting = link_feedback.notes_with_accepted(connection)
        self._log = ChangeLog(connection, path)
        self._keeper = CallLogWriter(self._insert, self._tidy)

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], float] = time.time) -> Self:
        """Open or create the file; a damaged one is set aside and rebuilt from its readable parts and its backups.

        Args:
            path: The file.
            now: Returns the time, in seconds since 1970.

        Raises:
            StateUnusable: A newer version wrote the file.
            ReadOnly: The folder is not writable.
            DiskFull: The disk is full.
            Busy: Another program has the file locked.
        """
        backed_up = bool(list_backups(path)) or log_path(path).exists()
        with translate_errors(path):
            try:
                if backed_up and not path.exists():
                    raise DamagedDatabase("it is gone")
                return cls(open_database(path, new=not backed_up), path, now, salvaged=False)
            except NewerDatabase as error:
                raise StateUnusable(
                    f"{path} was {error}.", hint="Install the newer version again, or move the file away."
                ) from None
            except DamagedDatabase as error:
                log.warning("The state file is damaged and made again from what can be read: %s", error)
            try:
                salvage(path)
                return cls(open_database(path, new=True), path, now, salvaged=True)
            except (DamagedDatabase, NewerDatabase) as error:
                raise StateUnusable(f"{path} cannot be used: {error}.") from None

    def close(self) -> None:
        """Write waiting calls and a backup, as far as the disk accepts them, and close."""
        self._keeper.stop()
        with self._lock:
            if self._connection.total_changes != self._backed_up or not backup_path(self._path, 0).exists():
                with contextlib.suppress(BridgeError):
                    self.back_up()
            self._connection.close()

    # -- counters and failures ----------------------------------------------------------------------------------------

    def count(self, name: str, more: int) -> None:
        """Add to a counter, which starts at 0 and never falls."""
        with self._lock:
            value = min(self.counted(name) + more, MOST_COUNTED)
            self._write("INSERT OR REPLACE INTO counter VALUES (?, ?)", (name, value))
            self._counters = {**self._counters, name: value}

    def counted(self, name: str) -> int:
        """Return a counter's value."""
        return self._counters.get(name, 0)

    def fail(self, path: VaultPath, digest: Digest, reason: str) -> None:
        """Record that this content of a note could not be indexed."""
        with self._lock:
            self._write("INSERT OR REPLACE INTO failed VALUES (?, ?, ?)", (path, digest, reason))
            self._failed = dict(sorted({**self._failed, path: (digest, reason)}.items()))

    def mend(self, paths: Iterable[VaultPath]) -> None:
        """Forget the failures of these notes."""
        mended = {path for path in paths if path in self._failed}
        if not mended:
            return
        with self._lock:
            self._write("DELETE FROM failed WHERE path = ?", *((path,) for path in mended))
            self._failed = {path: known for path, known in self._failed.items() if path not in mended}

    def failures(self) -> Mapping[VaultPath, tuple[Digest, str]]:
        """Return the digest and reason of each note that could not be indexed."""
        return self._failed

    # -- calls and judgements -----------------------------------------------------------------------------------------

    def record(self, call: CallRecord) -> None:
        """Log a call; it is written within a second."""
        self._keeper.take(call)

    def calls(self, since: float) -> list[CallRecord]:
        """Return the calls since a moment, in seconds since 1970, in the order in which they ended."""
        found: list[CallRecord] = []
        after: int | None = 0
        while after is not None:
            some, after = self._read(functools.partial(call_log.page, since=since, after=after))
            found += some
        return found

    def readings(self, since: float, most: int) -> list[NoteRead]:
        """Return which notes programs have read since a moment, the last first."""
        return self._read(lambda connection: call_log.readings(connection, since, most))

    def last_codes(self, count: int) -> Counter[str | None]:
        """Count the outcomes of the last calls by error code, None for success."""
        return Counter(self._read(lambda connection: call_log.last_codes(connection, count)))

    def judge(self, tool: str, helped: bool) -> None:
        """Count whether a tool that was suggested for a task was the right one."""
        with self._lock:
            right, wrong = self._judged.get(tool, (0, 0))
            after = (right + helped, wrong + (not helped))
            self._write("INSERT OR REPLACE INTO judged VALUES (?, ?, ?)", (tool, *after))
            self._judged = {**self._judged, tool: after}

    def judged(self) -> Mapping[str, tuple[int, int]]:
        """Return how often each tool was the right one and how often not."""
        return self._judged

    # -- link feedback ------------------------------------------------------------------------------------------------

    def decide(self, verdict: LinkFeedback) -> None:
        """Add to the feedback on a suggested link."""
        with self._writing() as connection:
            link_feedback.add(connection, verdict)
            self._accepting = link_feedback.notes_with_accepted(connection)

    def revive(self, target: VaultPath, source: VaultPath | None = None) -> None:
        """Forget declined links to a note, in one note or in all."""
        with self._writing() as connection:
            link_feedback.revive(connection, target, source)

    @property
    def accepting(self) -> frozenset[VaultPath]:
        """The notes in which a link was accepted."""
        return self._accepting

    def follow_links(
        self, source: VaultPath, links: Collection[VaultPath], exists: Callable[[VaultPath], bool]
    ) -> None:
        """Update the feedback on accepted links of a note: one that was there and is gone counts as declined.

        Args:
            source: The note.
            links: The notes that it links to now.
            exists: Returns whether there is a note: a link that went with its target was not declined.
        """
        with self._writing() as connection:
            link_feedback.mark_seen(connection, source, links)
            link_feedback.decline_missing(connection, source, lambda target: target not in links and exists(target))
            self._accepting = link_feedback.notes_with_accepted(connection)

    def move(self, moved: Mapping[VaultPath, VaultPath]) -> None:
        """Update the paths of moved notes, given by their old ones; call in a thread, since there may be many calls."""
        self._keeper.flush()
        with self._writing() as connection:
            link_feedback.move(connection, moved)
            file_history.move(connection, moved)
            self._accepting = link_feedback.notes_with_accepted(connection)
        after: int | None = 0
        while after is not None:
            with self._writing() as connection:
                after = call_log.move(connection, moved, after)

    def verdicts(self) -> list[LinkFeedback]:
        """Return the feedback on every suggested link."""
        return self._read(link_feedback.all_feedback)

    # -- days of the graph --------------------------------------------------------------------------------------------

    def keep_day(self, day: str, size: Size, joined: Mapping[VaultPath, int]) -> None:
        """Record the graph of a day: its size, and the degree of each note."""
        with self._writing() as connection:
            graph_days.keep(connection, day, size, joined)

    def days(self, since: str) -> list[Day]:
        """Return the days of the graph from one on, the oldest first."""
        return self._read(lambda connection: graph_days.days_since(connection, since))

    # -- denied notes -------------------------------------------------------------------------------------------------

    def forget(self, denied: Callable[[VaultPath], bool]) -> None:
        """Remove denied notes from all stored data, including backups; damaged files set aside are deleted.

        A change that touched one of them is deleted as a whole, with the contents that no other change needs.

        Args:
            denied: Returns whether a path is denied; call only when that changed, since this rewrites every file.

        Raises:
            BridgeError: The disk does not allow it; it may be partly done.
        """
        self._keeper.flush()
        with self._lock:
            with translate_errors(self._path):
                forget(self._connection, denied)
                # The write-ahead log still has what was overwritten in the file.
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._snapshots.sweep({digest for digest, _, _ in change_rows.needed_contents(self._connection)})
            self._failed = {path: known for path, known in self._failed.items() if not denied(path)}
            for backup in list_backups(self._path):
                with translate_errors(backup):
                    forget_in(backup, denied)
            for damaged in damaged_files(self._path):
                with translate_errors(damaged):
                    damaged.unlink()
            with translate_errors(self._path):
                self._log.forget()

    # -- the file -----------------------------------------------------------------------------------------------------

    def sound(self) -> bool:
        """Return whether SQLite finds the file on disk intact."""
        try:
            self._read(lambda connection: connection.execute("PRAGMA shrink_memory"))
            self._read(check)
        except (BridgeError, DamagedDatabase):
            return False
        return True

    def back_up(self) -> None:
        """Copy the file to its backup; the old backup is kept until the new one is complete.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The folder is not writable.
            StateUnusable: The file is damaged; its backups stay as they are.
        """
        with self._lock, translate_errors(self._path):
            changes = self._connection.total_changes
            try:
                back_up(self._connection, self._path)
            except DamagedDatabase as error:
                raise StateUnusable(f"{self._path} is not backed up: {error}.") from None
            self._backed_up = changes
            self._log.clear()

    def _tidy(self) -> None:
        """Delete what is too old, and make today's backup."""
        with self._writing() as connection:
            call_log.purge(connection, self._now())
            change_rows.purge(connection)
        self.prune()
        if is_due(self._path) or self._log.is_long:
            self.back_up()

    def _insert(self, batch: list[CallRecord]) -> None:
        """Insert calls."""
        with self._writing() as connection:
            call_log.insert(connection, batch)

    def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read query, after writing the waiting calls."""
        with contextlib.suppress(BridgeError):
            self._keeper.flush()
        with self._lock, translate_errors(self._path):
            return query(self._connection)

    def _write(self, statement: str, *rows: tuple[object, ...]) -> None:
        """Run a statement for some rows, in one transaction."""
        with self._writing() as connection:
            connection.executemany(statement, rows)

    @contextlib.contextmanager
    def _writing(self, *, durably: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a write transaction.

        Args:
            durably: Whether it is on disk when this returns; otherwise a power failure may lose the last moments,
                though the end of the process does not.
        """
        with self._lock, translate_errors(self._path):
            if durably:
                self._connection.execute("PRAGMA synchronous = FULL")
            try:
                with self._connection:
                    yield self._connection
                    lines = self._log.touched()
            finally:
                self._connection.execute("PRAGMA synchronous = NORMAL")
            self._log.append(lines)
            if self._log.is_long:
                self._keeper.hurry()
