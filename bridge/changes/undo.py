"""Undoes and redoes changes and accepts proposals, on the current vault."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache

from bridge.changes.draft import Draft
from bridge.changes.hunks import Difference, Snapshot, differences, hunk_positions, select_hunks
from bridge.changes.path_history import VaultState
from bridge.changes.positions import Positions
from bridge.changes.provenance import LineHistory
from bridge.changes.rebase import FileConflict
from bridge.changes.undo_step import ChangeReplay, UndoOptions
from bridge.errors import ChangeConflict, InvalidArguments
from bridge.state.change_parts import REST, HunkState, parts_absent, read_hunk_states, undone_parts
from bridge.state.change_records import Change
from bridge.text.diff import Piece, decode_text, diff_lines, group_pieces, is_blank, pieces, split_lines
from bridge.types import Digest, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Plan, Step


def undo(
    draft: Draft,
    changes: Iterable[Change],
    snapshot: Snapshot,
    today: VaultState,
    hunks: Collection[int] | None = None,
) -> tuple[str, ...]:
    """Undo changes on a draft: their edits are removed from the current files.

    Folders that these or other undone changes made are removed when nothing is left in them.
    """
    conflicts: list[FileConflict] = []
    notes: list[str] = []
    changes = [*changes]
    ids = {change.id for change in changes}
    again = {switch.change for change in changes for switch in read_hunk_states(change.facts) if not switch.on} - ids
    lineages = cache(lambda path, gone: LineHistory.of(path, gone, today.past(path, gone), snapshot))
    positions = Positions(draft)
    for change in changes:
        if hunks is None:
            (steps, reader), chosen = _active_steps(change, snapshot), None
        else:
            some = {*hunks} - undone_parts(change.facts)
            steps, reader = select_hunks(change.steps, snapshot, some, last=True)
            chosen = hunk_positions(change.steps, snapshot, some)
        taking = UndoOptions(lineages, chosen, ids, again)
        turning = ChangeReplay(draft, change, reader, today, conflicts, positions, taking)
        turning.touching = True
        for number, step in reversed([*enumerate(steps)]):
            if step is not None:
                turning.make(number, _inverse(step))
        notes += turning.notes
    _raise_conflicts(conflicts)
    if hunks is None and changes:
        _remove_empty_folders(turning, draft)
    return tuple(notes)


def _remove_empty_folders(turning: ChangeReplay, draft: Draft) -> None:
    left = [step.path for step in draft.steps if step.kind in ("remove", "move", "remove_folder")]
    left += [VaultPath(f"{step.to}/") for step in draft.steps if step.kind == "move" and step.to]
    for path in left:
        folder = VaultPath("" if is_hidden(path) else path.rpartition("/")[0])
        while folder and turning.is_left_behind(folder) and not turning.holds(folder):
            draft.take(Plan((Step("remove_folder", folder),)))
            folder = VaultPath(folder.rpartition("/")[0])


def redo(draft: Draft, change: Change, snapshot: Snapshot, today: VaultState) -> None:
    """Redo an undone change; arguments and errors as for `undo`."""
    _apply_steps(draft, change, change.steps, snapshot, today, touching=True)


def apply_proposal(
    draft: Draft, change: Change, snapshot: Snapshot, today: VaultState, hunks: Collection[int] | None = None
) -> None:
    """Apply a proposed change, or some of its hunks; arguments and errors as for `undo`."""
    if hunks is not None and any(step.kind not in ("put", "make_folder") for step in change.steps):
        raise InvalidArguments(
            "This change does more than write into notes; its parts make no sense alone.",
            hint="Accept it without `hunks`, or reject it.",
        )
    steps, reader = (
        (change.steps, snapshot) if hunks is None else select_hunks(change.steps, snapshot, hunks, last=False)
    )
    _apply_steps(draft, change, steps, reader, today, touching=False)


def _active_steps(change: Change, snapshot: Snapshot) -> tuple[Sequence[Step | None], Snapshot]:
    undone = undone_parts(change.facts)
    if not undone:
        return change.steps, snapshot
    numbers = {hunk.number for found in differences(change.steps, snapshot) for hunk in found.hunks}
    return select_hunks(change.steps, snapshot, numbers - undone, last=True, others=REST not in undone)


def _apply_steps(
    draft: Draft, change: Change, steps: Sequence[Step | None], snapshot: Snapshot, today: VaultState, *, touching: bool
) -> None:
    conflicts: list[FileConflict] = []
    turning = ChangeReplay(draft, change, snapshot, today, conflicts, Positions(draft))
    turning.touching = touching
    for number, step in enumerate(steps):
        if step is not None:
            turning.make(number, step)
    _raise_conflicts(conflicts)


def _raise_conflicts(conflicts: Sequence[FileConflict]) -> None:
    if not conflicts:
        return
    paths = list(dict.fromkeys(conflict.path for conflict in conflicts))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    details = [asdict(conflict) for conflict in conflicts]
    raise ChangeConflict(f"`{paths[0]}`{more}: {conflicts[0].why}", conflicts=details)


def _inverse(step: Step) -> Step:
    """Return the inverse of a step; for files restored from or moved to the trash, it names their path there."""
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


FindChange = Callable[[str], Change | None]
"""Returns a change by its id."""
Past = Callable[[VaultPath, str | None], Iterable[Change]]
"""Returns the changes of a file, by its current path and the change that took it away."""


def hunk_states_after_undo(
    changes: Iterable[Change], snapshot: Snapshot, find: FindChange, past: Past, hunks: Collection[int] | None = None
) -> list[HunkState]:
    """Return the hunk states that change by an undo: the undone changes off, the ones these had switched reverted.

    In a note that is restored, edits that count as undone only because the note was gone become active again.
    """
    switches: list[HunkState] = []
    for change in changes:
        every = _parts(change.steps, snapshot)
        parts = every - undone_parts(change.facts)
        if hunks is not None:
            parts &= frozenset(hunks)
        turned = read_hunk_states(change.facts) if parts == every else _states_for_hunks(change, parts, snapshot, find)
        switches.append(HunkState(change.id, parts, on=False, of=len(every)))
        switches += [replace(one, on=not one.on) for one in turned]
        if REST in parts:
            switches += _brought_back(change, snapshot, past)
    return _changed_states(switches, find)


def _brought_back(change: Change, snapshot: Snapshot, past: Past) -> Iterator[HunkState]:
    places = zip(change.steps, change.now, change.gone, strict=True)
    lost = {(now, gone) for step, now, gone in places if step.kind == "remove"}
    for one in {one.id: one for place in lost for one in past(*place)}.values():
        if absent := parts_absent(one.facts):
            yield HunkState(one.id, absent, on=True, of=len(_parts(one.steps, snapshot)))


def hunk_states_after_redo(change: Change, snapshot: Snapshot, find: FindChange) -> list[HunkState]:
    """Return the hunk states that change by a redo; arguments as for `hunk_states_after_undo`."""
    every = _parts(change.steps, snapshot)
    return _changed_states([HunkState(change.id, every, on=True, of=len(every)), *read_hunk_states(change.facts)], find)


def hunk_states_after_accept(
    change: Change, snapshot: Snapshot, find: FindChange, hunks: Collection[int] | None = None
) -> list[HunkState]:
    """Return the hunk states that change when a proposal is accepted; arguments as for `hunk_states_after_undo`."""
    turned = read_hunk_states(change.facts) if hunks is None else _states_for_hunks(change, hunks, snapshot, find)
    return _changed_states(turned, find)


def _changed_states(switches: Iterable[HunkState], find: FindChange) -> list[HunkState]:
    found: list[HunkState] = []
    for one in switches:
        change = find(one.change)
        undone = undone_parts(change.facts) if change else frozenset()
        if parts := one.parts & undone if one.on else one.parts - undone:
            found.append(replace(one, parts=parts))
    return found


def _states_for_hunks(
    change: Change, hunks: Collection[int], snapshot: Snapshot, find: FindChange
) -> Iterator[HunkState]:
    """Yield the states that some hunks of a change switch.

    A part of another change that is not wholly within these hunks stays as it is.
    """
    for one in read_hunk_states(change.facts):
        if (turned := find(one.change)) is not None:
            yield replace(one, parts=one.parts.intersection(_parts_within(turned, change, hunks, snapshot, on=one.on)))


def _parts(steps: Iterable[Step], snapshot: Snapshot) -> frozenset[int]:
    """Return the parts of a change; one without any effect has one part, so that it can be undone too."""
    parts: set[int] = set()
    for found in differences(steps, snapshot):
        parts.update(hunk.number for hunk in found.hunks)
        if found.step.kind != "put" or found.step.before is None or not found.hunks:
            parts.add(REST)
    return frozenset(parts or {REST})


def _parts_within(turned: Change, by: Change, hunks: Collection[int], snapshot: Snapshot, *, on: bool) -> Iterator[int]:
    for found, place in _differences_with_paths(turned, snapshot):
        for other, where in _differences_with_paths(by, snapshot):
            # A restored file exists only once that step is made.
            if where != place and (where[0] != place[0] or other.step.before is not None):
                continue
            chosen = [hunk.number in hunks for hunk in other.hunks]
            base = _text(found.step.before if on else found.step.after, snapshot)
            text = _text(other.step.before, snapshot)
            if chosen and all(chosen):
                yield from (hunk.number for hunk in found.hunks)
            elif any(chosen) and base is not None and text is not None:
                carried = pieces(split_lines(base), split_lines(text), is_blank)
                spots = _spans(other.step, snapshot, old=True)
                for hunk, spans in zip(found.hunks, _spans(found.step, snapshot, old=on), strict=True):
                    if all(chosen[_nearest_hunk(_map_span(span, carried), spots)] for span in spans):
                        yield hunk.number


def _differences_with_paths(
    change: Change, snapshot: Snapshot
) -> Iterator[tuple[Difference, tuple[VaultPath, str | None]]]:
    return zip(differences(change.steps, snapshot), zip(change.now, change.gone, strict=True), strict=True)


def _spans(step: Step, snapshot: Snapshot, *, old: bool) -> list[list[range]]:
    before, after = (split_lines(_text(digest, snapshot) or "") for digest in (step.before, step.after))
    return [
        [piece.before if old else piece.after for piece in group] for group in group_pieces(diff_lines(before, after))
    ]


def _map_span(span: range, found: Sequence[Piece]) -> range:
    def at(line: int) -> int:
        by = 0
        for piece in found:
            if line <= piece.before.start:
                break
            if line < piece.before.stop:
                return piece.after.stop
            by = piece.after.stop - piece.before.stop
        return line + by

    return range(at(span.start), at(span.stop))


def _nearest_hunk(span: range, spots: Sequence[Sequence[range]]) -> int:
    def away(number: int) -> int:
        first, last = spots[number][0].start, spots[number][-1].stop
        return max(first - span.stop, span.start - last, 0)

    return min(range(len(spots)), key=away)


def _text(digest: Digest | None, snapshot: Snapshot) -> str | None:
    data = None if digest is None else snapshot(digest)
    return None if data is None else decode_text(data)
