"""Logs calls: the client, the operation, the outcome and the notes concerned; of content only checksums."""

import contextlib
import re
import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, islice
from typing import Any

from msgspec.structs import asdict

from bridge.errors import BridgeError
from bridge.records import Record
from bridge.state.database import Database
from bridge.state.session_log import SessionEvent, SessionLog
from bridge.state.tables import Begin, Denied, Moved, StateTable, Subject
from bridge.types import VaultPath

DAY_S = 86_400.0
KEPT_DAYS = 90
MAX_CALLS = 100_000
"""Calls kept at most, some 50 MB: a program that calls without end must not fill the disk."""


class CallRecord(Record):
    """One call."""

    time: float
    """When it began, in seconds since 1970."""
    tool: str
    """The name of the operation."""
    client: str | None
    version: str | None
    session: str | None
    """The session, as in changes."""
    transport: str | None
    code: str | None
    """The error code; None when the call succeeded."""
    ms: float
    tokens: int
    """Tokens sent, estimated."""
    paths: tuple[VaultPath, ...]
    """The notes concerned."""
    cause: str = ""
    """Why the arguments did not fit, in words of the program alone."""
    sums: str = ""
    """A short checksum of each line that a change was given, by which it is known again."""


class NoteRead(Record):
    """A read of a note by a program."""

    time: float
    reader: str
    """The client that read it, with its session if it has one."""
    path: VaultPath


MAX_SEARCHED_VALUES = 2_000
"""Most values of a result that are searched for notes, so that a long list does not delay other calls."""

MAX_SUMS = 200
"""Most lines of which a checksum is recorded."""

MARKER = re.compile(r"\s*(?:(?:[-*+>]|#+|\d+[.)])\s+)*(?:\[.\]\s+)?")
"""Marks of a list item, a task or a heading, which the bridge may add to a text."""

PATH_SEPARATOR = "\0"
"""Separates the paths of a call, as the one character that no path contains."""

NAMES = CallRecord.__struct_fields__
INSERT = f"INSERT INTO call ({', '.join(NAMES)}) VALUES (:{', :'.join(NAMES)})"  # noqa: S608

PAGE_CALLS = 2_000
"""Calls read at once, while others wait."""

MAX_WAITING_CALLS = 10_000
"""Calls that wait at most while the disk accepts none; the oldest are lost first."""


