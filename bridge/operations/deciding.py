"""Turning changes back and making them again, and settling what was proposed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval, MaxLen, MinLen

from bridge.operations.call import Call
from bridge.operations.changes import ChangeId
from bridge.operations.registry import operation
from bridge.operations.showing import diff_of
from bridge.operations.telling import ListedChange, listed
from bridge.operations.writing import Reason
from bridge.operations.written import author, session_of

if TYPE_CHECKING:
    from bridge.engine import Made, VaultEngine

Hunks = Annotated[tuple[Annotated[int, Interval(ge=1)], ...], MinLen(1), MaxLen(10_000)]


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of changes.

    Attributes:
        changes: The changes that were asked for, as they stand now.
        change_id: The change that did it; null when nothing was written.
        diff: What was written, as a unified diff.
        state: `applied`; or `proposed`, when it waits until the user accepts it.
        warnings: What to know about it.
        dry_run: Whether nothing was written because only a dry run was asked for.
    """

    changes: tuple[ListedChange, ...]
    change_id: str | None
    diff: str
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]
    dry_run: bool


@operation(
    example={"change_id": "0"},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "take back the last change",
        "undo a change",
        "revert one change",
        "bring back a deleted note",
        "roll back an edit",
    ),
)
async def undo_change(
    call: Call,
    change_id: ChangeId,
    hunks: Hunks | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
) -> Settled:
    """Turn a change back, however long ago; what was written since stays, or it is refused.

    Args:
        change_id: Id of the change, from `list_changes`.
        hunks: Only these parts of it, as `show_change` numbers them.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: There is no such change, or what it took away is kept no more.
        ChangeConflict: The same lines were changed since; `conflicts` tells which.
    """
    made = await call.engine.deciding.undo([change_id], author(call, "undo_change", reason), hunks, dry_run=dry_run)
    return settled(call.engine, [change_id], made, dry_run=dry_run)


@operation(
    example={"session": "none"},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "undo all changes of this session",
        "revert everything you did",
        "undo all that an agent did in a conversation",
    ),
)
async def undo_session(
    call: Call,
    session: Annotated[str, MaxLen(200)] | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
) -> Settled:
    """Turn back all that was changed in one session, as one change; all or nothing.

    Args:
        session: The session, as `list_changes` tells it; without, the one that the caller's own changes belong to.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: Nothing of it is in force, or what it took away is kept no more.
        ChangeConflict: The same lines were changed since; `conflicts` tells which.
    """
    ids = await asyncio.to_thread(call.engine.deciding.of_session, session or session_of(call))
    made = await call.engine.deciding.undo(ids, author(call, "undo_session", reason), dry_run=dry_run)
    return settled(call.engine, ids, made, dry_run=dry_run)


@operation(
    example={"change_id": "0"},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "restore a change after it was undone",
        "redo an undone change",
        "make a reverted change again",
        "bring back what was undone",
    ),
)
async def redo_change(call: Call, change_id: ChangeId, dry_run: bool = False, reason: Reason | None = None) -> Settled:
    """Make a change again that was turned back.

    Args:
        change_id: Id of the change, from `list_changes`.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: There is no such change, or what it wrote is kept no more.
        ChangeConflict: It was not turned back, or the same lines were changed since.
    """
    made = await call.engine.deciding.redo(change_id, author(call, "redo_change", reason), dry_run=dry_run)
    return settled(call.engine, [change_id], made, dry_run=dry_run)


@operation(
    example={"change_id": "0"},
    reads=False,
    scope="write",
    destructive=True,
    tasks=("accept a proposed change", "approve a proposal"),
)
async def accept_change(call: Call, change_id: ChangeId, hunks: Hunks | None = None) -> Settled:
    """Make a change that was proposed; only the user's own programs may.

    Args:
        change_id: Id of the proposal, from `list_changes`.
        hunks: Only these parts of it, as `show_change` numbers them; the others are rejected.

    Raises:
        Forbidden: An agent asks.
        ChangeNotFound: There is no such change.
        ChangeConflict: It waits no more, or the same lines were changed since.
    """
    call.principal.require_local("accept-change")
    made = await call.engine.deciding.accept(change_id, author(call, "accept_change", None), hunks)
    return settled(call.engine, [change_id], made)


@operation(
    example={"change_id": "0"},
    reads=False,
    scope="write",
    tasks=("reject a proposed change", "dismiss a proposal", "settle a conflict"),
)
async def reject_change(call: Call, change_id: ChangeId) -> Settled:
    """Settle that a proposed change is not made, or that a `conflict` was looked at; the user's own programs may.

    Args:
        change_id: Id of the proposal, from `list_changes`.

    Raises:
        Forbidden: An agent asks.
        ChangeNotFound: There is no such change.
        ChangeConflict: It waits no more.
    """
    call.principal.require_local("reject-change")
    change = await call.engine.deciding.reject(change_id)
    return Settled((listed(call.engine, change, cut=True),), None, "", "applied", (), dry_run=False)


def settled(engine: "VaultEngine", ids: Sequence[str], made: "Made", *, dry_run: bool = False) -> Settled:
    """Tell what became of changes."""
    return Settled(
        changes=tuple(listed(engine, engine.deciding.change(id_), cut=True) for id_ in ids),
        change_id=made.change.id if made.change else None,
        diff=diff_of(made.plan.steps, made.plan.blobs.get),
        state=made.state,
        warnings=made.warnings,
        dry_run=dry_run,
    )
