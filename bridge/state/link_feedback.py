"""Stores the user's feedback on suggested links."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import astuple, dataclass

from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class LinkFeedback:
    """How often a link from one note to another, at one of its names, was accepted and declined.

    An accepted link that the user later removed counts as declined.
    """

    source: VaultPath
    target: VaultPath
    form: str
    """The name, case-folded."""
    accepted: int
    declined: int


def add(connection: sqlite3.Connection, verdict: LinkFeedback) -> None:
    """Add to the feedback on a link."""
    connection.execute(
        "INSERT INTO verdict (source, target, form, accepted, declined) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (source, target, form) DO UPDATE"
        " SET accepted = accepted + excluded.accepted, declined = declined + excluded.declined",
        astuple(verdict),
    )


def revive(connection: sqlite3.Connection, target: VaultPath, source: VaultPath | None) -> None:
    """Forget declined links to a note, in one note or in all."""
    connection.execute(
        "UPDATE verdict SET declined = 0 WHERE target = ? AND (? IS NULL OR source = ?)", (target, source, source)
    )


def notes_with_accepted(connection: sqlite3.Connection) -> frozenset[VaultPath]:
    """Return the notes in which a link was accepted."""
    rows = connection.execute("SELECT DISTINCT source FROM verdict WHERE accepted > 0")
    return frozenset(VaultPath(source) for (source,) in rows)


def mark_seen(connection: sqlite3.Connection, source: VaultPath, links: Collection[VaultPath]) -> None:
    """Record that a note now has links to some notes."""
    connection.executemany(
        "UPDATE verdict SET seen = 1 WHERE source = ? AND target = ?", [(source, target) for target in links]
    )


def decline_missing(connection: sqlite3.Connection, source: VaultPath, gone: Callable[[VaultPath], bool]) -> None:
    """Count accepted links of a note as declined if they were seen in it and are now gone."""
    rows = connection.execute("SELECT target FROM verdict WHERE source = ? AND seen AND accepted > 0", (source,))
    connection.executemany(
        "UPDATE verdict SET declined = declined + accepted, accepted = 0, seen = 0 WHERE source = ? AND target = ?",
        [(source, target) for (target,) in rows.fetchall() if gone(VaultPath(target))],
    )


def move(connection: sqlite3.Connection, moved: Mapping[VaultPath, VaultPath]) -> None:
    """Update the paths of moved notes; feedback under both paths is added up."""
    columns = "source, target, form, accepted, declined, seen"
    rows = connection.execute(f"SELECT {columns} FROM verdict").fetchall()  # noqa: S608 - no value of anybody's
    moving = [row for row in rows if not moved.keys().isdisjoint(row[:2])]
    connection.executemany("DELETE FROM verdict WHERE source = ? AND target = ? AND form = ?", [r[:3] for r in moving])
    connection.executemany(
        f"INSERT INTO verdict ({columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source, target, form) DO UPDATE"  # noqa: S608
        " SET accepted = accepted + excluded.accepted, declined = declined + excluded.declined,"
        " seen = max(seen, excluded.seen)",
        [(moved.get(source, source), moved.get(target, target), *rest) for source, target, *rest in moving],
    )


def all_feedback(connection: sqlite3.Connection) -> list[LinkFeedback]:
    """Return the feedback on every link."""
    rows = connection.execute(
        "SELECT source, target, form, accepted, declined FROM verdict ORDER BY source, target, form"
    )
    return [
        LinkFeedback(VaultPath(source), VaultPath(target), form, accepted, declined)
        for source, target, form, accepted, declined in rows
    ]


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Remove denied notes from all feedback."""
    gone: Iterable[LinkFeedback] = (v for v in all_feedback(connection) if denied(v.source) or denied(v.target))
    connection.executemany(
        "DELETE FROM verdict WHERE source = ? AND target = ?", [(v.source, v.target) for v in list(gone)]
    )
