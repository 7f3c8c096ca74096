"""Where the files and folders of changes went, and whether they are there still."""

import json
import re
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.state.change_parts import read_hunk_states, turned_by
from bridge.state.change_records import COLUMNS, Change, build_changes, find_change, step_of
from bridge.types import VaultPath
from bridge.vault.plan import Step

Moment = tuple[str, int]
"""When a step was done: when its change was made, and its number there."""

MADE = "coalesce(made, id)"
GRAVE: Final = "\x1f"
"""Parts the name of a folder that was taken away from the change that did it, in the paths of what had been in it."""
WERE_MADE = "state IN ('applied', 'undone')"


@dataclass(frozen=True, slots=True)
class FolderEvent:
    """A folder that was moved, taken away or made."""

    moment: Moment
    step: Step
    by: str
    """The change."""
    back: frozenset[str]
    """The changes that took away what it brings back."""


def proposed_places(change: Change) -> list[tuple[str, str | None]]:
    """Return where the file of each step of a proposal is, which leaves all where they are.

    What the change would make comes with its id: it is not there.
    """
    return [_origin(change, number) for number in range(len(change.steps))]


def _origin(change: Change, number: int) -> tuple[str, str | None]:
    path, is_made = str(change.steps[number].path), False
    for step in reversed(change.steps[: number + 1]):
        makes = step.kind == "make_folder" or (step.kind == "put" and step.before is None)
        is_made = is_made or (makes and step.path == path)
        if step.kind == "move" and step.to is not None and not (is_made and step.to == path):
            path = path_after_moves(path, {step.to: step.path})
    return path, change.id if is_made else None


def follow(connection: sqlite3.Connection, change: str) -> None:
    """Follow files through the steps of a change that was made: where they went, and whether they are there still."""
    found = find_change(connection, change)
    facts = found.facts if found else {}
    turned = turned_by(facts)
    back = takers(connection, turned)
    rows = connection.execute(
        "SELECT number, kind, path, target, before, after FROM step WHERE change = ? ORDER BY number", (change,)
    )
    for number, kind, path, target, before, after in rows.fetchall():
        if kind == "move":
            move(connection, {path: target}, by=(change, number))
        if kind in ("remove", "remove_folder"):
            lose(connection, path, (change, number))
        elif kind == "make_folder" or (kind == "put" and before is None) or path.startswith("."):
            # What an undo brings back is what it was, whatever had its path in between; further steps may move it on.
            said = before or after
            restore(connection, (target or path, said), turned, back, again="redoes" in facts)


def takers(connection: sqlite3.Connection, ids: Collection[str]) -> set[str]:
    """Return the changes that may have taken away what comes back when changes are undone or made again."""
    turned = [other for id_ in ids if (other := find_change(connection, id_)) is not None]
    return {*ids, *(taker for other in turned for taker in other.gone if taker is not None)}


def lose(connection: sqlite3.Connection, path: str, by: tuple[str, int]) -> None:
    """Note that a step took a file or folder away: whatever has its path next is another."""
    change, number = by
    marks = len(path) + 1
    connection.execute(
        # What the same change took away from here before, and what was in it, is not what comes back first.
        "UPDATE step SET now = ? || substr(now, ?) WHERE now >= ? AND now < ? AND"
        " (gone = ? AND NOT pending AND ltrim(substr(now, ?), ?) = '' OR ltrim(substr(now, ?), ?) BETWEEN ? AND ?)",
        # A space comes after the mark, and "0" after "/".
        (f"{path}{GRAVE}", marks, path, f"{path} ", change, marks, GRAVE, marks, GRAVE, f"{change}/", f"{change}0"),
    )
    connection.execute(
        "UPDATE step SET gone = ? WHERE gone IS NULL AND NOT pending AND now = ? AND (change != ? OR number <= ?)",
        (change, path, change, number),
    )
    # What was in a folder that is gone does not go along with the next of its name.
    move(connection, {VaultPath(path): VaultPath(f"{path}{GRAVE}{change}")}, by=by, strictly=True)


def restore(
    connection: sqlite3.Connection,
    back: tuple[str, str | None],
    turned: Collection[str],
    takers: Collection[str],
    *,
    again: bool,
) -> None:
    """Note that a file or folder is back.

    Args:
        connection: The file of the vault's state.
        back: Where, and what it says; None for a folder.
        turned: The changes that are undone or made again: what one of them took away from there, or made there, the
            last of several, and before these what said the same.
        takers: Else what one of these changes took away that had the path, the last of several.
        again: Whether they are made again.
    """
    if not turned:
        return
    path, said = back
    kinds, content = ("('put', 'make_folder')", "after") if again else ("('remove', 'remove_folder')", "before")
    order = f"{content} IS ? DESC, {MADE} DESC, number DESC"
    query = f"SELECT now, gone FROM step JOIN change ON id = {{}} WHERE {{}} IN ({{}}) ORDER BY {order}"  # noqa: S608

    def found(by: str, ids: Collection[str], clause: str, *values: str) -> list[tuple[str, str]]:
        marks = f"{', '.join('?' * len(ids))}) AND ({clause}"
        return connection.execute(query.format(by, by, marks), (*ids, *values, said)).fetchall()

    rows = (
        found("change", turned, f"path = ? AND gone IS NOT NULL AND kind IN {kinds}", path)
        or found("gone", takers, "now = ?", path)
        or [row for row in found("gone", takers, "instr(now, ?)", GRAVE) if without_grave(row[0]) == path]
    )
    for now, taker in rows[:1]:
        connection.execute("UPDATE step SET gone = NULL, now = ? WHERE gone = ? AND now = ?", (path, taker, now))
        move(connection, {VaultPath(f"{now}{GRAVE}{taker}"): VaultPath(path)})


