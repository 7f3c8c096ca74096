"""Where the files and folders of changes went, and whether they are there still."""

import json
import sqlite3
from collections.abc import Mapping

from bridge.store.records import COLUMNS, Change, filled, one
from bridge.types import VaultPath

MADE = "coalesce(made, id)"
WERE_MADE = "state IN ('applied', 'undone')"


def follow(connection: sqlite3.Connection, change: str) -> None:
    """Follow files through the steps of a change that was made: where they went, and whether they are there still."""
    back = takers(connection, change)
    rows = connection.execute(
        "SELECT number, kind, path, target, before, now FROM step WHERE change = ? ORDER BY number", (change,)
    )
    for number, kind, path, target, before, now in rows.fetchall():
        if kind == "move":
            move(connection, {path: target}, but=change)
        if kind in ("remove", "remove_folder"):
            lose(connection, change, number, path, now)
        elif kind != "put" or before is None:
            # What an undo brings back is what it was, whatever had its path in between; further steps may move it on.
            gone = [(taker, target or path) for taker in back]
            connection.executemany("UPDATE step SET gone = NULL WHERE gone = ? AND now = ?", gone)


def takers(connection: sqlite3.Connection, change: str) -> set[str]:
    """Return the changes that may have taken away what a change brings back: what it turns, or what did so since."""
    found = one(connection, change)
    undone, redone = (found.facts.get(name) if found else None for name in ("undoes", "redoes"))
    ids = [id_ for id_ in (*(undone if isinstance(undone, list) else ()), redone) if isinstance(id_, str)]
    turned = [other for id_ in ids if (other := one(connection, id_)) is not None]
    return {*ids, *(taker for other in turned for taker in other.gone if taker is not None)}


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


def past(connection: sqlite3.Connection, path: VaultPath, gone: str | None, limit: int) -> list[Change]:
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
    return filled(connection, rows.fetchall())[::-1]


def is_newest(connection: sqlite3.Connection, made: str, path: VaultPath, gone: str | None) -> bool:
    """Say whether no other change was made of a file after a moment; other arguments as for `past`."""
    later = connection.execute(
        "SELECT 1 FROM step JOIN change ON id = change"  # noqa: S608
        f" WHERE now = ? AND gone IS ? AND NOT pending AND {WERE_MADE} AND {MADE} > ? LIMIT 1",
        (path, gone, made),
    )
    return later.fetchone() is None


def folder_moves(connection: sqlite3.Connection, after: str) -> list[tuple[str, VaultPath, VaultPath]]:
    """Return when, whence and where folders were moved after a moment, the oldest first."""
    rows = connection.execute(
        f"SELECT {MADE}, path, target FROM step JOIN change ON id = change WHERE kind = 'move' AND before IS NULL"  # noqa: S608
        f" AND target IS NOT NULL AND NOT pending AND {WERE_MADE} AND {MADE} > ? ORDER BY {MADE}, number",
        (after,),
    )
    return [(made, VaultPath(path), VaultPath(target)) for made, path, target in rows]


def departures(connection: sqlite3.Connection, after: str) -> list[tuple[str, str, VaultPath]]:
    """Return by which change in force, when and whence something was taken away after a moment, the oldest first."""
    rows = connection.execute(
        f"SELECT id, {MADE}, path, facts FROM step JOIN change ON id = change WHERE kind IN ('move', 'remove')"  # noqa: S608
        f" AND NOT pending AND state = 'applied' AND {MADE} > ? ORDER BY {MADE}, number",
        (after,),
    )
    return [(by, made, VaultPath(path)) for by, made, path, facts in rows if "undoes" not in json.loads(facts)]
