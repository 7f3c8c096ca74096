"""Undoes and redoes changes and accepts proposals, on the current vault."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import to_builtins
from msgspec.structs import replace

from bridge.changes.draft import Draft, path_after_move
from bridge.changes.hunks import Difference, Snapshot, differences, hunk_positions, select_hunks
from bridge.changes.path_history import PathHistory, Positions, VaultState, file_after, name_after
from bridge.changes.provenance import LineHistory
from bridge.changes.rebase import FileConflict, encode_merged, merge_file, to_file_conflicts
from bridge.errors import ChangeConflict, ChangeNotFound, InvalidArguments
from bridge.markdown.decode import digest_of
from bridge.markdown.links import name_key
from bridge.records import Record
from bridge.state.change_records import REST_PART, Change, HunkState, without_grave
from bridge.text.counts import count_of
from bridge.text.diff import DiffPiece, decode_text, diff_lines, group_pieces, is_blank, pieces, split_lines
from bridge.types import Digest, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Plan, Step

MAX_NAMED_NOTES = 10
"""Notes or changes that are named of those that are left out."""

MISSING_FILE = "It no longer exists."
OTHERS_HINT = "`hunks` of `show_change` undo what the change did to other notes."
MISSING_HINT = f"What is gone needs no undo; {OTHERS_HINT}"
LOST_VERSION = "Its earlier version is no longer stored, or is damaged."
HAD_NAME = "Another file had its name since, and goes back through it: the change `{}` comes first."


class UndoOptions(Record):
    """How a change is undone in notes."""

    lineages: Callable[[VaultPath, str | None], LineHistory]
    """Returns the line history of a note, by its current path and the change that took it away."""
    chosen: Collection[tuple[int, int]] | None
    """Only these hunks, each given by its step and its number in that step."""
    together: Collection[str]
    """The changes that are undone together, the newest first."""
    again: Collection[str]
    """The changes that become active again by that."""


class ChangeReplay:
    """One change that is undone or redone on a draft."""

    def __init__(
        self,
        draft: Draft,
        change: Change,
        snapshot: Snapshot,
        today: VaultState,
        conflicts: list[FileConflict],
        positions: Positions,
        taking: UndoOptions | None = None,
    ) -> None:
        self._draft = draft
        self._change = change
        self._snapshot = snapshot
        self._today = today
        self._conflicts = conflicts
        self.notes: list[str] = []
        """Notes about unexpected outcomes, as sentences."""
        self.touching = False
        """Whether adjacent lines may both be changed."""
        self._taking = taking
        self._where = PathHistory(today, change, *((taking.together, taking.again) if taking else ((), ())))
        self._positions = positions

    def make(self, number: int, step: Step) -> None:
        """Add to the draft what a step means in the current vault, or record a conflict."""
        if step.kind == "move" and step.to is not None and step.before is not None and is_hidden(step.path):
            # Out of the trash, as the inverse of a removal.
            step = Step("put", step.to, to=step.path, after=step.before, spelling=step.spelling, mode=step.mode)
        identity = self._change.now[number], self._change.gone[number]
        brings_back = step.kind == "make_folder" or (step.kind == "put" and step.before is None)
        place = self._name(number, step.path) if brings_back else self._positions.of_file(*identity)
        if any(conflict.path in (place, self.before(place)) for conflict in self._conflicts):
            return
        try:
            self._make(number, step, place)
        except ChangeNotFound:
            self._conflict(place, LOST_VERSION)

    def _make(self, number: int, step: Step, place: VaultPath) -> None:
        identity = self._change.now[number], self._change.gone[number]
        match step.kind:
            case "put" if step.after is not None and step.before is None:
                self._restore(number, step, place, step.after)
                self._positions.restore(*identity, place)
            case "put" if step.after is not None and step.before is not None:
                self._put(number, place, step.before, step.after)
            case "remove":
                self._remove(number, step, place)
            case "move" if step.to is not None:
                self._move(number, step, place)
            case "make_folder" if not self._draft.has(place):
                self._draft.take(Plan((Step("make_folder", place, spelling=step.spelling),)))
                self._positions.restore(*identity, place)
            case "remove_folder" if self._draft.has(place) and not self.holds(place):
                if place == step.path or self.is_left_behind(place):
                    self._draft.take(Plan((Step("remove_folder", place),)))

    def _name(self, number: int, path: VaultPath) -> VaultPath:
        return self._positions.of_name(path, self._where.events(self._count(number)))

    def _count(self, number: int) -> int:
        """Return the number of the change's steps before the state that a step, done or undone, refers to."""
        return number if self._taking is None else number + 1

    def holds(self, folder: VaultPath) -> bool:
        """Return whether a folder has content after the steps so far."""
        return bool(self._inside(folder))

    def _inside(self, folder: VaultPath) -> list[VaultPath]:
        there = {file_after(self._draft.steps, path) for path in self._today.inside(self.before(folder))}
        there.update(place for step in self._draft.steps for place in (step.path, step.to) if place is not None)
        below = {path[len(folder) + 1 :].split("/")[0] for path in there if path.startswith(f"{folder}/")}
        return [path for name in sorted(below) if self._draft.has(path := VaultPath(f"{folder}/{name}"))]

    def is_left_behind(self, folder: VaultPath, *, unknown: bool = False) -> bool:
        """Return whether a folder exists after the steps so far only because of them or of undone changes."""
        there = self._draft.has(folder) and not self._draft.is_file(folder)
        return there and (self._is_passage(folder) or self._where.is_left_behind(self.before(folder), unknown=unknown))

    def _is_passage(self, folder: VaultPath) -> bool:
        """Return whether a folder is made only because the steps so far move something through it."""
        before, steps = self.before(folder), self._draft.steps
        made = (number for number, step in enumerate(steps) if step.kind == "make_folder")
        if self._draft.had(before) or any(file_after(steps[number:], steps[number].path) == folder for number in made):
            return False
        return any(place.startswith((f"{folder}/", f"{before}/")) for place in self._draft.touched_paths)

    def before(self, path: VaultPath) -> VaultPath:
        """Return the path before the first step of what has a path after the steps so far."""
        for step in reversed(self._draft.steps):
            if step.kind == "move" and step.to is not None:
                path = path_after_move(path, step.to, step.path) or path
        return path

    def _restore(self, number: int, step: Step, place: VaultPath, after: Digest) -> None:
        data, trashed = self._snapshot(after), step.to
        if self._is(place, after) and self._where.is_untouched(place):
            self._note_done(place)
        elif self._draft.has(place):
            taker = self.before(place)
            why = "Another file has this name now." if taker == place else f"`{taker}` would have its name by then."
            self._conflicts.append(FileConflict(place, why))
        elif (claim := self._claim(number, step.path)) is not None:
            self._conflicts.append(FileConflict(place, HAD_NAME.format(claim)))
        elif trashed is not None and self._today.has(trashed, after):
            blobs = {} if data is None else {after: data}
            self._draft.take(Plan((Step("move", trashed, to=place, before=after, spelling=step.spelling),), blobs))
        else:
            if trashed is not None and self._is_there(trashed):
                self.notes.append(f"`{trashed}` was changed since, and stays; `{place}` says what it said before.")
            self._draft.create(place, self._content(place, after), spelling=step.spelling, mode=step.mode)

    def _put(self, number: int, place: VaultPath, before: Digest, after: Digest) -> None:
        if not self._is_left(number, place):
            return
        if not self._draft.is_file(place):
            self._lack(number, place)
            return
        is_touched = self._where.is_touched(number)
        if self._taking is not None and self._is(place, after) and not is_touched:
            self._note_done(place)
            return
        as_left = self._is(place, before) and not is_touched
        made = None if as_left else self._taken_out(number, place, before, after)
        if made is None and self._is(place, before):
            made = self._content(place, after)
        made = self._merge(place, before, after) if made is None else made
        if isinstance(made, bytes):
            self._draft.replace(place, made)
        else:
            self._conflicts += [replace(one, path=self.before(one.path)) for one in made]

    def _taken_out(
        self, number: int, place: VaultPath, before: Digest, after: Digest
    ) -> bytes | tuple[FileConflict, ...] | None:
        """Return a file without a step's edits; None when not every version of it is known line by line."""
        line_history, data = self._lineage(number), self._draft.read(place)
        if line_history is None or self._taking is None or not line_history.come_to(data):
            return None
        if not line_history.knows(self._change, number):
            return None
        made = line_history.without(self._change, number, self._taking.chosen)
        if isinstance(made, str):
            return encode_merged(place, decode_text(data) or "", made)
        # Later edits on the change may cancel out, such as a word that was replaced and put back.
        is_outside = line_history.meets_only_outside(self._change, number, self._taking.chosen)
        merged = self._merge(place, before, after, alike=is_outside)
        if isinstance(merged, bytes):
            along = line_history.without(self._change, number, self._taking.chosen, along=True)
            return merged if decode_text(merged) == along else to_file_conflicts(place, made)
        return merged if self._is(place, after) else to_file_conflicts(place, made)

    def _lineage(self, number: int) -> LineHistory | None:
        change = self._change
        return None if self._taking is None else self._taking.lineages(change.now[number], change.gone[number])

    def _merge(
        self, place: VaultPath, before: Digest, after: Digest, *, alike: bool = False
    ) -> bytes | tuple[FileConflict, ...]:
        base, theirs, touching = self._content(place, before), self._content(place, after), self.touching
        # What was cut off may not have been written.
        alike = alike or not touching or self._change.state == "conflict"
        if not alike and self._is(place, after):
            return (FileConflict(place, "It is so already: somebody changed it back since."),)
        return merge_file(place, base, self._draft.read(place), theirs, touching=touching, alike=alike)

    def _remove(self, number: int, step: Step, place: VaultPath) -> None:
        path, before = step.path, step.before
        if not self._is_left(number, place):
            return
        if not self._draft.is_file(place):
            self._lack(number, place)
        elif place != path and self._taking is None:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif before is None or not (self._is(place, before) or self._has_only_followed(number, place)):
            self._conflict(place, "It was changed since, and what was written would be lost with it.")
        else:
            data = self._draft.read(place)
            # A file that came out of the trash goes back there.
            to = step.to if self._draft.back and step.to is not None and not self._is_there(step.to) else None
            self._draft.take(Plan((Step("remove", place, to, before=digest_of(data)),), {digest_of(data): data}))

    def _has_only_followed(self, number: int, place: VaultPath) -> bool:
        line_history = self._lineage(number)
        return (
            line_history is not None
            and line_history.come_to(self._draft.read(place))
            and line_history.has_only_followed(self._change)
        )

    def _move(self, number: int, step: Step, place: VaultPath) -> None:
        is_folder, path, to = step.before is None, step.path, step.to or step.path
        claim = self._claim(number, to)
        path, to = self._name(number, path), self._name(number, to)
        if not self._is_left(number, place):
            return
        is_moved_on = self._taking is not None and self._where.is_moved_on(number)
        if self._taking is not None and place == to and not is_moved_on:
            self._note_done(place)
        elif place != path or is_moved_on:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif not (self._draft.has(place) if is_folder else self._draft.is_file(place)):
            self._lack(number, place)
        elif to.startswith(f"{place}/"):
            self._conflict(place, f"Its place `{to}` is in it by now.")
        elif (
            self._draft.has(to)
            and name_key(to, whole=True) != name_key(place, whole=True)
            and not (is_folder and not place.startswith(f"{to}/") and self._clear_folder(to, unknown=True))
        ):
            taker = self.before(to)
            by = "" if taker == to else f" by `{taker}`"
            by = by if self._is_there(taker) else " by then"
            self._conflict(place, f"Its place `{to}` is taken{by}.")
        elif claim is not None:
            self._conflict(place, HAD_NAME.format(claim))
        elif place != to:
            data = None if is_folder else self._draft.read(place)
            blobs = {} if data is None else {digest_of(data): data}
            moved = Step("move", place, to=to, before=next(iter(blobs), None), spelling=step.spelling)
            self._draft.take(Plan((moved,), blobs))

    def _claim(self, number: int, path: VaultPath) -> str | None:
        """Return a change that must be undone before a path in a step is free to restore something to."""
        if self._taking is None:
            return None
        return self._where.claims(name_after(self._where.events(self._count(number)), path))

    def _is_left(self, number: int, place: VaultPath) -> bool:
        """Return whether there may be something to do for a file: not when the change that created it was undone.

        Text that was removed from such a file cannot be restored without it; another file of its name is a conflict.
        """
        is_back = self._positions.is_restored(self._change.now[number], self._change.gone[number])
        if self._taking is None or is_back or not self._where.is_gone(number):
            return True
        if self._where.is_unmade(number) and not self._change.facts.undoes:
            return False
        if self._draft.has(place):
            self._lack(number, place)
        return not self._draft.has(place)

    def _clear_folder(self, folder: VaultPath, *, unknown: bool) -> bool:
        if not self.is_left_behind(folder, unknown=unknown):
            return False
        if not all(self._clear_folder(path, unknown=unknown) for path in self._inside(folder)):
            return False
        self._draft.take(Plan((Step("remove_folder", folder),)))
        return True

    def _is(self, place: VaultPath, digest: Digest) -> bool:
        return self._draft.is_file(place) and digest_of(self._draft.read(place)) == digest

    def _is_there(self, hidden: VaultPath) -> bool:
        return hidden in self._today.inside(VaultPath(hidden.rpartition("/")[0]))

    def _content(self, place: VaultPath, digest: Digest) -> bytes:
        data = self._snapshot(digest)
        if data is None:
            raise ChangeNotFound(f"The earlier content of `{place}` is no longer stored.", path=place)
        return data

    def _conflict(self, place: VaultPath, why: str) -> None:
        self._conflicts.append(FileConflict(self.before(place), why))

    def _lack(self, number: int, place: VaultPath) -> None:
        """Record that a file is gone: a conflict, unless that is what is wanted, or it was never written."""
        is_unmade = self._taking is not None and not self._change.facts.undoes and self._where.is_unmade(number)
        if self._change.state == "conflict" or is_unmade:
            self.notes.append(f"`{self.before(place)}` no longer exists, and stays so.")
        else:
            self._conflict(place, MISSING_FILE)

    def _note_done(self, place: VaultPath) -> None:
        self.notes.append(f"`{self.before(place)}` is as it was before already.")