def move(
    connection: sqlite3.Connection,
    moved: Mapping[VaultPath, VaultPath],
    *,
    by: tuple[str, int] = ("", 0),
    strictly: bool = False,
) -> None:
    """Follow files and folders to their new paths, given by their old ones.

    A file that was taken away goes along with its folder only.

    Args:
        connection: The file of the vault's state.
        moved: The old and the new paths.
        by: The change and its step that did it: its later steps speak of what is there after it.
        strictly: Whether only what is in the folders goes.
    """
    after: list[tuple[str, int]] = []
    for old in moved:
        rows = connection.execute(
            # "0" comes after "/": what is between them is in the folder.
            "SELECT rowid, now FROM step WHERE (now = ? AND gone IS NULL OR now BETWEEN ? AND ?)"
            " AND (change != ? OR number <= ?)",
            (old, f"{old}/", f"{old}0", *by),
        )
        after += [
            (path_after_moves(now, moved), rowid)
            for rowid, now in rows
            if now != f"{old}0" and not (strictly and now == old)
        ]
    connection.executemany("UPDATE step SET now = ? WHERE rowid = ?", after)


def without_grave(path: str) -> str:
    """Return a path as it was while all of it was there."""
    return re.sub(f"{GRAVE}[^/]*", "", path)


def path_after_moves(path: str, moved: Mapping[VaultPath, VaultPath]) -> str:
    """Return where a path is after a move of it or of a folder that holds it."""
    head, rest = path, ""
    while head:
        if head in moved:
            return f"{moved[VaultPath(head)]}{rest}"
        head, slash, last = head.rpartition("/")
        rest = f"{slash}{last}{rest}"
    return path


def changes_of_file(connection: sqlite3.Connection, path: VaultPath, gone: str | None, limit: int) -> list[Change]:
    """Return the newest changes that were made of a file, the oldest first.

    Args:
        connection: The file of the vault's state.
        path: Where it is today.
        gone: The change that took it away.
        limit: How many.
    """
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM change WHERE {WERE_MADE} AND id IN"  # noqa: S608
        f" (SELECT change FROM step WHERE now = ? AND gone IS ? AND NOT pending) ORDER BY {MADE} DESC LIMIT ?",
        (path, gone, limit),
    )
    return build_changes(connection, rows.fetchall())[::-1]


def is_newest(connection: sqlite3.Connection, made: str, path: VaultPath, gone: str | None) -> bool:
    """Say whether no other change was made of a file after a moment; other arguments as for `past`."""
    later = connection.execute(
        "SELECT 1 FROM step JOIN change ON id = change"  # noqa: S608
        f" WHERE now = ? AND gone IS ? AND NOT pending AND {WERE_MADE} AND {MADE} > ? LIMIT 1",
        (path, gone, made),
    )
    return later.fetchone() is None


def folder_events(connection: sqlite3.Connection, since: str) -> list[FolderEvent]:
    """Return what happened to folders since a change was made, its own steps too, the oldest first."""
    rows = connection.execute(
        f"SELECT id, {MADE}, number, facts, kind, path, target, before, after FROM step JOIN change ON id = change"  # noqa: S608
        " WHERE (kind = 'move' AND before IS NULL OR kind IN ('make_folder', 'remove_folder'))"
        f" AND NOT pending AND {WERE_MADE} AND {MADE} >= ? ORDER BY {MADE}, number",
        (since,),
    ).fetchall()
    told = {id_: json.loads(facts) for id_, _, _, facts, *_ in rows}
    turned = {id_: turned_by(facts) for id_, facts in told.items()}
    # What undoes an undo takes away what that had brought back, as the change itself had; its switches name both.
    reached = {id_: turned[id_].union(each.change for each in read_hunk_states(facts)) for id_, facts in told.items()}
    backs = {
        id_: ids | {other for other, some in reached.items() if not ids.isdisjoint(some)} if ids else ids
        for id_, ids in turned.items()
    }
    return [
        FolderEvent((made, number), step_of(*step), id_, frozenset(backs[id_])) for id_, made, number, _, *step in rows
    ]


def departures(connection: sqlite3.Connection, after: str) -> list[tuple[str, Moment, VaultPath]]:
    """Return by which change in force, when and whence something was taken away after a moment, the oldest first.

    What is made again is taken away by the change that was undone.
    """
    rows = connection.execute(
        f"SELECT id, {MADE}, number, path, facts FROM step JOIN change ON id = change"  # noqa: S608
        f" WHERE kind IN ('move', 'remove') AND NOT pending AND state = 'applied' AND {MADE} > ?"
        f" ORDER BY {MADE}, number",
        (after,),
    )
    found = [(id_, (made, number), VaultPath(path), json.loads(facts)) for id_, made, number, path, facts in rows]
    applied = {facts["redoes"]: find_change(connection, facts["redoes"]) for *_, facts in found if "redoes" in facts}
    return [
        (facts.get("redoes", id_), moment, path)
        for id_, moment, path, facts in found
        if not _is_back(connection, facts)
        and ("redoes" not in facts or ((of := applied[facts["redoes"]]) is not None and of.state == "applied"))
    ]


def _is_back(connection: sqlite3.Connection, facts: Mapping[str, object]) -> bool:
    """Say whether a change, by its facts, undid others, or made again one that did."""
    if "undoes" in facts or "redoes" not in facts:
        return "undoes" in facts
    made = find_change(connection, str(facts["redoes"]))
    return made is not None and _is_back(connection, made.facts)
