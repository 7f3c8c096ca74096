"""Keeps sessions: the client of each, its first and last call, and how it ended; never what was said in it."""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Literal

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.types import VaultPath

SessionState = Literal["active", "paused", "completed", "incomplete"]
"""A `paused` session ended with the bridge, an `incomplete` one when the bridge crashed; both continue with a call."""

SEEN_EVERY_S = 30.0
"""Seconds by which `seen` may lag behind the calls."""

QUIET_S = 1800.0
"""Seconds without a call after which a session is over."""

MAX_TOUCHED_SESSIONS = 10_000
"""Calls and ends that are remembered until somebody asks for their sessions."""


class SessionRecord(Record):
    """One session."""

    id: str
    client: str | None
    version: str | None
    started: float
    """When its first call began, in seconds since 1970."""
    seen: float
    """When a late call of it began; calls of the last seconds do not count."""
    ended: float | None
    state: SessionState
    note: VaultPath | None
    """Its journal, if it has one."""


class SessionEvent(Record):
    """A call of a session, or its end."""

    id: str
    time: float
    state: SessionState = "active"
    client: str | None = None
    version: str | None = None


class SessionCalls(Record):
    """How often a session called one tool with one outcome."""

    tool: str
    code: str | None
    """The error code; None for success."""
    count: int
    tokens: int


class SessionFilter(Record):
    """Which sessions to list; None means any."""

    client: str | None = None
    since: float | None = None
    until: float | None = None
    state: SessionState | None = None


# The copy that saw the later call is the newer one.
SESSIONS = Subject(
    "sessions",
    tables=(
        StateTable(
            "session",
            "ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, ended = excluded.ended, state = excluded.state,"
            " note = excluded.note WHERE excluded.seen > seen",
            paths=("note",),
        ),
    ),
    migrations=(
        """
        CREATE TABLE session (
            id TEXT PRIMARY KEY, client TEXT, version TEXT, started REAL NOT NULL, seen REAL NOT NULL, ended REAL,
            state TEXT NOT NULL, note TEXT
        ) STRICT;
        """,
    ),
)

COLUMNS = ", ".join(SessionRecord.__struct_fields__)

LATEST_CALL = "coalesce((SELECT max(call.time) FROM call WHERE call.session = session.id), seen)"
"""When the last call of a session began."""

ON_CALL = f"""
    INSERT INTO session (id, client, version, started, seen, state)
    VALUES (:id, :client, :version, :time, :time, 'active')
    ON CONFLICT (id) DO UPDATE SET seen = max(seen, excluded.seen), ended = NULL, state = 'active'
    WHERE excluded.seen >= seen + {SEEN_EVERY_S} OR excluded.seen > ended
"""  # noqa: S608 - a number
ON_END = "UPDATE session SET seen = max(seen, :time), ended = :time, state = :state WHERE id = :id AND ended IS NULL"


class SessionLog:
    """The sessions of a vault. Calls that arrive and ends are written with the call log."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now
        self._touched: deque[str] = deque(maxlen=MAX_TOUCHED_SESSIONS)

    def record(self, event: SessionEvent) -> None:
        """Record a call of a session, or its end, at once."""
        with self._database.transaction() as connection:
            self.apply(connection, [event])

    def apply(self, connection: sqlite3.Connection, events: Iterable[SessionEvent]) -> None:
        for event in events:
            row = {"id": event.id, "time": event.time, "state": event.state}
            if event.state == "active":
                connection.execute(ON_CALL, row | {"client": event.client, "version": event.version})
            else:
                connection.execute(ON_END, row)
            self._touched.append(event.id)

    def take_touched(self) -> set[str]:
        """Return the sessions with calls or an end since this was last asked."""
        touched = set()
        # Without the lock, for which the event loop may not wait.
        while self._touched:
            touched.add(self._touched.popleft())
        return touched

    def find(self, id_: str) -> SessionRecord | None:
        return next(iter(self._select("WHERE id = ?", id_)), None)

    def latest(self, client: str | None) -> str | None:
        """Return the session of a client's last calls, unless it is completed or was quiet since."""
        now = self._now()
        # One that was seen later than now dates from before the clock was set back.
        rest = "WHERE client IS ? AND seen > ? AND seen < ? ORDER BY seen DESC LIMIT 1"
        found = self._select(rest, client, now - QUIET_S, now + QUIET_S)
        return found[0].id if found and found[0].state != "completed" else None

    def page(self, criteria: SessionFilter, limit: int, offset: int = 0) -> tuple[list[SessionRecord], int]:
        """Return sessions, the last begun first, and how many there are in all."""
        clauses = {
            "client = ? COLLATE NOCASE": criteria.client,
            "coalesce(ended, seen) >= ?": criteria.since,
            "started < ?": criteria.until,
            "state = ?": criteria.state,
        }
        given = {clause: value for clause, value in clauses.items() if value is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        count = f"SELECT count(*) FROM session {where}"  # noqa: S608 - our own clauses
        ((total,),) = self._database.rows(count, *given.values())
        rest = f"{where} ORDER BY started DESC, id LIMIT ? OFFSET ?"
        return self._select(rest, *given.values(), limit, offset), total

    def calls(self, id_: str) -> list[SessionCalls]:
        """Return the calls of a session, counted by tool and outcome, the most frequent first."""
        query = (
            "SELECT tool, code, count(*), sum(tokens) FROM call WHERE session = ?"
            " GROUP BY tool, code ORDER BY count(*) DESC, tool, code"
        )
        return [SessionCalls(*row) for row in self._database.rows(query, id_)]

    def before(self, session: SessionRecord) -> SessionRecord | None:
        """Return the last session of the same client before this one that has a journal."""
        rest = "WHERE client IS ? AND started < ? AND note IS NOT NULL ORDER BY started DESC LIMIT 1"
        return next(iter(self._select(rest, session.client, session.started)), None)

    def set_note(self, id_: str, note: VaultPath | None) -> None:
        """Record the journal of a session."""
        self._database.write("UPDATE session SET note = ? WHERE id = ?", (note, id_))

    def end_quiet(self) -> None:
        self._end_all("completed", self._now() - QUIET_S)

    def pause(self) -> list[str]:
        """End the open sessions, as the bridge stops, and return them."""
        return self._end_all("paused")

    def recover(self) -> None:
        """End the sessions that a crash left open."""
        self._end_all("incomplete")

    def purge(self, before: float) -> None:
        self._database.write("DELETE FROM session WHERE ended < ?", (before,))

    def _end_all(self, state: SessionState, before: float | None = None) -> list[str]:
        where = f"ended IS NULL AND (?2 IS NULL OR {LATEST_CALL} < ?2)"
        ended = f"UPDATE session SET ended = {LATEST_CALL}, state = ?1 WHERE {where} RETURNING id"  # noqa: S608
        with self._database.transaction() as connection:
            ids = [id_ for (id_,) in connection.execute(ended, (state, before)).fetchall()]
            self._touched.extend(ids)
        return ids

    def _select(self, rest: str, *values: Any) -> list[SessionRecord]:
        rows = self._database.rows(f"SELECT {COLUMNS} FROM session {rest}", *values)  # noqa: S608 - our own clauses
        return [SessionRecord(*row) for row in rows]