Hunks = Mapping[str, Collection[int]]
"""The hunks that are undone of changes, by their ids; a change without an entry is undone whole."""


class Undone(Record):
    """What an undo on a draft came to."""

    changes: tuple[Change, ...]
    """The changes that it undoes."""
    hunks: Hunks
    notes: tuple[str, ...]
    """Notes about unexpected outcomes and the changes that are left, as sentences."""


def undo(
    draft: Draft,
    changes: Sequence[Change],
    snapshot: Snapshot,
    today: VaultState,
    hunks: Collection[int] | None = None,
) -> Undone:
    """Undo changes on a draft: their edits are removed from the current files.

    Of several, those that conflict stay, with what they depend on; of one in many notes, the notes where it conflicts.
    Folders that these or other undone changes made are removed when nothing is left in them.

    Raises:
        ChangeConflict: All of them conflict.
    """
    some, start = [*changes], len(draft.steps)
    conflicts, left, kept = list[FileConflict](), list[str](), list[str]()
    chosen = {} if hunks is None else {change.id: hunks for change in some}
    while True:
        draft.rewind(start)
        turning, found = _turn_back(draft, some, snapshot, today, chosen)
        if not found:
            break
        for id_, of_change in found.items():
            conflicts += of_change.values()
            change = next(one for one in some if one.id == id_)
            if id_ not in chosen and (others := _other_hunks(change, of_change, snapshot)):
                chosen[id_] = others
                kept += (f"`{one.path}` stays as it is: {one.why}" for one in of_change.values())
            else:
                some.remove(change)
                left.append(_explain_left(change, next(iter(of_change.values()))))
        if not some:
            _raise_conflicts(conflicts, changes if hunks is None else ())
    if hunks is None and turning:
        _remove_empty_folders(turning[-1], draft)
    notes = dict.fromkeys(note for one in turning for note in one.notes)
    return Undone(tuple(some), chosen, (*notes, *_shorten_notes(kept, "note"), *_shorten_notes(left, "change")))


