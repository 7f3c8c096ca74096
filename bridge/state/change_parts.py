"""Which parts of changes are in force, since changes turn others back and make them again."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.state.change_records import find_change

REST: Final = 0
"""The part of a change that is in none of its hunks, such as moves; hunks are counted from 1."""


@dataclass(frozen=True, slots=True)
class HunkState:
    """Parts of a change that another one put in or out of force."""

    change: str
    parts: frozenset[int]
    on: bool
    of: int
    """How many parts the change has."""


def hunk_state_facts(switches: Collection[HunkState]) -> dict[str, object]:
    """Return switches as facts of the change that does them."""
    return {"switches": [[one.change, sorted(one.parts), one.on, one.of] for one in switches]}


def read_hunk_states(facts: Mapping[str, object]) -> Iterator[HunkState]:
    """Yield what a change does to others, in order."""
    told = facts.get("switches")
    for change, parts, on, of in told if isinstance(told, list) else ():
        yield HunkState(change, frozenset(parts), on, of)


def undone_parts(facts: Mapping[str, object]) -> frozenset[int]:
    """Return which parts of a change are out of force."""
    told = facts.get("undone")
    return frozenset(told if isinstance(told, list) else ())


def parts_absent(facts: Mapping[str, object]) -> frozenset[int]:
    """Return which parts of a change are out of force although nothing undid them: their note was gone."""
    told = facts.get("absent")
    return frozenset(told if isinstance(told, list) else ()) & undone_parts(facts)


def turned_by(facts: Mapping[str, object]) -> set[str]:
    """Return which changes one undid or made again, by its facts."""
    undone, redone = facts.get("undoes"), facts.get("redoes")
    return {id_ for id_ in (*(undone if isinstance(undone, list) else ()), redone) if isinstance(id_, str)}


def set_hunk_states(
    connection: sqlite3.Connection, switches: Collection[HunkState], by: Mapping[str, object] | None
) -> None:
    """Put parts of changes in or out of force; doing it again changes nothing.

    Args:
        connection: The file of the vault's state.
        switches: The parts.
        by: The facts of the change that does so; None when there was nothing left to do.
    """
    turned = set() if by is None else turned_by(by)
    for done in switches:
        change = find_change(connection, done.change)
        if change is None or change.state not in ("applied", "undone"):
            continue
        before = undone_parts(change.facts)
        undone = before - done.parts if done.on else before | done.parts
        facts = {**change.facts, "undone": sorted(undone)}
        if by is None and any(change.gone):
            facts["absent"] = sorted(parts_absent(change.facts) | done.parts)
        elif change.id in turned:
            facts.pop("absent", None)
        state = "undone" if len(undone) >= done.of else "applied"
        connection.execute("UPDATE change SET state = ?, facts = ? WHERE id = ?", (state, json.dumps(facts), change.id))
