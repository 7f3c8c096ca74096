"""What the user said to suggested links."""

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass

from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class Verdict:
    """How often a link from one note to another, at one of the other's names, was accepted and declined.

    A link that was accepted and later taken out by hand counts as declined.
    """

    source: VaultPath
    target: VaultPath
    form: str
    """The name, folded."""
    accepted: int
    declined: int


def add(connection: sqlite3.Connection, verdict: Verdict) -> None:
    """Add to what was said to a link."""
    connection.execute(
        "INSERT INTO verdict VALUES (?, ?, ?, ?, ?) ON CONFLICT (source, target, form) DO UPDATE"
        " SET accepted = accepted + excluded.accepted, declined = declined + excluded.declined",
        astuple(verdict),
    )


def revive(connection: sqlite3.Connection, target: VaultPath, source: VaultPath | None) -> None:
    """Forget that links to a note were declined, in one note or in all."""
    connection.execute(
        "UPDATE verdict SET declined = 0 WHERE target = ? AND (? IS NULL OR source = ?)", (target, source, source)
    )


def every(connection: sqlite3.Connection) -> list[Verdict]:
    """Return what was said to every link."""
    rows = connection.execute(
        "SELECT source, target, form, accepted, declined FROM verdict ORDER BY source, target, form"
    )
    return [
        Verdict(VaultPath(source), VaultPath(target), form, accepted, declined)
        for source, target, form, accepted, declined in rows
    ]


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Take notes out of all that was said."""
    gone: Iterable[Verdict] = (v for v in every(connection) if denied(v.source) or denied(v.target))
    connection.executemany(
        "DELETE FROM verdict WHERE source = ? AND target = ?", [(v.source, v.target) for v in list(gone)]
    )