def _other_hunks(change: Change, conflicts: Mapping[int, FileConflict], snapshot: Snapshot) -> Collection[int]:
    """Return what a change does besides the steps that conflict; nothing when that makes no sense alone."""
    if not (change.facts.skips_overtaken or all(one.why == LOST_VERSION for one in conflicts.values())):
        return ()
    paths = {change.steps[number].path for number in conflicts}
    others = [one for one in differences(change.steps, snapshot) if one.step.path not in paths]
    if not all(one.hunks for one in others):
        return ()
    return {hunk.number for one in others for hunk in one.hunks} - change.facts.undone


def _turn_back(
    draft: Draft, changes: Sequence[Change], snapshot: Snapshot, today: VaultState, hunks: Hunks
) -> tuple[list[ChangeReplay], dict[str, dict[int, FileConflict]]]:
    """Return how changes are undone on a draft, and by change which of its steps conflict."""
    conflicts, by_change = list[FileConflict](), dict[str, dict[int, FileConflict]]()
    ids = {change.id for change in changes}
    again = {switch.change for change in changes for switch in change.facts.switches if not switch.on} - ids
    lineages = cache(lambda path, gone: LineHistory.of(path, gone, today.past(path, gone), snapshot))
    positions, replays = Positions(draft), list[ChangeReplay]()
    for change in changes:
        if change.id not in hunks:
            (steps, reader), chosen = _active_steps(change, snapshot), None
        else:
            some = {*hunks[change.id]} - change.facts.undone
            steps, reader = select_hunks(change.steps, snapshot, some, last=True)
            chosen = hunk_positions(change.steps, snapshot, some)
        taking = UndoOptions(lineages, chosen, ids, again)
        turning = ChangeReplay(draft, change, reader, today, conflicts, positions, taking)
        turning.touching = True
        for number, step in reversed([*enumerate(steps)]):
            known = len(conflicts)
            if step is not None:
                turning.make(number, _inverse(step))
            if len(conflicts) > known:
                by_change.setdefault(change.id, {})[number] = conflicts[known]
        replays.append(turning)
    return replays, by_change


