"""Records how the graph grows: one row a day, with the differences from the day before."""

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Mapping

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import Begin, Denied, Moved, StateTable, Subject
from bridge.types import VaultPath

MAX_DAYS = 400

MAX_NAMED_NOTES = 200
"""Notes of each kind that are listed for a day."""


class Changes(Record):
    """The differences from the day before; only the notes that changed most."""

    appeared: tuple[VaultPath, ...] = ()
    vanished: tuple[VaultPath, ...] = ()
    grown: tuple[tuple[VaultPath, int], ...] = ()
    """Notes of both days, with the change of their degree."""

    def replace_paths(self, new: Callable[[VaultPath], VaultPath | None]) -> "Changes":
        """Return the differences with other paths; what has none is left out."""
        grown = ((new(path), more) for path, more in self.grown)
        return Changes(
            tuple(filter(None, map(new, self.appeared))),
            tuple(filter(None, map(new, self.vanished))),
            tuple((path, more) for path, more in grown if path),
        )


class LinkCounts(Record):
    """Totals of the graph.

    Attributes:
        notes: Notes.
        links: Pairs of notes joined by links or arrows.
        stubs: Unresolved names.
    """

    notes: int
    links: int
    stubs: int


class Day(Record):
    """The graph of a day, as last recorded."""

    day: str
    """In ISO 8601, local time."""
    size: LinkCounts
    changes: Changes


Degrees = Mapping[VaultPath, int]
"""The degree of each note: how many notes it is linked with."""


class GraphDays:
    """The graph of each day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, day: str, size: LinkCounts, joined: Degrees) -> None:
        """Record the graph of a day: its size, and the degree of each note; may be called again on the same day."""
        with self._database.transaction() as connection:
            earlier = connection.execute(
                "SELECT state FROM graph_day WHERE day < ? AND state IS NOT NULL ORDER BY day DESC LIMIT 1", (day,)
            ).fetchone()
            before = None if earlier is None else decompress_day(earlier[0])
            changes = Changes() if before is None else compare_days(before, joined)
            connection.execute(
                "INSERT OR REPLACE INTO graph_day VALUES (?, ?, ?, ?, ?, ?)",
                (day, size.notes, size.links, size.stubs, encode_changes(changes), compress_day(joined)),
            )
            # The full state is only needed for today and for the day that it is compared with.
            connection.execute(
                "UPDATE graph_day SET state = NULL WHERE day < (SELECT max(day) FROM graph_day WHERE day < ?)", (day,)
            )
            connection.execute(
                "DELETE FROM graph_day WHERE day NOT IN (SELECT day FROM graph_day ORDER BY day DESC LIMIT ?)",
                (MAX_DAYS,),
            )

    def since(self, day: str) -> list[Day]:
        query = "SELECT day, notes, links, stubs, changes FROM graph_day WHERE day >= ? ORDER BY day"
        rows = self._database.rows(query, day)
        return [Day(at, LinkCounts(*size), decode_changes(changes)) for at, *size, changes in rows]


def compare_days(before: Degrees, now: Degrees) -> Changes:
    grown = {path: now[path] - before[path] for path in now.keys() & before.keys() if now[path] != before[path]}
    return Changes(
        tuple(sorted(now.keys() - before.keys(), key=lambda path: (-now[path], path))[:MAX_NAMED_NOTES]),
        tuple(sorted(before.keys() - now.keys(), key=lambda path: (-before[path], path))[:MAX_NAMED_NOTES]),
        tuple(sorted(grown.items(), key=lambda item: (-abs(item[1]), item[0]))[:MAX_NAMED_NOTES]),
    )


def encode_changes(changes: Changes) -> str:
    return json.dumps([changes.appeared, changes.vanished, changes.grown])


def decode_changes(text: str) -> Changes:
    try:
        appeared, vanished, grown = json.loads(text)
        return Changes(tuple(appeared), tuple(vanished), tuple((path, int(more)) for path, more in grown))
    except (ValueError, TypeError):
        return Changes()


def compress_day(joined: Degrees) -> bytes:
    return zlib.compress(json.dumps(dict(joined)).encode())


def decompress_day(state: bytes | None) -> Degrees | None:
    if state is None:
        return None
    try:
        found = json.loads(zlib.decompress(state))
        return {VaultPath(path): int(count) for path, count in found.items()}
    except (ValueError, TypeError, AttributeError, zlib.error):
        return None


def forget(connection: sqlite3.Connection, denied: Denied) -> None:
    for day, changes, state in connection.execute("SELECT day, changes, state FROM graph_day").fetchall():
        joined = decompress_day(state)
        rest = None if joined is None else {path: n for path, n in joined.items() if not denied(path)}
        _replace(
            connection, day, decode_changes(changes).replace_paths(lambda path: None if denied(path) else path), rest
        )


def move(begin: Begin, moved: Moved) -> None:
    """Update the paths of moved notes in all days, so that none seems to vanish and another to appear."""
    # Most days name none of them, and need not be decoded.
    common = json.dumps(os.path.commonprefix([*moved]))[1:-1]  # noqa: RUF071 - by characters
    query = "SELECT day, changes, state FROM graph_day WHERE state IS NOT NULL OR instr(changes, ?)"
    with begin() as connection:
        for day, text, state in connection.execute(query, (common,)).fetchall():
            changes, joined = decode_changes(text), decompress_day(state)
            after = changes.replace_paths(lambda path: moved.get(path, path))
            if after != changes or (joined is not None and not joined.keys().isdisjoint(moved)):
                rest = None if joined is None else {moved.get(path, path): n for path, n in joined.items()}
                _replace(connection, day, after, rest)


def _replace(connection: sqlite3.Connection, day: str, changes: Changes, joined: Degrees | None) -> None:
    state = None if joined is None else compress_day(joined)
    query = "UPDATE graph_day SET changes = ?, state = ? WHERE day = ?"
    connection.execute(query, (encode_changes(changes), state, day))


# Any copy of a day will do.
GRAPH_DAYS = Subject(
    "graph_days", tables=(StateTable("graph_day", "ON CONFLICT (day) DO NOTHING"),), forget=forget, move=move
)
