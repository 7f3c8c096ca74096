"""Logs calls: the client, the operation, the outcome and the notes concerned; never the content."""

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, fields

from bridge.errors import BridgeError
from bridge.types import VaultPath

DAY_S = 86_400.0
KEPT_DAYS = 90
MOST = 100_000
"""Calls kept at most, some 50 MB: a program that calls without end must not fill the disk."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call."""

    time: float
    """When it began, in seconds since 1970."""
    tool: str
    """The name of the operation."""
    client: str | None
    version: str | None
    session: str | None
    transport: str | None
    code: str | None
    """The error code; None when the call succeeded."""
    ms: float
    tokens: int
    """Tokens sent, estimated."""
    paths: tuple[VaultPath, ...]
    """The notes concerned."""


@dataclass(frozen=True, slots=True)
class NoteRead:
    """A read of a note by a program."""

    time: float
    reader: str
    """The client that read it, with its session if it has one."""
    path: VaultPath


BETWEEN = "\0"
"""Separates the paths of a call, as the one character that no path contains."""

NAMES = [field.name for field in fields(CallRecord)]
INSERT = f"INSERT INTO call ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"  # noqa: S608

PAGE = 2_000
"""Calls read at once, while others wait."""


def insert(connection: sqlite3.Connection, calls: Iterable[CallRecord]) -> None:
    """Insert calls."""
    connection.executemany(INSERT, ((*astuple(call)[:-1], encode_paths(call.paths)) for call in calls))


def page(connection: sqlite3.Connection, since: float, after: int) -> tuple[list[CallRecord], int | None]:
    """Return some calls since a moment, and where to continue; None at the end.

    Args:
        connection: The state database.
        since: The moment, in seconds since 1970.
        after: Where the previous page said to continue; 0 for the first page.
    """
    query = f"SELECT {', '.join(NAMES)}, id FROM call WHERE id > ? AND time >= ? ORDER BY id LIMIT ?"  # noqa: S608
    rows = connection.execute(query, (after, since, PAGE)).fetchall()
    calls = [CallRecord(**dict(zip(NAMES, [*row[:-2], tuple(decode_paths(row[-2]))], strict=True))) for row in rows]
    return calls, rows[-1][-1] if len(rows) == PAGE else None


def readings(connection: sqlite3.Connection, since: float, most: int) -> list[NoteRead]:
    """Return which notes programs have read since a moment, the last first; commands typed by people do not count."""
    rows = connection.execute(
        "SELECT time, coalesce(client, ''), coalesce(session, ''), paths FROM call WHERE time >= ? AND paths != ''"
        " AND tool = 'read_note' AND code IS NULL AND transport IN ('http', 'mcp') ORDER BY id DESC LIMIT ?",
        (since, most),
    )
    return [
        NoteRead(at, f"{client}{BETWEEN}{session}", read)
        for at, client, session, paths in rows
        for read in decode_paths(paths)[:1]
    ]


def last_codes(connection: sqlite3.Connection, count: int) -> list[str | None]:
    """Return the outcomes of the last calls, the last first."""
    return [code for (code,) in connection.execute("SELECT code FROM call ORDER BY id DESC LIMIT ?", (count,))]


def purge(connection: sqlite3.Connection, now: float) -> None:
    """Delete calls that are too old or too many."""
    connection.execute("DELETE FROM call WHERE time < ?", (now - KEPT_DAYS * DAY_S,))
    connection.execute("DELETE FROM call WHERE id <= (SELECT max(id) FROM call) - ?", (MOST,))


def move(connection: sqlite3.Connection, moved: Mapping[VaultPath, VaultPath], after: int) -> int | None:
    """Update the paths of moved notes in some calls, and return where to continue, as `page` does."""
    rows = connection.execute("SELECT id, paths FROM call WHERE id > ? ORDER BY id LIMIT ?", (after, PAGE)).fetchall()
    named = ((number, decode_paths(text)) for number, text in rows)
    changed = [
        (encode_paths(moved.get(path, path) for path in paths), number)
        for number, paths in named
        if not moved.keys().isdisjoint(paths)
    ]
    connection.executemany("UPDATE call SET paths = ? WHERE id = ?", changed)
    return rows[-1][0] if len(rows) == PAGE else None


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Remove denied notes from all calls."""
    changed = []
    for number, text in connection.execute("SELECT id, paths FROM call WHERE paths != ''"):
        paths = decode_paths(text)
        kept = [path for path in paths if not denied(path)]
        if kept != paths:
            changed.append((encode_paths(kept), number))
    connection.executemany("UPDATE call SET paths = ? WHERE id = ?", changed)


def encode_paths(paths: Iterable[VaultPath]) -> str:
    """Encode paths for storage; SQLite does not accept invalid Unicode."""
    return BETWEEN.join(paths).encode("utf-8", "replace").decode("utf-8")


def decode_paths(text: str) -> list[VaultPath]:
    """Decode stored paths."""
    return [VaultPath(path) for path in text.split(BETWEEN) if path]


log = logging.getLogger(__name__)

GATHER_S = 0.5
"""Seconds for which calls are gathered before a write; a crash can lose this much."""

LOOK_EVERY_S = 3_600.0
"""Seconds between checks for daily maintenance."""

WAITING = 10_000
"""Calls that wait at most while the disk accepts none; the oldest are lost first."""


class CallLogWriter:
    """Accepts calls at once and writes them in batches."""

    def __init__(self, write: Callable[[list[CallRecord]], None], tidy: Callable[[], None]) -> None:
        """Start the thread.

        Args:
            write: Writes a batch.
            tidy: Runs the maintenance that is due.
        """
        self._write = write
        self._tidy = tidy
        self._waiting: deque[CallRecord] = deque(maxlen=WAITING)
        self._news = threading.Event()
        self._end = threading.Event()
        self._hurried = threading.Event()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)
        self._thread.start()

    def take(self, call: CallRecord) -> None:
        """Accept a call; returns at once."""
        self._waiting.append(call)
        self._news.set()

    def hurry(self) -> None:
        """Request maintenance soon; returns at once."""
        self._hurried.set()
        self._news.set()

    def flush(self) -> None:
        """Write the waiting calls.

        Raises:
            BridgeError: The disk does not accept them; they keep waiting.
        """
        with self._writing:
            batch = []
            while self._waiting:
                batch.append(self._waiting.popleft())
            try:
                if batch:
                    self._write(batch)
            except BridgeError:
                self._waiting.extendleft(reversed(batch))
                raise

    def stop(self) -> None:
        """Write the waiting calls, as far as the disk accepts them, and end."""
        self._end.set()
        self._news.set()
        self._thread.join()
        self._try(self.flush, "")

    def _run(self) -> None:
        """Run maintenance, then write calls as they come and repeat the maintenance periodically, until stopped."""
        trouble, due = "", 0.0
        while not self._end.is_set():
            if self._hurried.is_set() or time.monotonic() >= due:
                self._hurried.clear()
                trouble, due = self._try(self._tidy, trouble), time.monotonic() + LOOK_EVERY_S
            if self._news.wait(LOOK_EVERY_S):
                self._news.clear()
                self._end.wait(GATHER_S)
                trouble = self._try(self.flush, trouble)

    def _try(self, work: Callable[[], None], trouble: str) -> str:
        """Run work that may fail; a lasting error is logged once."""
        try:
            work()
        except BridgeError as error:
            if error.code != trouble:
                log.warning("What was called is not written now: %s", error.code)
            return error.code
        return ""
