"""Turns changes back, makes them again and accepts proposals, on the vault as it is by now."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Final

from bridge.changes.desk import Desk, digest_of, moved
from bridge.changes.differences import Snapshot, differences, part
from bridge.changes.reconcile import Conflict, reconciled
from bridge.errors import ChangeConflict, ChangeNotFound, InvalidArguments
from bridge.steps import Plan, Step
from bridge.store import Change
from bridge.types import Digest, VaultPath
from bridge.vault import name_key

Inside = Callable[[VaultPath], Collection[VaultPath]]
"""Returns the paths of all that is directly in a folder of the vault, hidden files too."""

Later = Callable[[Change, VaultPath], Iterable[Digest]]
"""Returns what later changes made of a file, given by its path of today, the oldest first."""

GONE: Final = "It is not there any more."


def nothing(_change: Change, _path: VaultPath) -> Iterable[Digest]:
    """Know of no later changes."""
    return ()


def undo(
    desk: Desk,
    changes: Iterable[Change],
    snapshot: Snapshot,
    inside: Inside,
    hunks: Collection[int] | None = None,
    later: Later = nothing,
) -> None:
    """Turn changes back on a desk: what they made of a file is taken out of what it is by now.

    Folders that they made go when nothing is left in them.

    Args:
        desk: Where the steps are tried.
        changes: The changes, the newest first; all of them or none.
        snapshot: Gives contents that are kept.
        inside: Says what is in a folder.
        hunks: Of each change only these; then nothing is moved.
        later: Says what became of a file; without, lines that were changed often since are more likely a conflict.

    Raises:
        ChangeConflict: What they touched was changed since in the same places.
        ChangeNotFound: What a file said is no longer kept.
        InvalidArguments: There is no such hunk.
    """
    conflicts: list[Conflict] = []
    for change in changes:
        steps, kept = _in_force(change, snapshot) if hunks is None else part(change.steps, snapshot, hunks, last=True)
        turning = _Turning(desk, change, kept, inside, later, conflicts, touching=True)
        for step, now in reversed([*zip(steps, change.now, strict=True)]):
            if step is not None:
                turning.make(_inverse(step), now)
    _require_none(conflicts)


def redo(desk: Desk, change: Change, snapshot: Snapshot, inside: Inside) -> None:
    """Make a change again that was turned back; arguments and errors as for `undo`."""
    _make(desk, change, change.steps, snapshot, inside, touching=True)


def accept(
    desk: Desk, change: Change, snapshot: Snapshot, inside: Inside, hunks: Collection[int] | None = None
) -> None:
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
    _make(desk, change, steps, kept, inside, touching=False)


def _in_force(change: Change, snapshot: Snapshot) -> tuple[Sequence[Step | None], Snapshot]:
    """Return the steps of a change but for the hunks that were turned back before, and the contents they speak of."""
    undone = change.facts.get("undone_hunks")
    if not isinstance(undone, list) or not undone:
        return change.steps, snapshot
    numbers = {hunk.number for found in differences(change.steps, snapshot) for hunk in found.hunks}
    return part(change.steps, snapshot, numbers.difference(undone), last=True, others=True)


def _make(
    desk: Desk, change: Change, steps: Sequence[Step | None], snapshot: Snapshot, inside: Inside, *, touching: bool
) -> None:
    conflicts: list[Conflict] = []
    turning = _Turning(desk, change, snapshot, inside, nothing, conflicts, touching=touching)
    for step, now in zip(steps, change.now, strict=True):
        if step is not None:
            turning.make(step, now)
    _require_none(conflicts)


def _require_none(conflicts: Sequence[Conflict]) -> None:
    if not conflicts:
        return
    paths = list(dict.fromkeys(conflict.path for conflict in conflicts))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    told = [asdict(conflict) for conflict in conflicts]
    raise ChangeConflict(f"`{paths[0]}`{more}: {conflicts[0].why}", conflicts=told)


def _inverse(step: Step) -> Step:
    """Return what takes a step back; to put a removed file back names where it went."""
    match step.kind:
        case "put":
            return Step("remove" if step.before is None else "put", step.path, before=step.after, after=step.before)
        case "remove":
            return Step("put", step.path, to=step.to, after=step.before)
        case "move":
            return Step("move", step.to or step.path, to=step.path, before=step.before)
        case "make_folder":
            return Step("remove_folder", step.path)
        case "remove_folder":
            return Step("make_folder", step.path)


class _Turning:
    """Carries steps over to files that may be others by now."""

    def __init__(
        self,
        desk: Desk,
        change: Change,
        snapshot: Snapshot,
        inside: Inside,
        later: Later,
        conflicts: list[Conflict],
        *,
        touching: bool,
    ) -> None:
        self._desk = desk
        self._change = change
        self._snapshot = snapshot
        self._inside = inside
        self._later = later
        self._conflicts = conflicts
        self._touching = touching

    def make(self, step: Step, now: VaultPath) -> None:
        """Put what a step means today on the desk, or note why that cannot be.

        Args:
            step: The step.
            now: Where its file or folder is in the vault.
        """
        place = self._on_desk(now)
        if any(conflict.path == place for conflict in self._conflicts):
            return
        match step.kind:
            case "put" if step.after is not None and step.before is None:
                self._restore(place, step.after, step.to)
            case "put" if step.after is not None and step.before is not None:
                self._put(place, now, step.before, step.after)
            case "remove":
                self._remove(step.path, place, step.before)
            case "move" if step.to is not None:
                self._move(step.path, place, step.to, whole=step.before is None)
            case "make_folder" if not self._desk.has(place):
                self._desk.take(Plan((Step("make_folder", place),)))
            case "remove_folder" if self._desk.has(place) and place == step.path and not self._left_in(place, now):
                self._desk.take(Plan((Step("remove_folder", place),)))

    def _restore(self, place: VaultPath, after: Digest, trashed: VaultPath | None) -> None:
        if self._desk.has(place):
            self._conflict(place, "Another file has this name now.")
        elif trashed is not None and trashed in self._inside(VaultPath(trashed.rpartition("/")[0])):
            data = self._snapshot(after)
            blobs = {} if data is None else {after: data}
            self._desk.take(Plan((Step("move", trashed, to=place, before=after),), blobs))
        else:
            self._desk.create(place, self._kept(place, after))

    def _put(self, place: VaultPath, now: VaultPath, before: Digest, after: Digest) -> None:
        if not self._desk.is_file(place):
            self._conflict(place, GONE)
            return
        theirs = self._kept(place, after)
        if self._is(place, before):
            self._desk.replace(place, theirs)
            return
        if self._touching and self._is(place, after):
            self._conflict(place, "It is so already: somebody changed it back since.")
            return
        base, ours = self._kept(place, before), self._desk.read(place)
        made = self._merged(place, [base, ours], theirs)
        if not isinstance(made, bytes):
            # The way from version to version is more sinuous than the direct one, but each step is clearer.
            between = [data for digest in self._later(self._change, now) if (data := self._snapshot(digest))]
            longer = self._merged(place, [base, *between, ours], theirs)
            made = longer if isinstance(longer, bytes) else made
        if isinstance(made, bytes):
            self._desk.replace(place, made)
        else:
            self._conflicts += made

    def _merged(self, place: VaultPath, versions: Sequence[bytes], theirs: bytes) -> bytes | tuple[Conflict, ...]:
        """Carry another outcome of the first version of a file over to its last."""
        for base, ours in pairwise(versions):
            made = reconciled(place, base, ours, theirs, touching=self._touching, alike=not self._touching)
            if not isinstance(made, bytes):
                return made
            theirs = made
        return theirs

    def _remove(self, path: VaultPath, place: VaultPath, before: Digest | None) -> None:
        if not self._desk.is_file(place):
            self._conflict(place, GONE)
        elif place != path:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif before is None or not self._is(place, before):
            self._conflict(place, "It was changed since, and what was written would be lost with it.")
        else:
            self._desk.take(Plan((Step("remove", place, before=before),), {before: self._desk.read(place)}))

    def _move(self, path: VaultPath, place: VaultPath, to: VaultPath, *, whole: bool) -> None:
        if place != path:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif not (self._desk.has(place) if whole else self._desk.is_file(place)):
            self._conflict(place, GONE)
        elif (
            self._desk.has(to)
            and name_key(to, whole=True) != name_key(place, whole=True)
            and not (whole and self._cleared(to))
        ):
            self._conflict(place, f"Its place `{to}` is taken.")
        else:
            data = None if whole else self._desk.read(place)
            blobs = {} if data is None else {digest_of(data): data}
            self._desk.take(Plan((Step("move", place, to=to, before=next(iter(blobs), None)),), blobs))

    def _cleared(self, folder: VaultPath) -> bool:
        """Take a folder away in which there are only empty ones: whoever made it was undone while it held more."""
        held = [path for path in self._inside(folder) if self._desk.has(path)]
        if self._desk.is_file(folder) or not all(self._cleared(path) for path in held):
            return False
        self._desk.take(Plan((Step("remove_folder", folder),)))
        return True

    def _on_desk(self, path: VaultPath) -> VaultPath:
        """Return where a file of the vault is after the steps so far."""
        for step in self._desk.plan.steps:
            if step.kind == "move" and step.to is not None:
                path = moved(path, step.path, step.to) or path
        return path

    def _left_in(self, place: VaultPath, now: VaultPath) -> bool:
        """Say whether a folder still holds something after the steps so far."""
        there = {self._on_desk(path) for path in self._inside(now)}
        there.update(step.to or step.path for step in self._desk.plan.steps)
        return any(path.startswith(f"{place}/") and self._desk.has(path) for path in there)

    def _is(self, place: VaultPath, digest: Digest) -> bool:
        return self._desk.is_file(place) and digest_of(self._desk.read(place)) == digest

    def _kept(self, place: VaultPath, digest: Digest) -> bytes:
        data = self._snapshot(digest)
        if data is None:
            raise ChangeNotFound(f"What `{place}` said then is no longer kept.", path=place)
        return data

    def _conflict(self, place: VaultPath, why: str) -> None:
        self._conflicts.append(Conflict(place, why))
