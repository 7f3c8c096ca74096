"""Which parts of changes are in force, since changes turn others back and make them again."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.store.records import one

REST: Final = 0
"""The part of a change that is in none of its hunks, such as moves; hunks are counted from 1."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Parts of a change that another one put in or out of force."""

    change: str
    parts: frozenset[int]
    on: bool
    of: int
    """How many parts the change has."""


def facts_of(switches: Collection[Switch]) -> dict[str, object]:
    """Return switches as facts of the change that does them."""
    return {"switches": [[one.change, sorted(one.parts), one.on, one.of] for one in switches]}


def switches_of(facts: Mapping[str, object]) -> Iterator[Switch]:
    """Yield what a change does to others, in order."""
    told = facts.get("switches")
    for change, parts, on, of in told if isinstance(told, list) else ():
        yield Switch(change, frozenset(parts), on, of)


def parts_undone(facts: Mapping[str, object]) -> frozenset[int]:
    """Return which parts of a change are out of force."""
    told = facts.get("undone")
    return frozenset(told if isinstance(told, list) else ())


def switch(connection: sqlite3.Connection, switches: Collection[Switch]) -> None:
    """Put parts of changes in or out of force; doing it again changes nothing."""
    for done in switches:
        change = one(connection, done.change)
        if change is None or change.state not in ("applied", "undone"):
            continue
        before = parts_undone(change.facts)
        undone = before - done.parts if done.on else before | done.parts
        state = "undone" if len(undone) >= done.of else "applied"
        told = json.dumps({**change.facts, "undone": sorted(undone)})
        connection.execute("UPDATE change SET state = ?, facts = ? WHERE id = ?", (state, told, change.id))
