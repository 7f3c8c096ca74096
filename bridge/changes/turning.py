"""Carries the steps of a change over to files that may be others, and elsewhere, by now."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from bridge.changes.desk import Desk, digest_of, moved
from bridge.changes.differences import Snapshot
from bridge.changes.lineage import Lineage
from bridge.changes.plain import text_of
from bridge.changes.reconcile import Conflict, reconciled, told, whole
from bridge.changes.whereabouts import Today, Whereabouts
from bridge.errors import ChangeNotFound
from bridge.steps import Plan, Step
from bridge.store import Change
from bridge.types import Digest, VaultPath
from bridge.vault import name_key

GONE = "It is not there any more."
HAD_NAME = "Another file had its name since, and goes back through it: the change `{}` comes first."


@dataclass(frozen=True, slots=True)
class Taking:
    """How what a change did is taken out of notes."""

    lineages: Callable[[VaultPath, str | None], Lineage]
    """Returns how a note came to be as it is, given by where it is today and the change that took it away."""
    chosen: Collection[tuple[int, int]] | None
    """Only these hunks, each given by its step and its number there."""
    together: Collection[str]
    """The changes that are turned back together, the newest first."""


class Turning:
    """One change that is turned back or made again."""

    def __init__(
        self,
        desk: Desk,
        change: Change,
        snapshot: Snapshot,
        today: Today,
        conflicts: list[Conflict],
        taking: Taking | None = None,
    ) -> None:
        """Begin.

        Args:
            desk: Where the steps go.
            change: The change.
            snapshot: Gives contents that are kept.
            today: The vault, and how it came to be so.
            conflicts: Gets what cannot be.
            taking: How it is turned back, if it is.
        """
        self._desk = desk
        self._change = change
        self._snapshot = snapshot
        self._today = today
        self._conflicts = conflicts
        self.notes: list[str] = []
        """What was done otherwise than one may think, in sentences."""
        self.touching = False
        """Whether lines next to each other may both be changed."""
        self._taking = taking
        self._where = Whereabouts(today, change, taking.together if taking else ())
        self._back: set[tuple[VaultPath, str | None]] = set()
        """Files that were brought back, each by where it is today and what took it away."""

    def make(self, number: int, step: Step) -> None:
        """Put what a step means today on the desk, or note why that cannot be.

        Args:
            number: Which step of the change it is or turns back.
            step: The step.
        """
        place = self._on_desk(self._change.now[number])
        if any(conflict.path == place for conflict in self._conflicts):
            return
        match step.kind:
            case "put" if step.after is not None and step.before is None:
                self._restore(number, place, step.after, step.to)
                self._back.add((self._change.now[number], self._change.gone[number]))
            case "put" if step.after is not None and step.before is not None:
                self._put(number, place, step.before, step.after)
            case "remove":
                self._remove(number, step, place)
            case "move" if step.to is not None:
                self._move(number, step, place)
            case "make_folder" if not self._desk.has(place):
                self._desk.take(Plan((Step("make_folder", place),)))
            case "remove_folder" if self._desk.has(place) and not self.holds(place):
                if place == step.path or self.is_left_behind(place):
                    self._desk.take(Plan((Step("remove_folder", place),)))

    def holds(self, folder: VaultPath) -> bool:
        """Say whether a folder holds something after the steps so far."""
        there = {self._on_desk(path) for path in self._today.inside(self.before(folder))}
        there.update(step.to or step.path for step in self._desk.plan.steps)
        return any(path.startswith(f"{folder}/") and self._desk.has(path) for path in there)

    def is_left_behind(self, folder: VaultPath, *, unknown: bool = False) -> bool:
        """Say whether a folder is there after the steps so far only because of changes that are undone.

        Args:
            folder: The folder.
            unknown: What to say when the journal does not know who made it.
        """
        there = self._desk.has(folder) and not self._desk.is_file(folder)
        return there and self._where.is_left_behind(self.before(folder), unknown=unknown)

    def before(self, path: VaultPath) -> VaultPath:
        """Return where in the vault is what has a path after the steps so far."""
        for step in reversed(self._desk.plan.steps):
            if step.kind == "move" and step.to is not None:
                path = moved(path, step.to, step.path) or path
        return path

    def _restore(self, number: int, place: VaultPath, after: Digest, trashed: VaultPath | None) -> None:
        data = self._snapshot(after)
        if self._desk.has(place):
            self._conflict(place, "Another file has this name now.")
        elif (claim := self._claim(self._change.now[number])) is not None:
            self._conflict(place, HAD_NAME.format(claim))
        elif trashed is not None and self._today.has(trashed, after):
            blobs = {} if data is None else {after: data}
            self._desk.take(Plan((Step("move", trashed, to=place, before=after),), blobs))
        else:
            if trashed is not None and self._is_there(trashed):
                self.notes.append(f"`{trashed}` was changed since, and stays; `{place}` says what it said before.")
            self._desk.create(place, self._kept(place, after))

    def _put(self, number: int, place: VaultPath, before: Digest, after: Digest) -> None:
        if not self._is_left(number, place):
            return
        if not self._desk.is_file(place):
            self._conflict(place, GONE)
            return
        as_left = self._is(place, before) and not self._where.is_touched(number)
        made = None if as_left else self._taken_out(number, place, before, after)
        if made is None and self._is(place, before):
            made = self._kept(place, after)
        made = self._merged(place, before, after) if made is None else made
        if isinstance(made, bytes):
            self._desk.replace(place, made)
        else:
            self._conflicts += made

    def _taken_out(
        self, number: int, place: VaultPath, before: Digest, after: Digest
    ) -> bytes | tuple[Conflict, ...] | None:
        """Take what a step did out of a file; None when not every version of it is known, line by line."""
        lineage, data = self._lineage(number), self._desk.read(place)
        if lineage is None or self._taking is None or not lineage.come_to(data):
            return None
        if not lineage.knows(self._change, number):
            return None
        made = lineage.without(self._change, number, self._taking.chosen)
        if isinstance(made, str):
            return whole(place, text_of(data) or "", made)
        # What stands on the change may come to nothing by itself, as a word that was replaced and put back.
        merged = self._merged(place, before, after)
        if isinstance(merged, bytes):
            along = lineage.without(self._change, number, self._taking.chosen, along=True)
            return merged if text_of(merged) == along else told(place, made)
        return merged if self._is(place, after) else told(place, made)

    def _lineage(self, number: int) -> Lineage | None:
        """Return how the note of a step came to be as it is; None when nothing is turned back."""
        change = self._change
        return None if self._taking is None else self._taking.lineages(change.now[number], change.gone[number])

    def _merged(self, place: VaultPath, before: Digest, after: Digest) -> bytes | tuple[Conflict, ...]:
        """Bring what a step made of a file together with what it says now."""
        base, theirs, touching = self._kept(place, before), self._kept(place, after), self.touching
        if touching and self._is(place, after):
            return (Conflict(place, "It is so already: somebody changed it back since."),)
        return reconciled(place, base, self._desk.read(place), theirs, touching=touching, alike=not touching)

    def _remove(self, number: int, step: Step, place: VaultPath) -> None:
        path, before = step.path, step.before
        if not self._is_left(number, place):
            return
        if not self._desk.is_file(place):
            self._conflict(place, GONE)
        elif place != path and self._taking is None:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif before is None or not (self._is(place, before) or self._has_but_followed(number, place)):
            self._conflict(place, "It was changed since, and what was written would be lost with it.")
        else:
            data = self._desk.read(place)
            # What had come out of the trash goes there again.
            to = step.to if self._desk.back and step.to is not None and not self._is_there(step.to) else None
            self._desk.take(Plan((Step("remove", place, to, before=digest_of(data)),), {digest_of(data): data}))

    def _has_but_followed(self, number: int, place: VaultPath) -> bool:
        """Say whether a note is as the change made it, but for links that followed what was moved."""
        lineage = self._lineage(number)
        return (
            lineage is not None and lineage.come_to(self._desk.read(place)) and lineage.has_but_followed(self._change)
        )

    def _move(self, number: int, step: Step, place: VaultPath) -> None:
        is_folder, path, to = step.before is None, step.path, step.to or step.path
        if self._taking is not None:
            path, to = self._where.carried(path), self._where.carried(to)
        claim = self._claim(to)
        path, to = self._on_desk(path), self._on_desk(to)
        if not self._is_left(number, place):
            return
        if place != path or (self._taking is not None and self._where.is_moved_on(number)):
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif not (self._desk.has(place) if is_folder else self._desk.is_file(place)):
            self._conflict(place, GONE)
        elif is_folder and self._taking is not None and self._cleared(place, unknown=False):
            return
        elif to.startswith(f"{place}/"):
            self._conflict(place, f"Its place `{to}` is in it by now.")
        elif (
            self._desk.has(to)
            and name_key(to, whole=True) != name_key(place, whole=True)
            and not (is_folder and not place.startswith(f"{to}/") and self._cleared(to, unknown=True))
        ):
            self._conflict(place, f"Its place `{to}` is taken.")
        elif claim is not None:
            self._conflict(place, HAD_NAME.format(claim))
        elif place != to:
            data = None if is_folder else self._desk.read(place)
            blobs = {} if data is None else {digest_of(data): data}
            self._desk.take(Plan((Step("move", place, to=to, before=next(iter(blobs), None)),), blobs))

    def _claim(self, path: VaultPath) -> str | None:
        """Return a change that has to be turned back before something gets a path of today back."""
        return None if self._taking is None else self._where.claims(path)

    def _is_left(self, number: int, place: VaultPath) -> bool:
        """Say whether there may be something to do about a file: not when the change that made it was turned back.

        What was taken out of such a file cannot come back without it, and another that has its name is a conflict.
        """
        is_back = (self._change.now[number], self._change.gone[number]) in self._back
        if self._taking is None or is_back or not self._where.is_gone(number):
            return True
        if self._where.is_unmade(number) and "undoes" not in self._change.facts:
            return False
        if self._desk.has(place):
            self._conflict(place, GONE)
        return not self._desk.has(place)

    def _cleared(self, folder: VaultPath, *, unknown: bool) -> bool:
        """Take a folder away that is left behind, and in which there are only such."""
        held = [path for path in self._today.inside(folder) if self._desk.has(path)]
        if not self.is_left_behind(folder, unknown=unknown):
            return False
        if not all(self._cleared(path, unknown=unknown) for path in held):
            return False
        self._desk.take(Plan((Step("remove_folder", folder),)))
        return True

    def _on_desk(self, path: VaultPath) -> VaultPath:
        """Return where a file of the vault is after the steps so far."""
        return _after([(step.path, step.to) for step in self._desk.plan.steps if step.kind == "move" and step.to], path)

    def _is(self, place: VaultPath, digest: Digest) -> bool:
        return self._desk.is_file(place) and digest_of(self._desk.read(place)) == digest

    def _is_there(self, hidden: VaultPath) -> bool:
        return hidden in self._today.inside(VaultPath(hidden.rpartition("/")[0]))

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
