"""Reads changes: who made which and why, step by step; the contents of notes are in snapshots."""

import json
import re
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from msgspec import DecodeError, field
from msgspec.json import decode, encode
from msgspec.structs import replace

from bridge.records import Record
from bridge.types import Digest, VaultPath
from bridge.vault.paths import parents
from bridge.vault.plan import Step, StepKind

State = Literal["prepared", "applied", "proposed", "rejected", "expired", "undone", "conflict"]
"""The state of a change; a `prepared` one was begun, and a crash left open whether it was made."""

COLUMNS = "id, time, client, session, operation, reason, state, expires, facts, made"
MARKS_AT_ONCE = 500

REST_PART: Final = 0
"""The part of a change outside its hunks, such as moves; hunks are counted from 1."""


GRAVE: Final = "\x1f"
"""In the paths of files inside a removed folder, separates the folder's name from the change that removed it."""


def without_grave(path: str) -> str:
    """Return a path without the marks of removed folders."""
    return re.sub(f"{GRAVE}[^/]*", "", path)


class HunkState(Record, array_like=True):
    """Parts of a change that another change switches on or off."""

    change: str
    parts: frozenset[int]
    on: bool
    of: int
    """The number of parts of the change."""


class ChangeFacts(Record, omit_defaults=True, forbid_unknown_fields=False):
    """What is stored of a change as JSON; what only earlier versions stored is left out."""

    undoes: tuple[str, ...] = ()
    """The changes that it undoes."""
    redoes: str | None = None
    """The change that it redoes."""
    switches: tuple[HunkState, ...] = ()
    """The hunk states that it sets, in order."""
    undone: frozenset[int] = frozenset()
    """Its parts that are inactive."""
    absent: frozenset[int] = frozenset()
    """Those of them that nothing undid: their note was gone. Parts that are active again may be among them."""
    by: Literal["disk", "obsidian"] | None = None
    """Who writes it: the bridge, or the editor that claimed it."""
    by_client: bool = False
    """Whether an agent made or proposed it, one with a token of its own or without."""
    forecast: bool = False
    """Whether it is compared with its forecast, also when a proposal of it is accepted."""
    skips_overtaken: bool = field(default=False, name="apart")
    """Whether each note changes on its own, so that one that changed since can be left out."""
    renames: tuple[tuple[str, str], ...] = ()
    """Tags, properties, headings, aliases and texts that it replaces, each with the new one; empty if there is none."""
    sources: tuple[VaultPath, ...] = ()
    """Notes whose text it writes into others: a template, or the note that is merged or split."""
    agreement: str | None = None
    """The id by which the agents' folder that it sets up counts from then on."""
    effects: frozenset[str] = frozenset()
    """Of a proposal: keys of what it does to each file, by which one with the same effect is known."""
    declined: float | None = None
    """When the user rejected it, in seconds since 1970."""

    @property
    def targets(self) -> frozenset[str]:
        """The changes that it undoes or redoes."""
        return frozenset(self.undoes if self.redoes is None else (*self.undoes, self.redoes))


class Change(Record):
    """One change, made or proposed."""

    id: str
    """Opaque; a later change or proposal has a greater one."""
    time: float
    """In seconds since 1970."""
    operation: str
    client: str | None = None
    session: str | None = None
    reason: str | None = None
    state: State = "applied"
    steps: tuple[Step, ...] = ()
    now: tuple[VaultPath, ...] = ()
    """The current path of each step's file, across later moves, with the marks of removed folders; filled by the
    store."""
    gone: tuple[str | None, ...] = ()
    """The change that took each step's file away, None while it exists; filled by the store."""
    expires: float | None = None
    """When a proposal expires, in seconds since 1970."""
    facts: ChangeFacts = ChangeFacts()
    made: str = ""
    """Orders changes by when they were made: its id, or a later one if it was proposed; filled by the store."""

    @property
    def places(self) -> tuple[VaultPath, ...]:
        """The current path of each step's file, as it is called."""
        return tuple(VaultPath(without_grave(path)) for path in self.now)


class ChangeFilter(Record):
    """Which changes to list; None means any."""

    since: float | None = None
    until: float | None = None
    client: str | None = None
    session: str | None = None
    operation: str | None = None
    state: State | None = None
    path: VaultPath | None = None
    """A file or folder that a change touched, by its path then or now."""


def find_change(connection: sqlite3.Connection, change: str) -> Change | None:
    rows = connection.execute(f"SELECT {COLUMNS} FROM change WHERE id = ?", (change,)).fetchall()  # noqa: S608
    return next(iter(build_changes(connection, rows)), None)


