"""Turns changes back, makes them again and accepts proposals, on the vault as it is by now."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from functools import cache

from bridge.changes.desk import Desk
from bridge.changes.differences import Snapshot, differences, part, places
from bridge.changes.lineage import Lineage
from bridge.changes.positions import Positions
from bridge.changes.reconcile import Conflict
from bridge.changes.turning import Taking, Turning
from bridge.changes.whereabouts import Today
from bridge.errors import ChangeConflict, InvalidArguments
from bridge.steps import Plan, Step
from bridge.store import REST, Change, parts_undone, switches_of
from bridge.types import VaultPath
from bridge.vault import is_hidden


def undo(
    desk: Desk,
    changes: Iterable[Change],
    snapshot: Snapshot,
    today: Today,
    hunks: Collection[int] | None = None,
) -> tuple[str, ...]:
    """Turn changes back on a desk: what they made of a file is taken out of what it is by now.

    Folders that they made, or others that are undone, go when nothing is left in them.

    Args:
        desk: Where the steps are tried.
        changes: The changes, the newest first; all of them or none.
        snapshot: Gives contents that are kept.
        today: The vault, and how it came to be so.
        hunks: Of each change only these, as far as they are in force; then nothing is moved.

    Returns:
        What was done otherwise than one may think, in sentences.

    Raises:
        ChangeConflict: What they touched was changed since in the same places.
        ChangeNotFound: What a file said is no longer kept.
        InvalidArguments: There is no such hunk.
    """
    conflicts: list[Conflict] = []
    notes: list[str] = []
    changes = [*changes]
    ids = {change.id for change in changes}
    again = {switch.change for change in changes for switch in switches_of(change.facts) if not switch.on} - ids
    lineages = cache(lambda path, gone: Lineage.of(path, gone, today.past(path, gone), snapshot))
    positions = Positions(desk)
    for change in changes:
        if hunks is None:
            (steps, kept), chosen = _in_force(change, snapshot), None
        else:
            some = {*hunks} - parts_undone(change.facts)
            steps, kept = part(change.steps, snapshot, some, last=True)
            chosen = places(change.steps, snapshot, some)
        taking = Taking(lineages, chosen, ids, again)
        turning = Turning(desk, change, kept, today, conflicts, positions, taking)
        turning.touching = True
        for number, step in reversed([*enumerate(steps)]):
            if step is not None:
                turning.make(number, _inverse(step))
        notes += turning.notes
    _require_none(conflicts)
    if hunks is None and changes:
        _sweep(turning, desk)
    return tuple(notes)


def _sweep(turning: Turning, desk: Desk) -> None:
    """Take away folders that are left empty and behind."""
    left = [step.path for step in desk.steps if step.kind in ("remove", "move", "remove_folder")]
    left += [VaultPath(f"{step.to}/") for step in desk.steps if step.kind == "move" and step.to]
    for path in left:
        folder = VaultPath("" if is_hidden(path) else path.rpartition("/")[0])
        while folder and turning.is_left_behind(folder) and not turning.holds(folder):
            desk.take(Plan((Step("remove_folder", folder),)))
            folder = VaultPath(folder.rpartition("/")[0])


def redo(desk: Desk, change: Change, snapshot: Snapshot, today: Today) -> None:
    """Make a change again that was turned back; arguments and errors as for `undo`."""
    _make(desk, change, change.steps, snapshot, today, touching=True)


def accept(desk: Desk, change: Change, snapshot: Snapshot, today: Today, hunks: Collection[int] | None = None) -> None:
    """Make a change that was proposed, or some of its hunks; arguments and errors as for `undo`.

    Raises:
        InvalidArguments: It moves or removes something, so it must be accepted as a whole.
    """
    if hunks is not None and any(step.kind not in ("put", "make_folder") for step in change.steps):
        raise InvalidArguments(
            "This change does more than write into notes; its parts make no sense alone.",
            hint="Accept it without `hunks`, or reject it.",
        )
    steps, kept = (change.steps, snapshot) if hunks is None else part(change.steps, snapshot, hunks, last=False)
    _make(desk, change, steps, kept, today, touching=False)


def _in_force(change: Change, snapshot: Snapshot) -> tuple[Sequence[Step | None], Snapshot]:
    """Return the steps of a change but for the hunks that were turned back before, and the contents they speak of."""
    undone = parts_undone(change.facts)
    if not undone:
        return change.steps, snapshot
    numbers = {hunk.number for found in differences(change.steps, snapshot) for hunk in found.hunks}
    return part(change.steps, snapshot, numbers - undone, last=True, others=REST not in undone)


def _make(
    desk: Desk, change: Change, steps: Sequence[Step | None], snapshot: Snapshot, today: Today, *, touching: bool
) -> None:
    conflicts: list[Conflict] = []
    turning = Turning(desk, change, snapshot, today, conflicts, Positions(desk))
    turning.touching = touching
    for number, step in enumerate(steps):
        if step is not None:
            turning.make(number, step)
    _require_none(conflicts)


def _require_none(conflicts: Sequence[Conflict]) -> None:
    if not conflicts:
        return
    paths = list(dict.fromkeys(conflict.path for conflict in conflicts))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    told = [asdict(conflict) for conflict in conflicts]
    raise ChangeConflict(f"`{paths[0]}`{more}: {conflicts[0].why}", conflicts=told)


def _inverse(step: Step) -> Step:
    """Return what takes a step back; what comes out of the trash, or goes there again, names its place there."""
    match step.kind:
        case "put":
            return Step("remove" if step.before is None else "put", step.path, before=step.after, after=step.before)
        case "remove":
            return Step("put", step.path, to=step.to, after=step.before)
        case "move" if is_hidden(step.path):
            return Step("remove", step.to or step.path, to=step.path, before=step.before)
        case "move":
            return Step("move", step.to or step.path, to=step.path, before=step.before)
        case "make_folder":
            return Step("remove_folder", step.path)
        case "remove_folder":
            return Step("make_folder", step.path)
