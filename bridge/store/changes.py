"""Changes to notes: who made which and why, step by step; what the notes said lies beside, in snapshots."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from bridge.steps import Step, StepKind
from bridge.types import Digest, VaultPath

State = Literal["prepared", "applied", "proposed", "rejected", "expired", "undone", "conflict"]
"""What became of a change; a `prepared` one was begun, and a crash left open whether it was made."""

COLUMNS = "id, time, client, session, operation, reason, state, expires, facts"
INSERT = f"INSERT OR REPLACE INTO change ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no values
MARKS_AT_ONCE = 500
MOST = 100_000
"""Changes that are kept at most."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change, made or proposed."""

    id: str
    """Opaque; a later change has a greater one."""
    time: float
    """In seconds since 1970."""
    operation: str
    client: str | None = None
    session: str | None = None
    reason: str | None = None
    state: State = "applied"
    steps: tuple[Step, ...] = ()
    now: tuple[VaultPath, ...] = ()
    """Where the file of each step is today, whatever it was renamed to since; filled by the store."""
    gone: tuple[str | None, ...] = ()
    """The change that took the file of each step away, None while it is there; filled by the store."""
    expires: float | None = None
    """When a proposal is no longer waited for, in seconds since 1970."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """What else is to be told of it, such as the changes that it `undoes`; JSON."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes to list; what is None is not asked for."""

    since: float | None = None
    until: float | None = None
    client: str | None = None
    session: str | None = None
    operation: str | None = None
    state: State | None = None
    path: VaultPath | None = None
    """A file or folder that a change touched, by its name then or today."""


def insert(connection: sqlite3.Connection, change: Change, *, pending: bool) -> None:
    """Write a change; its steps are either its own or, pending, those that are about to be done."""
    now: list[str] = []
    for step in change.steps:
        # A proposal leaves the files where they are.
        moved = {step.path: step.to} if pending and step.kind == "move" and step.to else {}
        now = [moved_to(path, moved) for path in [*now, step.path]]
    head = (change.id, change.time, change.client, change.session, change.operation, change.reason, change.state)
    connection.execute(INSERT, (*head, change.expires, json.dumps(dict(change.facts))))
    connection.execute("DELETE FROM step WHERE change = ? AND pending = ?", (change.id, pending))
    connection.executemany(
        "INSERT INTO step VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        [
            (change.id, pending, number, step.kind, step.path, step.to, step.before, step.after, now[number])
            for number, step in enumerate(change.steps)
        ],
    )


def settle(connection: sqlite3.Connection, change: str, *, done: bool) -> None:
    """End what was pending of a change: it was done, or nothing was."""
    if not done:
        connection.execute("DELETE FROM step WHERE change = ? AND pending", (change,))
        connection.execute("DELETE FROM change WHERE id = ? AND state = 'prepared'", (change,))
        return
    connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
    connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))
    connection.execute("UPDATE change SET state = 'applied' WHERE id = ?", (change,))
    follow(connection, change)


def follow(connection: sqlite3.Connection, change: str) -> None:
    """Follow files through the steps of a change that was made: where they went, and whether they are there still."""
    back = turned(connection, change)
    rows = connection.execute(
        "SELECT number, kind, path, target, before, now FROM step WHERE change = ? ORDER BY number", (change,)
    )
    for number, kind, path, target, before, now in rows.fetchall():
        if kind == "move":
            move(connection, {path: target}, but=change)
        if kind in ("remove", "remove_folder"):
            lose(connection, change, number, path, now)
        elif kind != "put" or before is None:
            # What an undo brings back is what it was, whatever had its path in between.
            gone = [(taker, now) for taker in back]
            connection.executemany("UPDATE step SET gone = NULL WHERE gone = ? AND now = ?", gone)


def turned(connection: sqlite3.Connection, change: str) -> list[str]:
    """Return the changes that a change turned back, or the one that had turned back what it makes again."""
    found = one(connection, change)
    undone, redone = (found.facts.get(name) if found else None for name in ("undoes", "redoes"))
    again = one(connection, redone) if isinstance(redone, str) else None
    by = again.facts.get("undone_by") if again else None
    return [id_ for id_ in (*(undone if isinstance(undone, list) else ()), by) if isinstance(id_, str)]


def lose(connection: sqlite3.Connection, change: str, number: int, path: str, now: str) -> None:
    """Note that a step took a file or folder away: whatever has its path next is another."""
    connection.execute(
        "UPDATE step SET gone = ? WHERE gone IS NULL AND NOT pending"
        " AND (change != ? AND now = ? OR change = ? AND now = ? AND number <= ?)",
        (change, change, path, change, now, number),
    )