class CallLog:
    """The calls of the last months. A call is accepted at once; the background thread writes it."""

    def __init__(self, database: Database, sessions: SessionLog) -> None:
        self.arrival = threading.Event()
        """Set when a call waits to be written."""
        self._sessions = sessions
        self._database = database
        self._waiting: deque[CallRecord | SessionEvent] = deque(maxlen=MAX_WAITING_CALLS)
        self._flushing = threading.Lock()

    def record(self, entry: CallRecord | SessionEvent) -> None:
        """Log a call, also as one of its session, or the end of a session; it is written within a second."""
        self._waiting.append(entry)
        self.arrival.set()

    def flush(self) -> None:
        with self._flushing:
            batch = []
            while self._waiting:
                batch.append(self._waiting.popleft())
            try:
                if batch:
                    calls = (asdict(one) for one in batch if isinstance(one, CallRecord))
                    with self._database.transaction() as connection:
                        connection.executemany(INSERT, (one | {"paths": encode_paths(one["paths"])} for one in calls))
                        self._sessions.apply(connection, session_events(batch))
            except BridgeError:
                self._waiting.extendleft(reversed(batch))
                raise

    def since(self, moment: float) -> list[CallRecord]:
        """Return the calls since a moment, in seconds since 1970, in the order in which they ended."""
        self._try_flush()
        query = f"SELECT {', '.join(NAMES)}, id FROM call WHERE id > ? AND time >= ? ORDER BY id LIMIT ?"  # noqa: S608
        found: list[CallRecord] = []
        rows = self._database.rows(query, 0, moment, PAGE_CALLS)
        while rows:
            found += (_call_of(row[:-1]) for row in rows)
            rows = self._database.rows(query, rows[-1][-1], moment, PAGE_CALLS)
        return found

    def of_session(self, session: str, most: int) -> list[CallRecord]:
        """Return the last calls of a session, in the order in which they ended."""
        self._try_flush()
        query = f"SELECT {', '.join(NAMES)} FROM call WHERE session = ? ORDER BY id DESC LIMIT ?"  # noqa: S608
        return [_call_of(row) for row in reversed(self._database.rows(query, session, most))]

    def readings(self, since: float, most: int) -> list[NoteRead]:
        """Return which notes programs have read since a moment, the last first; commands of people do not count."""
        self._try_flush()
        query = (
            "SELECT time, coalesce(client, ''), coalesce(session, ''), paths FROM call WHERE time >= ?"
            " AND paths != '' AND tool = 'read_note' AND code IS NULL AND transport IN ('http', 'mcp')"
            " ORDER BY id DESC LIMIT ?"
        )
        return [
            NoteRead(at, f"{client}{PATH_SEPARATOR}{session}", read)
            for at, client, session, paths in self._database.rows(query, since, most)
            for read in decode_paths(paths)[:1]
        ]

    def last_codes(self, count: int) -> Counter[str | None]:
        """Count the outcomes of the last calls by error code, None for success."""
        self._try_flush()
        return Counter(code for (code,) in self._database.rows("SELECT code FROM call ORDER BY id DESC LIMIT ?", count))

    def purge(self, now: float) -> None:
        """Delete calls that are too old or too many."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM call WHERE time < ?", (now - KEPT_DAYS * DAY_S,))
            connection.execute("DELETE FROM call WHERE id <= (SELECT max(id) FROM call) - ?", (MAX_CALLS,))

    def _try_flush(self) -> None:
        with contextlib.suppress(BridgeError):
            self.flush()


def sums_of(session: str | None, given: Mapping[str, Any]) -> str:
    """Return a short checksum, good for one session alone, of each line of the texts that a change was given."""
    key = (session or "").encode()[:64]
    lines = (line.encode("utf-8", "replace") for line in islice(given_lines(given), MAX_SUMS))
    return " ".join(dict.fromkeys(blake2b(line, digest_size=3, key=key).hexdigest() for line in lines))


def given_lines(given: Mapping[str, Any]) -> Iterator[str]:
    waiting = deque[Any]([given])
    for _ in range(MAX_SEARCHED_VALUES):
        match waiting.popleft() if waiting else None:
            case Mapping() as item:
                texts = (item.get(name) for name in ("text", "new"))
                lines = chain.from_iterable(text.splitlines() for text in texts if isinstance(text, str))
                yield from filter(None, (MARKER.sub("", line, count=1).strip() for line in lines))
                waiting.extend(item.values())
            case list() | tuple() as item:
                waiting.extend(item)


def session_events(batch: Iterable[CallRecord | SessionEvent]) -> Iterator[SessionEvent]:
    last: dict[str, CallRecord] = {}
    for one in batch:
        if isinstance(one, SessionEvent):
            if (call := last.pop(one.id, None)) is not None:
                yield event_of(call)
            yield one
        elif one.session is not None:
            if one.session not in last:
                yield event_of(one)
            last[one.session] = one
    yield from map(event_of, last.values())


def event_of(call: CallRecord) -> SessionEvent:
    return SessionEvent(call.session or "", call.time, client=call.client, version=call.version)


def _call_of(row: Sequence[Any]) -> CallRecord:
    values = dict(zip(NAMES, row, strict=True))
    return CallRecord(**{**values, "paths": tuple(decode_paths(values["paths"]))})


def forget(connection: sqlite3.Connection, denied: Denied) -> None:
    changed = []
    for number, text in connection.execute("SELECT id, paths FROM call WHERE paths != ''"):
        paths = decode_paths(text)
        allowed = [path for path in paths if not denied(path)]
        if allowed != paths:
            changed.append((encode_paths(allowed), number))
    connection.executemany("UPDATE call SET paths = ?, sums = '' WHERE id = ?", changed)


def move(begin: Begin, moved: Moved) -> None:
    after: int | None = 0
    while after is not None:
        with begin() as connection:
            rows = connection.execute(
                "SELECT id, paths FROM call WHERE id > ? ORDER BY id LIMIT ?", (after, PAGE_CALLS)
            ).fetchall()
            named = ((number, decode_paths(text)) for number, text in rows)
            changed = [
                (encode_paths(moved.get(path, path) for path in paths), number)
                for number, paths in named
                if not moved.keys().isdisjoint(paths)
            ]
            connection.executemany("UPDATE call SET paths = ? WHERE id = ?", changed)
        after = rows[-1][0] if len(rows) == PAGE_CALLS else None


def encode_paths(paths: Iterable[VaultPath]) -> str:
    """Encode paths for storage; SQLite does not accept invalid Unicode."""
    return PATH_SEPARATOR.join(paths).encode("utf-8", "replace").decode("utf-8")


def decode_paths(text: str) -> list[VaultPath]:
    return [VaultPath(path) for path in text.split(PATH_SEPARATOR) if path]


# Calls never change, so the first intact copy is right.
CALLS = Subject(
    "calls",
    tables=(StateTable("call", "ON CONFLICT (id) DO NOTHING"),),
    migrations=(
        "CREATE INDEX call_session ON call (session, time);",
        "ALTER TABLE call ADD COLUMN cause TEXT NOT NULL DEFAULT '';",
        "ALTER TABLE call ADD COLUMN sums TEXT NOT NULL DEFAULT '';",
    ),
    forget=forget,
    move=move,
)