def _explain_left(change: Change, conflict: FileConflict) -> str:
    why = f"`{change.id}` ({change.operation}) is left, for `{conflict.path}`: {conflict.why}"
    return f"{why} `undo_change {change.id}` says more."


def _shorten_notes(notes: Sequence[str], noun: str) -> tuple[str, ...]:
    """Return the first notes about what is left out, and how many more there are."""
    more = len(notes) - MAX_NAMED_NOTES
    return (*notes[:MAX_NAMED_NOTES], *([f"{count_of(more, f'more {noun}')} left out."] if more > 0 else ()))


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
    _raise_conflicts(_apply_steps(draft, change, change.steps, snapshot, today, touching=True))


def apply_proposal(
    draft: Draft, change: Change, snapshot: Snapshot, today: VaultState, hunks: Collection[int] | None = None
) -> tuple[str, ...]:
    """Apply a proposed change, or some of its hunks; arguments and errors as for `undo`.

    Of a change that skips overtaken notes, those that changed in the same place since are left out and named.
    """
    if hunks is not None and any(step.kind not in ("put", "make_folder") for step in change.steps):
        raise InvalidArguments(
            "This change does more than write into notes; its parts make no sense alone.",
            hint="Accept it without `hunks`, or reject it.",
        )
    steps, reader = (
        (change.steps, snapshot) if hunks is None else select_hunks(change.steps, snapshot, hunks, last=False)
    )
    conflicts = _apply_steps(draft, change, steps, reader, today, touching=False)
    if not (change.facts.skips_overtaken and draft.steps):
        _raise_conflicts(conflicts)
    left = {conflict.path: f"`{conflict.path}` is left out. {conflict.why}" for conflict in conflicts}
    return _shorten_notes([*left.values()], "note")


