"""Tracks which parts of changes are active, as changes undo and redo one another."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from bridge.records import dataclass
from bridge.state.change_records import find_change

REST: Final = 0
"""The part of a change outside its hunks, such as moves; hunks are counted from 1."""


@dataclass(frozen=True, slots=True)
class HunkState:
    """Parts of a change that another change switches on or off."""

    change: str
    parts: frozenset[int]
    on: bool
    of: int
    """The number of parts of the change."""


def hunk_state_facts(switches: Collection[HunkState]) -> dict[str, object]:
    """Encode hunk states as facts of the change that sets them."""
    return {"switches": [[one.change, sorted(one.parts), one.on, one.of] for one in switches]}


def read_hunk_states(facts: Mapping[str, object]) -> Iterator[HunkState]:
    """Yield the hunk states that a change sets, in order."""
    value = facts.get("switches")
    for change, parts, on, of in value if isinstance(value, list) else ():
        yield HunkState(change, frozenset(parts), on, of)


def undone_parts(facts: Mapping[str, object]) -> frozenset[int]:
    value = facts.get("undone")
    return frozenset(value if isinstance(value, list) else ())


def parts_absent(facts: Mapping[str, object]) -> frozenset[int]:
    """Return the parts of a change that are inactive although nothing undid them: their note was gone."""
    value = facts.get("absent")
    return frozenset(value if isinstance(value, list) else ()) & undone_parts(facts)


def turned_by(facts: Mapping[str, object]) -> set[str]:
    undone, redone = facts.get("undoes"), facts.get("redoes")
    return {id_ for id_ in (*(undone if isinstance(undone, list) else ()), redone) if isinstance(id_, str)}


def set_hunk_states(
    connection: sqlite3.Connection, switches: Collection[HunkState], by: Mapping[str, object] | None
) -> None:
    """Switch parts of changes on or off; a repetition changes nothing."""
    turned = set() if by is None else turned_by(by)
    for done in switches:
        change = find_change(connection, done.change)
        if change is None or change.state not in ("applied", "undone", "conflict"):
            continue
        before = undone_parts(change.facts)
        undone = before - done.parts if done.on else before | done.parts
        facts = {**change.facts, "undone": sorted(undone)}
        if by is None and any(change.gone):
            facts["absent"] = sorted(parts_absent(change.facts) | done.parts)
        elif change.id in turned:
            facts.pop("absent", None)
        cut_off = change.state == "conflict"
        state = "undone" if len(undone) >= done.of else "conflict" if cut_off else "applied"
        connection.execute("UPDATE change SET state = ?, facts = ? WHERE id = ?", (state, json.dumps(facts), change.id))
