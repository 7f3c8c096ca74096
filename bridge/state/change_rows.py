"""Writes changes through their lifecycle: begun, made or dropped, proposed, expired and deleted."""

import sqlite3
from collections.abc import Collection, Iterable

from bridge.state import file_history
from bridge.state.change_records import COLUMNS, Change, State, encode_facts, find_change, set_hunk_states
from bridge.state.tables import Denied
from bridge.types import Digest, VaultPath

INSERT = f"INSERT OR REPLACE INTO change ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no values


def insert(connection: sqlite3.Connection, change: Change, *, pending: bool) -> None:
    """Insert a change; its steps are either its own or, if pending, those that are about to be made."""
    # A proposal leaves the files where they are; the files of a change are followed once it is made.
    now = [(step.path, None) for step in change.steps] if pending else file_history.proposed_places(change)
    head = (change.id, change.time, change.client, change.session, change.operation, change.reason, change.state)
    connection.execute(INSERT, (*head, change.expires, encode_facts(change.facts), change.made or None))
    connection.execute("DELETE FROM step WHERE change = ? AND pending = ?", (change.id, pending))
    connection.executemany(
        "INSERT INTO step VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                change.id,
                pending,
                number,
                step.kind,
                step.path,
                step.to,
                step.before,
                step.after,
                *now[number],
                step.inode if step.inode is None else str(step.inode),
            )
            for number, step in enumerate(change.steps)
        ],
    )


def settle(connection: sqlite3.Connection, change: str, made: str | None) -> None:
    """Settle the pending steps of a change: it was made, with `made` as for `mark_made`, or nothing was done."""
    if made is None:
        connection.execute("DELETE FROM step WHERE change = ? AND pending", (change,))
        connection.execute("DELETE FROM change WHERE id = ? AND state = 'prepared'", (change,))
        return
    connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
    connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))
    mark_made(connection, change, made)
    file_history.follow(connection, change)


def mark_made(connection: sqlite3.Connection, change: str, made: str) -> None:
    """Mark a change as made after all others, and switch the parts of changes that it undoes or redoes."""
    connection.execute(
        "UPDATE change SET made = iif(state = 'prepared', NULL, ?), state = 'applied' WHERE id = ?", (made, change)
    )
    if (found := find_change(connection, change)) is not None:
        set_hunk_states(connection, found.facts.switches, found.facts)


def set_state(connection: sqlite3.Connection, change: str, state: State) -> None:
    """Set the state of a change; its pending steps become its own."""
    connection.execute("UPDATE change SET state = ? WHERE id = ?", (state, change))
    if connection.execute("SELECT 1 FROM step WHERE change = ? AND pending", (change,)).fetchone():
        connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
        connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))
        if state == "conflict":
            # It was made as far as these steps go.
            file_history.follow(connection, change)


def forget(connection: sqlite3.Connection, denied: Denied) -> None:
    """Delete changes that touched a denied note: no change may be undone in part."""
    touched: Iterable[tuple[str, ...]] = connection.execute("SELECT change, path, target, now FROM step").fetchall()
    gone = {change for change, *paths in touched if any(path and denied(VaultPath(path)) for path in paths)}
    drop(connection, gone)


def drop_settled(connection: sqlite3.Connection) -> None:
    """Delete pending steps of settled changes, left by an older copy of the file; those without others count as own."""
    settled = "pending AND change IN (SELECT id FROM change WHERE state NOT IN ('prepared', 'proposed'))"
    connection.execute(
        f"DELETE FROM step WHERE {settled}"  # noqa: S608
        " AND EXISTS (SELECT 1 FROM step AS own WHERE own.change = step.change AND NOT own.pending)"
    )
    connection.execute(f"UPDATE step SET pending = 0 WHERE {settled}")  # noqa: S608


def drop(connection: sqlite3.Connection, changes: Collection[str]) -> None:
    connection.executemany("DELETE FROM change WHERE id = ?", [(change,) for change in changes])
    connection.executemany("DELETE FROM step WHERE change = ?", [(change,) for change in changes])


def needed_contents(connection: sqlite3.Connection) -> list[tuple[Digest, float, bool]]:
    """Return the contents that steps need, those needed only by the oldest changes first."""
    return connection.execute(
        """
        SELECT digest, max(time), max(open) FROM (
            SELECT before AS digest, id, time, pending OR state = 'proposed' AS open
            FROM step JOIN change ON id = change WHERE before IS NOT NULL
            UNION ALL
            SELECT after, id, time, pending OR state = 'proposed'
            FROM step JOIN change ON id = change WHERE after IS NOT NULL
        ) GROUP BY digest ORDER BY max(id)
        """
    ).fetchall()
