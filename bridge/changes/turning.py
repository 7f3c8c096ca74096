"""Carries the steps of a change over to files that may be others, and elsewhere, by now."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from bridge.changes.desk import Desk, digest_of, moved
from bridge.changes.differences import Snapshot
from bridge.changes.fate import fate
from bridge.changes.lineage import Lineage, Past
from bridge.changes.plain import text_of
from bridge.changes.reconcile import Conflict, reconciled, told, whole
from bridge.errors import ChangeNotFound
from bridge.steps import Plan, Step
from bridge.store import Change
from bridge.types import Digest, VaultPath
from bridge.vault import name_key

GONE = "It is not there any more."


@dataclass(frozen=True, slots=True)
class Today:
    """The vault as it is by now, and how it came to be so."""

    inside: Callable[[VaultPath], Collection[VaultPath]]
    """Returns the paths of all that is directly in a folder, hidden files too."""
    has: Callable[[VaultPath, Digest], bool]
    """Says whether a file, hidden ones too, has these bytes."""
    past: Past
    moves: Callable[[str], Iterable[tuple[VaultPath, VaultPath]]]
    """Returns whence and where folders were moved after a change, given by its id, the oldest first."""
    makers: Callable[[VaultPath], Iterable[Change]]
    """Returns the changes that made a folder."""


@dataclass(frozen=True, slots=True)
class Taking:
    """How what a change did is taken out of notes."""

    lineages: Callable[[VaultPath], Lineage]
    """Returns how a note, given by its path of today, came to be as it is."""
    chosen: Collection[tuple[int, int]] | None
    """Only these hunks, each given by its step and its number there."""
    together: Collection[str]
    """The changes that are turned back together, the newest first."""


class Turning:
    """One change that is turned back or made again."""

    def __init__(self, desk: Desk, change: Change, snapshot: Snapshot, today: Today, conflicts: list[Conflict]) -> None:
        self._desk = desk
        self._change = change
        self._snapshot = snapshot
        self._today = today
        self._conflicts = conflicts
        self.notes: list[str] = []
        """What was done otherwise than one may think, in sentences."""
        self.touching = False
        """Whether lines next to each other may both be changed."""
        self.taking: Taking | None = None
        """Set when the change is turned back."""

    def make(self, number: int, step: Step, now: VaultPath) -> None:
        """Put what a step means today on the desk, or note why that cannot be.

        Args:
            number: Which step of the change it is or turns back.
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
                self._put(number, place, now, step.before, step.after)
            case "remove":
                self._remove(step.path, place, now, step.before)
            case "move" if step.to is not None:
                self._move(step, place, now)
            case "make_folder" if not self._desk.has(place):
                self._desk.take(Plan((Step("make_folder", place),)))
            case "remove_folder" if self._desk.has(place) and place == step.path and not self.holds(place):
                self._desk.take(Plan((Step("remove_folder", place),)))

    def holds(self, folder: VaultPath) -> bool:
        """Say whether a folder holds something after the steps so far."""
        there = {self._on_desk(path) for path in self._today.inside(self.before(folder))}
        there.update(step.to or step.path for step in self._desk.plan.steps)
        return any(path.startswith(f"{folder}/") and self._desk.has(path) for path in there)

    def before(self, path: VaultPath) -> VaultPath:
        """Return where in the vault is what has a path after the steps so far."""
        for step in reversed(self._desk.plan.steps):
            if step.kind == "move" and step.to is not None:
                path = moved(path, step.to, step.path) or path
        return path

    def _restore(self, place: VaultPath, after: Digest, trashed: VaultPath | None) -> None:
        data = self._snapshot(after)
        if self._desk.has(place):
            self._conflict(place, "Another file has this name now.")
        elif trashed is not None and self._today.has(trashed, after):
            blobs = {} if data is None else {after: data}
            self._desk.take(Plan((Step("move", trashed, to=place, before=after),), blobs))
        else:
            if trashed is not None and trashed in self._today.inside(VaultPath(trashed.rpartition("/")[0])):
                self.notes.append(f"`{trashed}` was changed since, and stays; `{place}` says what it said before.")
            self._desk.create(place, self._kept(place, after))

    def _put(self, number: int, place: VaultPath, now: VaultPath, before: Digest, after: Digest) -> None:
        if self._is(place, before):
            self._desk.replace(place, self._kept(place, after))
        elif not self._is_left(place, now):
            return
        elif not self._desk.is_file(place):
            self._conflict(place, GONE)
        else:
            made = self._taken_out(number, place, now, before, after)
            made = self._merged(place, before, after) if made is None else made
            if isinstance(made, bytes):
                self._desk.replace(place, made)
            else:
                self._conflicts += made

    def _taken_out(
        self, number: int, place: VaultPath, now: VaultPath, before: Digest, after: Digest
    ) -> bytes | tuple[Conflict, ...] | None:
        """Take what a step did out of a file; None when not every version of it is known, line by line."""
        data = self._desk.read(place)
        lineage = None if self.taking is None else self.taking.lineages(now)
        if self.taking is None or lineage is None or not lineage.come_to(data):
            return None
        if not lineage.knows(self._change, number):
            return None
        made = lineage.without(self._change, number, self.taking.chosen)
        if isinstance(made, str):
            return whole(place, text_of(data) or "", made)
        # What stands on the change may come to nothing by itself, as a word that was replaced and put back.
        merged = self._merged(place, before, after)
        along = lineage.without(self._change, number, self.taking.chosen, along=True)
        if isinstance(merged, bytes):
            return merged if text_of(merged) == along else told(place, made)
        return merged if self._is(place, after) else told(place, made)

    def _merged(self, place: VaultPath, before: Digest, after: Digest) -> bytes | tuple[Conflict, ...]:
        """Bring what a step made of a file together with what it says now."""
        base, theirs, touching = self._kept(place, before), self._kept(place, after), self.touching
        if touching and self._is(place, after):
            return (Conflict(place, "It is so already: somebody changed it back since."),)
        return reconciled(place, base, self._desk.read(place), theirs, touching=touching, alike=not touching)

    def _remove(self, path: VaultPath, place: VaultPath, now: VaultPath, before: Digest | None) -> None:
        if not self._is_left(place, now):
            return
        if not self._desk.is_file(place):
            self._conflict(place, GONE)
        elif place != path and self.taking is None:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif before is None or not (self._is(place, before) or self._only_followed(place, now)):
            self._conflict(place, "It was changed since, and what was written would be lost with it.")
        else:
            data = self._desk.read(place)
            self._desk.take(Plan((Step("remove", place, before=digest_of(data)),), {digest_of(data): data}))

    def _only_followed(self, place: VaultPath, now: VaultPath) -> bool:
        """Say whether a note is as the change made it, but for links that followed what was moved."""
        if self.taking is None:
            return False
        lineage = self.taking.lineages(now)
        return lineage.come_to(self._desk.read(place)) and lineage.is_but_followed(self._change)

    def _move(self, step: Step, place: VaultPath, now: VaultPath) -> None:
        to, is_folder = step.to or step.path, step.before is None
        if self.taking is not None:
            # A folder takes along what is in it, and the places of what was moved out of it.
            moves = [*self._today.moves(self._change.id)]
            path, to = (self._on_desk(_after(moves, place)) for place in (step.path, to))
        else:
            path = step.path
        if not self._is_left(place, now):
            return
        if place != path:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif not (self._desk.has(place) if is_folder else self._desk.is_file(place)):
            self._conflict(place, GONE)
        elif (
            self._desk.has(to)
            and name_key(to, whole=True) != name_key(place, whole=True)
            and not (is_folder and self._cleared(to))
        ):
            self._conflict(place, f"Its place `{to}` is taken.")
        elif place != to:
            data = None if is_folder else self._desk.read(place)
            blobs = {} if data is None else {digest_of(data): data}
            self._desk.take(Plan((Step("move", place, to=to, before=next(iter(blobs), None)),), blobs))

    def _is_left(self, place: VaultPath, now: VaultPath) -> bool:
        """Say whether there may be something to do about a file: not when the change that made it was turned back.

        A file that only has its name today is a conflict.
        """
        if self.taking is None:
            return True
        others = (one for one in self._today.past(now) if one.id not in self.taking.together)
        match fate(others, self._change, now):
            case "unmade":
                return False
            case "gone" if self._desk.has(place):
                self._conflict(place, GONE)
                return False
            case _:
                return True

    def _cleared(self, folder: VaultPath) -> bool:
        """Take a folder away in which there are only empty ones: whoever made it was undone while it held more."""
        held = [path for path in self._today.inside(folder) if self._desk.has(path)]
        if self._desk.is_file(folder) or not all(self._cleared(path) for path in held):
            return False
        self._desk.take(Plan((Step("remove_folder", folder),)))
        return True

    def _on_desk(self, path: VaultPath) -> VaultPath:
        """Return where a file of the vault is after the steps so far."""
        return _after([(step.path, step.to) for step in self._desk.plan.steps if step.kind == "move" and step.to], path)

    def _is(self, place: VaultPath, digest: Digest) -> bool:
        return self._desk.is_file(place) and digest_of(self._desk.read(place)) == digest

    def _kept(self, place: VaultPath, digest: Digest) -> bytes:
        data = self._snapshot(digest)
        if data is None:
            raise ChangeNotFound(f"What `{place}` said then is no longer kept.", path=place)
        return data

    def _conflict(self, place: VaultPath, why: str) -> None:
        self._conflicts.append(Conflict(place, why))


def _after(moves: Iterable[tuple[VaultPath, VaultPath]], path: VaultPath) -> VaultPath:
    """Return where a path is after moves."""
    for place, to in moves:
        path = moved(path, place, to) or path
    return path