def _active_steps(change: Change, snapshot: Snapshot) -> tuple[Sequence[Step | None], Snapshot]:
    undone = change.facts.undone
    if not undone:
        return change.steps, snapshot
    numbers = {hunk.number for found in differences(change.steps, snapshot) for hunk in found.hunks}
    return select_hunks(change.steps, snapshot, numbers - undone, last=True, others=REST_PART not in undone)


def _apply_steps(
    draft: Draft, change: Change, steps: Sequence[Step | None], snapshot: Snapshot, today: VaultState, *, touching: bool
) -> Sequence[FileConflict]:
    conflicts: list[FileConflict] = []
    turning = ChangeReplay(draft, change, snapshot, today, conflicts, Positions(draft))
    turning.touching = touching
    for number, step in enumerate(steps):
        if step is not None:
            turning.make(number, step)
    return conflicts


def _raise_conflicts(conflicts: Sequence[FileConflict], changes: Iterable[Change] = ()) -> None:
    if not conflicts:
        return
    paths = list(dict.fromkeys(conflict.path for conflict in conflicts))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    hint = MISSING_HINT if all(one.why == MISSING_FILE for one in conflicts) else None
    if hint is None and len({step.path for change in changes for step in change.steps}) > len(paths):
        hint = f"{ChangeConflict.hint} {OTHERS_HINT}"
    details = to_builtins(conflicts)
    raise ChangeConflict(f"`{paths[0]}`{more}: {conflicts[0].why}", hint=hint, conflicts=details)


def _inverse(step: Step) -> Step:
    """Return the inverse of a step; for files restored from or moved to the trash, it names their path there."""
    match step.kind:
        case "put":
            return Step("remove" if step.before is None else "put", step.path, before=step.after, after=step.before)
        case "remove":
            return Step("put", step.path, to=step.to, after=step.before, spelling=step.spelling, mode=step.mode)
        case "move" if is_hidden(step.path):
            return Step("remove", step.to or step.path, to=step.path, before=step.before)
        case "move":
            return Step("move", step.to or step.path, to=step.path, before=step.before, spelling=step.spelling)
        case "make_folder":
            return Step("remove_folder", step.path)
        case "remove_folder":
            return Step("make_folder", step.path, spelling=step.spelling)


