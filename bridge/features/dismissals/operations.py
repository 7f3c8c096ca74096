"""Leaves rows of reports out, or lets them be listed again."""

import asyncio
from collections.abc import Set as AbstractSet
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.errors import Declined, InvalidArguments
from bridge.records import Record
from bridge.state.dismissals import Dismissal, DismissalKind, ReportKind, dismissal_key
from bridge.types import VaultPath


async def dismissed_rows(call: Call, kind: DismissalKind) -> AbstractSet[Dismissal]:
    """Return what reports leave out: for the user what the user dismissed, for agents also what an agent did."""
    known = await asyncio.to_thread(call.vault.store.dismissals.of, kind)
    return {one for one, by_user in known.items() if by_user or not call.is_user}


class DismissalCount(Record):
    """What is dismissed now.

    Attributes:
        kind: What is dismissed.
        count: How many of this kind are dismissed; by anyone.
    """

    kind: ReportKind
    count: int


@operation(
    example={"kind": "prospect", "name": "Gutenberg"},
    reads=False,
    scope="write",
    idempotent=True,
    tasks=(
        "never suggest this pair again",
        "stop suggesting something",
        "these two notes are not the same",
        "ignore this finding from now on",
        "dismiss a suggestion",
        "list a dismissed suggestion again",
    ),
)
async def dismiss(
    call: Call,
    kind: ReportKind,
    paths: Annotated[tuple[VaultPath, ...], Meta(max_length=2)] = (),
    name: Annotated[str, Meta(max_length=1_000)] = "",
    undo: bool = False,
) -> DismissalCount:
    """Leave something out of the report that lists it, from now on; reports say how many rows they left out.

    What an agent dismisses is left out of the reports of agents and of plans; the user still gets it listed.

    Args:
        kind: `merge` is a pair of `merge_suggestions`, `prospect` a name of `find_prospects`, `orphan` a note of
            `graph_insights`, `violation` a finding of `check_notes`.
        paths: The notes: two of `merge`, one of `orphan` and `violation`.
        name: The name of a `prospect`, or what a `violation` is about, such as the property.
        undo: List it again.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        Declined: The user dismissed it, and an agent wants it listed again.
    """
    one = row_of(call, kind, paths, name)
    store = call.vault.store.dismissals
    known = await asyncio.to_thread(store.of, kind)
    if undo:
        if known.get(one) and not call.is_user:
            raise Declined("The user dismissed this.", hint="Leave it, or ask the user to list it again.")
        await asyncio.to_thread(store.remove, [one])
        return DismissalCount(kind, len(known.keys() - {one}))
    await asyncio.to_thread(store.add, [one], by_user=call.is_user)
    return DismissalCount(kind, len(known.keys() | {one}))


def row_of(call: Call, kind: ReportKind, paths: tuple[VaultPath, ...], name: str) -> Dismissal:
    vault = call.vault
    vault.require_keyword()
    notes = {"merge": 2, "prospect": 0}.get(kind, 1)
    named = kind in ("prospect", "violation")
    if len({*paths}) != notes or len(paths) != notes or bool(name.strip()) != named:
        needs = [*([f"{notes} of `paths`"] if notes else []), *(["`name`"] if named else [])]
        raise InvalidArguments(f"`{kind}` needs {' and '.join(needs)}, and nothing else.")
    for path in paths:
        if path not in vault.index.notes:
            raise no_such_note(vault, path)
    return Dismissal(kind, frozenset(paths), dismissal_key(name) if named else "")
