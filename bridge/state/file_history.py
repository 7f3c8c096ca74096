"""Tracks the current paths of the files and folders of changes, and whether they still exist."""

import sqlite3
from collections.abc import Collection, Mapping

from bridge.records import Record
from bridge.state.change_records import (
    COLUMNS,
    GRAVE,
    Change,
    ChangeFacts,
    build_changes,
    find_change,
    read_facts,
    step_of,
    without_grave,
)
from bridge.state.database import Database
from bridge.types import VaultPath
from bridge.vault.plan import Step

Moment = tuple[str, int]
"""When a step was made: the time of its change, as an id, and its number in it."""

ORDER_KEY = "coalesce(made, id)"
WERE_MADE = "state IN ('applied', 'undone')"


class FolderEvent(Record):
    """A folder that was moved, removed or made."""

    moment: Moment
    step: Step
    by: str
    """The id of the change."""
    back: frozenset[str]
    """The changes that took away what it restores."""


def proposed_places(change: Change) -> list[tuple[str, str | None]]:
    """Return the current path of each step's file for a proposal, which leaves all files where they are.

    A file that the change would create comes with the change's id, since it does not exist.
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
    """Track files through the steps of a change that was made: their current paths, and whether they still exist."""
    found = find_change(connection, change)
    facts = found.facts if found else ChangeFacts()
    turned = facts.targets
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
            # An undo restores the original file, whatever had its path in between; further steps may move it on.
            said = before or after
            restore(connection, (target or path, said), turned, back, again=facts.redoes is not None)


def takers(connection: sqlite3.Connection, ids: Collection[str]) -> set[str]:
    turned = [other for id_ in ids if (other := find_change(connection, id_)) is not None]
    return {*ids, *(taker for other in turned for taker in other.gone if taker is not None)}


def lose(connection: sqlite3.Connection, path: str, by: tuple[str, int]) -> None:
    """Record that a step took a file or folder away: the next one at its path is another."""
    change, number = by
    marks = len(path) + 1
    connection.execute(
        # Of several that one change took away from here, an earlier one and its content are not restored first.
        "UPDATE step SET now = ? || substr(now, ?) WHERE now >= ? AND now < ? AND"
        " (gone = ? AND NOT pending AND ltrim(substr(now, ?), ?) = '' OR ltrim(substr(now, ?), ?) BETWEEN ? AND ?)",
        # A space comes after the mark, and "0" after "/".
        (f"{path}{GRAVE}", marks, path, f"{path} ", change, marks, GRAVE, marks, GRAVE, f"{change}/", f"{change}0"),
    )
    connection.execute(
        "UPDATE step SET gone = ? WHERE gone IS NULL AND NOT pending AND now = ? AND (change != ? OR number <= ?)",
        (change, path, change, number),
    )
    # The content of a removed folder does not follow the next folder of its name.
    move(connection, {VaultPath(path): VaultPath(f"{path}{GRAVE}{change}")}, by=by, strictly=True)


def restore(
    connection: sqlite3.Connection,
    back: tuple[str, str | None],
    turned: Collection[str],
    takers: Collection[str],
    *,
    again: bool,
) -> None:
    """Record that a file or folder was restored."""
    if not turned:
        return
    path, said = back
    kinds, content = ("('put', 'make_folder')", "after") if again else ("('remove', 'remove_folder')", "before")
    order = f"{content} IS ? DESC, {ORDER_KEY} DESC, number DESC"
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
    """Update the paths of moved files and folders, given by their old paths.

    A file that was taken away follows only the moves of its folder.
    """
    after: list[tuple[str, int]] = []
    for old in moved:
        rows = connection.execute(
            # "0" comes after "/": the paths between them are in the folder.
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


def path_after_moves(path: str, moved: Mapping[VaultPath, VaultPath]) -> str:
    head, rest = path, ""
    while head:
        if head in moved:
            return f"{moved[VaultPath(head)]}{rest}"
        head, slash, last = head.rpartition("/")
        rest = f"{slash}{last}{rest}"
    return path


class FileHistory:
    """The changes of each file and folder, wherever it has moved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def past(self, path: VaultPath, gone: str | None = None, limit: int = 1_000) -> list[Change]:
        """Return the newest changes of a file, the oldest first."""
        query = (
            f"SELECT {COLUMNS} FROM change WHERE {WERE_MADE} AND id IN"  # noqa: S608
            f" (SELECT change FROM step WHERE now = ? AND gone IS ? AND NOT pending) ORDER BY {ORDER_KEY} DESC LIMIT ?"
        )
        return self._database.read(
            lambda connection: build_changes(connection, connection.execute(query, (path, gone, limit)).fetchall())
        )[::-1]

    def is_newest(self, made: str, path: VaultPath, gone: str | None = None) -> bool:
        """Return whether a file has no later change than a moment; other arguments as for `past`."""
        query = (
            "SELECT 1 FROM step JOIN change ON id = change"  # noqa: S608
            f" WHERE now = ? AND gone IS ? AND NOT pending AND {WERE_MADE} AND {ORDER_KEY} > ? LIMIT 1"
        )
        return not self._database.rows(query, path, gone, made)

    def folder_events(self, since: str) -> list[FolderEvent]:
        """Return the folder events since a change was made, including its own steps, the oldest first."""
        query = (
            f"SELECT id, {ORDER_KEY}, number, facts, kind, path, target, before, after"  # noqa: S608
            " FROM step JOIN change ON id = change"
            " WHERE (kind = 'move' AND before IS NULL OR kind IN ('make_folder', 'remove_folder'))"
            f" AND NOT pending AND {WERE_MADE} AND {ORDER_KEY} >= ? ORDER BY {ORDER_KEY}, number"
        )
        rows = self._database.rows(query, since)
        facts_of = {id_: read_facts(facts) for id_, _, _, facts, *_ in rows}
        turned = {id_: facts.targets for id_, facts in facts_of.items()}
        # An undo of an undo takes away what that had restored, as the change itself had; its hunk states name both.
        reached = {id_: turned[id_].union(each.change for each in facts.switches) for id_, facts in facts_of.items()}
        backs = {
            id_: ids | {other for other, some in reached.items() if not ids.isdisjoint(some)} if ids else ids
            for id_, ids in turned.items()
        }
        return [FolderEvent((made, number), step_of(*step), id_, backs[id_]) for id_, made, number, _, *step in rows]

    def departures(self, after: str) -> list[tuple[str, Moment, VaultPath]]:
        """Return the files taken away after a moment, with the active change, time and path, the oldest first.

        A file taken away by a redo counts as taken away by the change that is redone.
        """
        return self._database.read(lambda connection: _departures(connection, after))


def _departures(connection: sqlite3.Connection, after: str) -> list[tuple[str, Moment, VaultPath]]:
    rows = connection.execute(
        f"SELECT id, {ORDER_KEY}, number, path, facts FROM step JOIN change ON id = change"  # noqa: S608
        f" WHERE kind IN ('move', 'remove') AND NOT pending AND state = 'applied' AND {ORDER_KEY} > ?"
        f" ORDER BY {ORDER_KEY}, number",
        (after,),
    )
    found = [(id_, (made, number), VaultPath(path), read_facts(facts)) for id_, made, number, path, facts in rows]
    redone = {facts.redoes: find_change(connection, facts.redoes) for *_, facts in found if facts.redoes is not None}
    return [
        (facts.redoes or id_, moment, path)
        for id_, moment, path, facts in found
        if not _is_back(connection, facts)
        and (facts.redoes is None or ((of := redone[facts.redoes]) is not None and of.state == "applied"))
    ]


def _is_back(connection: sqlite3.Connection, facts: ChangeFacts) -> bool:
    if facts.undoes or facts.redoes is None:
        return bool(facts.undoes)
    made = find_change(connection, facts.redoes)
    return made is not None and _is_back(connection, made.facts)