FindChange = Callable[[str], Change | None]
"""Returns a change by its id."""
Past = Callable[[VaultPath, str | None], Iterable[Change]]
"""Returns the changes of a file, by its current path and the change that took it away."""


def hunk_states_after_undo(
    changes: Iterable[Change], snapshot: Snapshot, find: FindChange, past: Past, hunks: Hunks
) -> tuple[HunkState, ...]:
    """Return the hunk states that change by an undo: the undone changes off, the ones these had switched reverted.

    In a note that is restored, edits that count as undone only because the note was gone become active again.
    """
    switches: list[HunkState] = []
    for change in changes:
        every = _parts(change.steps, snapshot)
        parts = every - change.facts.undone
        if change.id in hunks:
            parts &= frozenset(hunks[change.id])
        turned = change.facts.switches if parts == every else _states_for_hunks(change, parts, snapshot, find)
        switches.append(HunkState(change.id, parts, on=False, of=len(every)))
        switches += [replace(one, on=not one.on) for one in turned]
        if REST_PART in parts:
            switches += _brought_back(change, snapshot, past)
    return _changed_states(switches, find)


def _brought_back(change: Change, snapshot: Snapshot, past: Past) -> Iterator[HunkState]:
    places = zip(change.steps, change.now, change.gone, strict=True)
    lost = {(now, gone) for step, now, gone in places if step.kind == "remove"}
    for one in {one.id: one for place in lost for one in past(*place)}.values():
        if absent := one.facts.absent & one.facts.undone:
            yield HunkState(one.id, absent, on=True, of=len(_parts(one.steps, snapshot)))


def hunk_states_after_redo(change: Change, snapshot: Snapshot, find: FindChange) -> tuple[HunkState, ...]:
    """Return the hunk states that change by a redo; arguments as for `hunk_states_after_undo`."""
    every = _parts(change.steps, snapshot)
    return _changed_states([HunkState(change.id, every, on=True, of=len(every)), *change.facts.switches], find)


def hunk_states_after_accept(
    change: Change, snapshot: Snapshot, find: FindChange, hunks: Collection[int] | None = None
) -> tuple[HunkState, ...]:
    """Return the hunk states that change when a proposal is accepted; arguments as for `hunk_states_after_undo`."""
    turned = change.facts.switches if hunks is None else _states_for_hunks(change, hunks, snapshot, find)
    return _changed_states(turned, find)


def _changed_states(switches: Iterable[HunkState], find: FindChange) -> tuple[HunkState, ...]:
    found: list[HunkState] = []
    for one in switches:
        change = find(one.change)
        undone = change.facts.undone if change else frozenset()
        if parts := one.parts & undone if one.on else one.parts - undone:
            found.append(replace(one, parts=parts))
    return tuple(found)


def _states_for_hunks(
    change: Change, hunks: Collection[int], snapshot: Snapshot, find: FindChange
) -> Iterator[HunkState]:
    """Yield the states that some hunks of a change switch.

    A part of another change that is not wholly within these hunks stays as it is.
    """
    for one in change.facts.switches:
        if (turned := find(one.change)) is not None:
            yield replace(one, parts=one.parts.intersection(_parts_within(turned, change, hunks, snapshot, on=one.on)))


def _parts(steps: Iterable[Step], snapshot: Snapshot) -> frozenset[int]:
    """Return the parts of a change; one without any effect has one part, so that it can be undone too."""
    parts: set[int] = set()
    for found in differences(steps, snapshot):
        parts.update(hunk.number for hunk in found.hunks)
        if found.step.kind != "put" or found.step.before is None or not found.hunks:
            parts.add(REST_PART)
    return frozenset(parts or {REST_PART})


def _parts_within(turned: Change, by: Change, hunks: Collection[int], snapshot: Snapshot, *, on: bool) -> Iterator[int]:
    for found, place in _differences_with_paths(turned, snapshot):
        for other, where in _differences_with_paths(by, snapshot):
            # A restored file exists only once that step is made, and an edit of it does not remove it again.
            edits = found.step.kind == "remove" and None not in (other.step.before, other.step.after)
            restores = other.step.before is None and without_grave(where[0]) == without_grave(place[0])
            if edits or not (where == place or restores):
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


def _map_span(span: range, found: Sequence[DiffPiece]) -> range:
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
