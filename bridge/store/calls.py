"""What was called: who, what, how it ended, and which notes it was about; never what was asked or answered."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, fields

from bridge.types import VaultPath

DAY_S = 86_400.0
KEPT_DAYS = 90
MOST = 100_000
"""Calls that are kept at most, some 50 MB: a program that calls without end must not fill the disk."""


@dataclass(frozen=True, slots=True)
class Recorded:
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
    """The code of the error; None when it was answered."""
    ms: float
    tokens: int
    """What was sent, estimated."""
    paths: tuple[VaultPath, ...]
    """Notes that it was about."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A note that a program read."""

    time: float
    reader: str
    """Who read it, and in which session if the program has sessions."""
    path: VaultPath


BETWEEN = "\0"
"""Stands between the paths of a call, since it is the one character that no path has."""

NAMES = [field.name for field in fields(Recorded)]
INSERT = f"INSERT INTO call ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"  # noqa: S608

PAGE = 2_000
"""Calls that are read at once: others wait meanwhile."""


def insert(connection: sqlite3.Connection, calls: Iterable[Recorded]) -> None:
    """Write calls."""
    connection.executemany(INSERT, ((*astuple(call)[:-1], joined(call.paths)) for call in calls))


def page(connection: sqlite3.Connection, since: float, after: int) -> tuple[list[Recorded], int | None]:
    """Return some calls from a moment on, and where to read on; None at the end.

    Args:
        connection: The file.
        since: The moment, in seconds since 1970.
        after: Where the page before said to read on; 0 for the first.
    """
    query = f"SELECT {', '.join(NAMES)}, id FROM call WHERE id > ? AND time >= ? ORDER BY id LIMIT ?"  # noqa: S608
    rows = connection.execute(query, (after, since, PAGE)).fetchall()
    calls = [Recorded(**dict(zip(NAMES, [*row[:-2], tuple(split(row[-2]))], strict=True))) for row in rows]
    return calls, rows[-1][-1] if len(rows) == PAGE else None


def readings(connection: sqlite3.Connection, since: float, most: int) -> list[Reading]:
    """Return which notes programs read from a moment on, the last first; people who type commands are none."""
    rows = connection.execute(
        "SELECT time, coalesce(client, ''), coalesce(session, ''), paths FROM call WHERE time >= ? AND paths != ''"
        " AND tool = 'read_note' AND code IS NULL AND transport IN ('http', 'mcp') ORDER BY id DESC LIMIT ?",
        (since, most),
    )
    return [
        Reading(at, f"{client}{BETWEEN}{session}", read)
        for at, client, session, paths in rows
        for read in split(paths)[:1]
    ]


def last_codes(connection: sqlite3.Connection, count: int) -> list[str | None]:
    """Return how the last calls ended, the last first."""
    return [code for (code,) in connection.execute("SELECT code FROM call ORDER BY id DESC LIMIT ?", (count,))]


def purge(connection: sqlite3.Connection, now: float) -> None:
    """Delete what is older than is kept, or more than is kept."""
    connection.execute("DELETE FROM call WHERE time < ?", (now - KEPT_DAYS * DAY_S,))
    connection.execute("DELETE FROM call WHERE id <= (SELECT max(id) FROM call) - ?", (MOST,))


def move(connection: sqlite3.Connection, moved: Mapping[VaultPath, VaultPath], after: int) -> int | None:
    """Follow notes to their new paths in some calls, and return where to go on as `page` does."""
    rows = connection.execute("SELECT id, paths FROM call WHERE id > ? ORDER BY id LIMIT ?", (after, PAGE)).fetchall()
    named = ((number, split(text)) for number, text in rows)
    changed = [
        (joined(moved.get(path, path) for path in paths), number)
        for number, paths in named
        if not moved.keys().isdisjoint(paths)
    ]
    connection.executemany("UPDATE call SET paths = ? WHERE id = ?", changed)
    return rows[-1][0] if len(rows) == PAGE else None


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Take notes out of all calls."""
    changed = []
    for number, text in connection.execute("SELECT id, paths FROM call WHERE paths != ''"):
        paths = split(text)
        kept = [path for path in paths if not denied(path)]
        if kept != paths:
            changed.append((joined(kept), number))
    connection.executemany("UPDATE call SET paths = ? WHERE id = ?", changed)


def joined(paths: Iterable[VaultPath]) -> str:
    """Write paths as they are kept; SQLite takes no broken Unicode."""
    return BETWEEN.join(paths).encode("utf-8", "replace").decode("utf-8")


def split(text: str) -> list[VaultPath]:
    """Read paths as they are kept."""
    return [VaultPath(path) for path in text.split(BETWEEN) if path]