def move(connection: sqlite3.Connection, moved: Mapping[VaultPath, VaultPath], *, but: str = "") -> None:
    """Follow files and folders to their new paths, given by their old ones, in all changes but one.

    A file that was taken away goes along with its folder only.
    """
    after: list[tuple[str, int]] = []
    for old in moved:
        rows = connection.execute(
            # "0" comes after "/": what is between them is in the folder.
            "SELECT rowid, now FROM step WHERE (now = ? AND gone IS NULL OR now BETWEEN ? AND ?) AND change != ?",
            (old, f"{old}/", f"{old}0", but),
        )
        after += [(moved_to(now, moved), rowid) for rowid, now in rows if now != f"{old}0"]
    connection.executemany("UPDATE step SET now = ? WHERE rowid = ?", after)


def moved_to(path: str, moved: Mapping[VaultPath, VaultPath]) -> str:
    """Return where a path is after a move of it or of a folder that holds it."""
    head, rest = path, ""
    while head:
        if head in moved:
            return f"{moved[VaultPath(head)]}{rest}"
        head, slash, last = head.rpartition("/")
        rest = f"{slash}{last}{rest}"
    return path


def one(connection: sqlite3.Connection, change: str) -> Change | None:
    """Return a change; None when there is none."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM change WHERE id = ?", (change,)).fetchall()  # noqa: S608
    return next(iter(filled(connection, rows)), None)


def some(connection: sqlite3.Connection, wanted: Wanted, limit: int, offset: int) -> list[Change]:
    """Return changes, the newest first."""
    asked: dict[str, object] = {
        "time >= ?": wanted.since,
        "time < ?": wanted.until,
        "client = ?": wanted.client,
        "session = ?": wanted.session,
        "operation = ?": wanted.operation,
        "state = ?": wanted.state,
        "id IN (SELECT change FROM step, (SELECT ? AS asked) WHERE asked IN (path, target, now)"
        " OR instr(path, asked || '/') = 1 OR instr(now, asked || '/') = 1)": wanted.path,
    }
    given = {clause: value for clause, value in asked.items() if value is not None}
    where = " AND ".join(["state != 'prepared'", *given])
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608
        (*given.values(), limit, offset),
    )
    return filled(connection, rows.fetchall())


def past(connection: sqlite3.Connection, path: VaultPath, gone: str | None, limit: int) -> list[Change]:
    """Return the newest changes that were made of a file, the oldest first.

    Args:
        connection: The file of the vault's state.
        path: Where it is today.
        gone: The change that took it away.
        limit: How many.
    """
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change WHERE state IN ('applied', 'undone') AND id IN"  # noqa: S608
        " (SELECT change FROM step WHERE now = ? AND gone IS ? AND NOT pending) ORDER BY id DESC LIMIT ?",
        (path, gone, limit),
    )
    return filled(connection, rows.fetchall())[::-1]


def is_newest(connection: sqlite3.Connection, change: str, path: VaultPath, gone: str | None) -> bool:
    """Say whether no other change was made of a file after one; arguments as for `past`."""
    later = connection.execute(
        "SELECT 1 FROM step WHERE now = ? AND gone IS ? AND change > ? AND NOT pending LIMIT 1", (path, gone, change)
    )
    return later.fetchone() is None


def folder_moves(connection: sqlite3.Connection, after: str) -> list[tuple[str, VaultPath, VaultPath]]:
    """Return whence and where folders were moved after a change, each with the change that did it, the oldest first."""
    rows = connection.execute(
        "SELECT id, path, target FROM step JOIN change ON id = change WHERE kind = 'move' AND before IS NULL"
        " AND target IS NOT NULL AND NOT pending AND state IN ('applied', 'undone') AND id > ? ORDER BY id, number",
        (after,),
    )
    return [(change, VaultPath(path), VaultPath(target)) for change, path, target in rows]


def departures(connection: sqlite3.Connection, after: str) -> list[tuple[str, VaultPath]]:
    """Return from where changes in force took something away after a change, each with the change that did it."""
    rows = connection.execute(
        "SELECT id, path, facts FROM step JOIN change ON id = change WHERE kind IN ('move', 'remove')"
        " AND NOT pending AND state = 'applied' AND id > ? ORDER BY id, number",
        (after,),
    )
    return [(change, VaultPath(path)) for change, path, facts in rows if "undoes" not in json.loads(facts)]


def unsettled(connection: sqlite3.Connection) -> list[Change]:
    """Return the changes that were begun and not settled, with their pending steps, the oldest first."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change"  # noqa: S608
        " WHERE state = 'prepared' OR id IN (SELECT change FROM step WHERE pending) ORDER BY id"
    )
    return filled(connection, rows.fetchall(), pending=True)