def find_changes(connection: sqlite3.Connection, criteria: ChangeFilter, limit: int, offset: int) -> list[Change]:
    clauses: dict[str, object] = {
        "time >= ?": criteria.since,
        "time < ?": criteria.until,
        "client = ? COLLATE NOCASE": criteria.client,
        "session = ?": criteria.session,
        "operation = ?": criteria.operation,
        "state = ?": criteria.state,
        "id IN (SELECT change FROM step, (SELECT ? AS asked) WHERE asked IN (path, target, now)"
        " OR instr(path, asked || '/') = 1 OR instr(now, asked || '/') = 1)": criteria.path,
    }
    given = {clause: value for clause, value in clauses.items() if value is not None}
    where = " AND ".join(["state != 'prepared'", *given])
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608
        (*given.values(), limit, offset),
    )
    return build_changes(connection, rows.fetchall())


def find_proposals(connection: sqlite3.Connection, paths: Collection[VaultPath], now: float) -> list[Change]:
    """Return the proposals that wait for files, or move a folder of them, the newest first."""
    folders = {folder for path in paths for folder in parents(path)}
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change WHERE state = 'proposed' AND expires > :now AND id IN"  # noqa: S608
        " (SELECT change FROM step WHERE NOT pending AND kind NOT IN ('make_folder', 'remove_folder') AND ("
        "path IN (SELECT value FROM json_each(:paths)) OR target IN (SELECT value FROM json_each(:paths))"
        " OR now IN (SELECT value FROM json_each(:paths))"
        " OR kind = 'move' AND path IN (SELECT value FROM json_each(:folders))))"
        " ORDER BY id DESC",
        {"now": now, "paths": json.dumps([*paths]), "folders": json.dumps([*folders])},
    )
    return build_changes(connection, rows.fetchall())


def find_move(connection: sqlite3.Connection, path: VaultPath) -> VaultPath | None:
    """Return where the file is that a change moved away from a path, with a folder if not by itself; None if none."""
    found = connection.execute(
        "SELECT step.path, now FROM step JOIN change ON id = change WHERE kind = 'move' AND NOT pending"
        " AND gone IS NULL AND state = 'applied' AND (step.path = :path OR instr(:path, step.path || '/') = 1)"
        " ORDER BY step.path = :path DESC, coalesce(made, id) DESC, number DESC LIMIT 1",
        {"path": path},
    ).fetchone()
    return None if found is None else VaultPath(found[1] + path[len(found[0]) :])


def build_changes(
    connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]], *, pending: bool = False
) -> list[Change]:
    found = [change_of(row) for row in rows]
    steps: dict[str, list[tuple[Step, VaultPath, str | None]]] = {change.id: [] for change in found}
    for start in range(0, len(found), MARKS_AT_ONCE):
        ids = [change.id for change in found[start : start + MARKS_AT_ONCE]]
        marks = ", ".join("?" * len(ids))
        for change, now, gone, *step in connection.execute(
            "SELECT change, now, gone, kind, path, target, before, after, inode, spelling, mode FROM step"  # noqa: S608
            f" WHERE pending = ? AND change IN ({marks}) ORDER BY number",
            (pending, *ids),
        ):
            steps[change].append((step_of(*step), VaultPath(now), gone))
    filled = []
    for change in found:
        parts = tuple(zip(*steps[change.id], strict=True)) or ((), (), ())
        filled.append(replace(change, steps=parts[0], now=parts[1], gone=parts[2]))
    return filled


def change_of(row: tuple[Any, ...]) -> Change:
    """Build a change from a row, without its steps."""
    values = dict(zip(COLUMNS.split(", "), row, strict=True))
    return Change(**{**values, "facts": read_facts(values["facts"]), "made": values["made"] or values["id"]})


def read_facts(data: str) -> ChangeFacts:
    """Read the facts of a row; damaged ones are dropped."""
    try:
        return decode(data, type=ChangeFacts)
    except DecodeError:
        return ChangeFacts()


def encode_facts(facts: ChangeFacts) -> str:
    return encode(facts, order="deterministic").decode()


def step_of(
    kind: StepKind,
    path: VaultPath,
    target: VaultPath | None,
    before: Digest | None,
    after: Digest | None,
    inode: str | None = None,
    spelling: str | None = None,
    mode: int | None = None,
) -> Step:
    return Step(kind, path, target, before, after, None if inode is None else int(inode), spelling, mode)


def set_hunk_states(connection: sqlite3.Connection, switches: Collection[HunkState], by: ChangeFacts | None) -> None:
    """Switch parts of changes on or off; a repetition changes nothing."""
    for done in switches:
        change = find_change(connection, done.change)
        if change is None or change.state not in ("applied", "undone", "conflict"):
            continue
        facts = change.facts
        undone = facts.undone - done.parts if done.on else facts.undone | done.parts
        absent = facts.absent
        if by is None and any(change.gone):
            absent = (absent & facts.undone) | done.parts
        elif by is not None and change.id in by.targets:
            absent = frozenset()
        cut_off = change.state == "conflict"
        state = "undone" if len(undone) >= done.of else "conflict" if cut_off else "applied"
        connection.execute(
            "UPDATE change SET state = ?, facts = ? WHERE id = ?",
            (state, encode_facts(replace(facts, undone=undone, absent=absent)), change.id),
        )
