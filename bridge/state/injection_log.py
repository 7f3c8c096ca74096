"""Logs which notes were brought into which session and why, and which the user keeps from it; never their text."""

from collections.abc import Iterable, Sequence
from typing import Final

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.types import VaultPath

_MERGE: Final = (
    "ON CONFLICT (session, path) DO UPDATE SET times = max(times, excluded.times), time = max(time, excluded.time),"
    " tokens = max(tokens, excluded.tokens), withheld = max(withheld, excluded.withheld)"
)
"""A refusal outlives every merge."""

INJECTIONS: Final = Subject(
    "injections",
    tables=(StateTable("injection", _MERGE, paths=("path",), join=_MERGE),),
    migrations=(
        """
        CREATE TABLE injection (
            id INTEGER PRIMARY KEY, session TEXT NOT NULL, path TEXT NOT NULL, tool TEXT NOT NULL, why TEXT NOT NULL,
            tokens INTEGER NOT NULL, times INTEGER NOT NULL, time REAL NOT NULL, withheld INTEGER NOT NULL,
            UNIQUE (session, path)
        ) STRICT;
        """,
    ),
)

_SEPARATOR: Final = "\n"
"""Separates the reasons."""


class InjectedNote(Record):
    """A note in the answer to a session."""

    path: VaultPath
    why: tuple[str, ...]
    tokens: int


class Injection(Record):
    """A note that was brought into a session, or that the user keeps from it."""

    session: str
    path: VaultPath
    tool: str
    """The operation that brought it last; empty if none did."""
    why: tuple[str, ...]
    tokens: int
    """The tokens that it took the last time."""
    times: int
    time: float
    """When it was brought in last, or withheld."""
    withheld: bool
    """Whether the user keeps it from the session."""


class InjectionLog:
    """What was brought into the sessions of a vault."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, session: str, tool: str, notes: Iterable[InjectedNote], moment: float) -> None:
        statement = (
            "INSERT INTO injection (session, path, tool, why, tokens, times, time, withheld)"
            " VALUES (?, ?, ?, ?, ?, 1, ?, 0) ON CONFLICT (session, path) DO UPDATE SET tool = excluded.tool,"
            " why = excluded.why, tokens = excluded.tokens, times = times + 1, time = excluded.time"
        )
        rows = [(session, note.path, tool, _SEPARATOR.join(note.why), note.tokens, moment) for note in notes]
        if rows:
            self._database.write(statement, *rows)

    def withhold(self, session: str, path: VaultPath, moment: float, *, withheld: bool) -> None:
        self._database.write(
            "INSERT INTO injection (session, path, tool, why, tokens, times, time, withheld)"
            " VALUES (?, ?, '', '', 0, 0, ?, ?) ON CONFLICT (session, path) DO UPDATE SET withheld = excluded.withheld",
            (session, path, moment, withheld),
        )

    def withheld(self, session: str) -> frozenset[VaultPath]:
        """Return the notes that the user keeps from a session."""
        query = "SELECT path FROM injection WHERE session = ? AND withheld"
        return frozenset(VaultPath(path) for (path,) in self._database.rows(query, session))

    def of_sessions(self, sessions: Sequence[str]) -> list[Injection]:
        """Return what was brought into some sessions or kept from them, the last first in each."""
        columns = "session, path, tool, why, tokens, times, time, withheld"
        query = f"SELECT {columns} FROM injection WHERE session = ? ORDER BY time DESC, id"  # noqa: S608 - our own names
        rows = [row for session in sessions for row in self._database.rows(query, session)]
        return [
            Injection(
                of, VaultPath(path), tool, tuple(filter(None, why.split(_SEPARATOR))), tokens, times, time, bool(no)
            )
            for of, path, tool, why, tokens, times, time, no in rows
        ]

    def latest_sessions(self, most: int) -> list[str]:
        """Return the sessions into which something was brought, the last first."""
        query = "SELECT session FROM injection GROUP BY session ORDER BY max(time) DESC LIMIT ?"
        return [session for (session,) in self._database.rows(query, most)]

    def purge(self, before: float) -> None:
        self._database.write("DELETE FROM injection WHERE time < ?", (before,))