def filled(
    connection: sqlite3.Connection, rows: Sequence[tuple[object, ...]], *, pending: bool = False
) -> list[Change]:
    """Make changes of rows of the table, with their steps."""
    found = [change_of(row) for row in rows]
    steps: dict[str, list[tuple[Step, VaultPath, str | None]]] = {change.id: [] for change in found}
    for start in range(0, len(found), MARKS_AT_ONCE):
        ids = [change.id for change in found[start : start + MARKS_AT_ONCE]]
        marks = ", ".join("?" * len(ids))
        for change, now, gone, *step in connection.execute(
            "SELECT change, now, gone, kind, path, target, before, after FROM step"  # noqa: S608
            f" WHERE pending = ? AND change IN ({marks}) ORDER BY number",
            (pending, *ids),
        ):
            steps[change].append((step_of(*step), VaultPath(now), gone))
    filled = []
    for change in found:
        parts = tuple(zip(*steps[change.id], strict=True)) or ((), (), ())
        filled.append(replace(change, steps=parts[0], now=parts[1], gone=parts[2]))
    return filled


def change_of(row: tuple[object, ...]) -> Change:
    """Make a change of a row, without its steps; a spoilt `facts` costs only these."""
    id_, time, client, session, operation, reason, state, expires, facts = cast("tuple[str, ...]", row)
    try:
        known = json.loads(facts)
    except ValueError:
        known = None
    return Change(
        id=id_,
        time=float(time),
        operation=operation,
        client=client,
        session=session,
        reason=reason,
        state=cast("State", state),
        expires=cast("float | None", expires),
        facts=known if isinstance(known, dict) else {},
    )


def step_of(kind: str, path: str, target: str | None, before: str | None, after: str | None) -> Step:
    """Make a step of a row."""
    return Step(
        cast("StepKind", kind),
        VaultPath(path),
        to=None if target is None else VaultPath(target),
        before=None if before is None else Digest(before),
        after=None if after is None else Digest(after),
    )


def set_state(connection: sqlite3.Connection, change: str, state: State, facts: Mapping[str, object]) -> None:
    """Say what became of a change, and more facts of it; what was pending of it is its own from now on."""
    add_facts(connection, change, facts)
    connection.execute("UPDATE change SET state = ? WHERE id = ?", (state, change))
    if connection.execute("SELECT 1 FROM step WHERE change = ? AND pending", (change,)).fetchone():
        connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
        connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))


def add_facts(connection: sqlite3.Connection, change: str, facts: Mapping[str, object]) -> None:
    """Say more of a change."""
    if (found := one(connection, change)) is not None:
        told = json.dumps({**found.facts, **facts})
        connection.execute("UPDATE change SET facts = ? WHERE id = ?", (told, change))


def expire(connection: sqlite3.Connection, moment: float) -> list[str]:
    """End the proposals whose time is over, and return them."""
    rows = connection.execute("SELECT id FROM change WHERE state = 'proposed' AND expires <= ?", (moment,)).fetchall()
    connection.executemany("UPDATE change SET state = 'expired' WHERE id = ?", rows)
    return [change for (change,) in rows]


def last(connection: sqlite3.Connection) -> str:
    """Return the greatest id."""
    (found,) = connection.execute("SELECT max(id) FROM change").fetchone()
    return found or ""


def forget(connection: sqlite3.Connection, denied: Callable[[VaultPath], bool]) -> None:
    """Delete changes that touched a note: nobody may undo half of one."""
    touched: Iterable[tuple[str, ...]] = connection.execute("SELECT change, path, target, now FROM step").fetchall()
    gone = {change for change, *paths in touched if any(path and denied(VaultPath(path)) for path in paths)}
    drop(connection, gone)


def purge(connection: sqlite3.Connection) -> None:
    """Delete the oldest changes of more than are kept, but none that is still open."""
    rows = connection.execute(
        "SELECT id FROM change WHERE state NOT IN ('prepared', 'proposed') ORDER BY id DESC LIMIT -1 OFFSET ?", (MOST,)
    )
    drop(connection, [change for (change,) in rows])


def drop(connection: sqlite3.Connection, changes: Collection[str]) -> None:
    """Delete changes."""
    connection.executemany("DELETE FROM change WHERE id = ?", [(change,) for change in changes])
    connection.executemany("DELETE FROM step WHERE change = ?", [(change,) for change in changes])


def needed(connection: sqlite3.Connection) -> list[tuple[Digest, float, bool]]:
    """Return the contents that steps speak of, those first that only the oldest changes need.

    Returns:
        Each with the time of the last change that needs it, and whether one needs it that is not settled.
    """
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
