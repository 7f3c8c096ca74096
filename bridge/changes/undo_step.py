"""Carries the steps of a change over to files that may be others, and elsewhere, by now."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from bridge.changes.draft import Draft, digest_of, path_after_move
from bridge.changes.hunks import Snapshot
from bridge.changes.path_history import PathHistory, VaultState
from bridge.changes.positions import Positions, file_after, name_after
from bridge.changes.provenance import LineHistory
from bridge.changes.rebase import FileConflict, encode_merged, merge_file, to_file_conflicts
from bridge.errors import ChangeNotFound
from bridge.markdown.link_targets import name_key
from bridge.state.change_records import Change
from bridge.text.diff import decode_text
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step

GONE = "It is not there any more."
HAD_NAME = "Another file had its name since, and goes back through it: the change `{}` comes first."


@dataclass(frozen=True, slots=True)
class UndoOptions:
    """How what a change did is taken out of notes."""

    lineages: Callable[[VaultPath, str | None], LineHistory]
    """Returns how a note came to be as it is, given by where it is today and the change that took it away."""
    chosen: Collection[tuple[int, int]] | None
    """Only these hunks, each given by its step and its number there."""
    together: Collection[str]
    """The changes that are turned back together, the newest first."""
    again: Collection[str]
    """The changes that are in force again by that."""


class ChangeReplay:
    """One change that is turned back or made again."""

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
        """Begin.

        Args:
            draft: Where the steps go.
            change: The change.
            snapshot: Gives contents that are kept.
            today: The vault, and how it came to be so.
            conflicts: Gets what cannot be.
            positions: Where files and names are after the steps of the desk.
            taking: How it is turned back, if it is.
        """
        self._draft = draft
        self._change = change
        self._snapshot = snapshot
        self._today = today
        self._conflicts = conflicts
        self.notes: list[str] = []
        """What was done otherwise than one may think, in sentences."""
        self.touching = False
        """Whether lines next to each other may both be changed."""
        self._taking = taking
        self._where = PathHistory(today, change, *((taking.together, taking.again) if taking else ((), ())))
        self._positions = positions

    def make(self, number: int, step: Step) -> None:
        """Put what a step means today on the desk, or note why that cannot be.

        Args:
            number: Which step of the change it is or turns back.
            step: The step.
        """
        identity = self._change.now[number], self._change.gone[number]
        brings_back = step.kind == "make_folder" or (step.kind == "put" and step.before is None)
        place = self._name(number, step.path) if brings_back else self._positions.of_file(*identity)
        if any(conflict.path in (place, self.before(place)) for conflict in self._conflicts):
            return
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
                self._draft.take(Plan((Step("make_folder", place),)))
                self._positions.restore(*identity, place)
            case "remove_folder" if self._draft.has(place) and not self.holds(place):
                if place == step.path or self.is_left_behind(place):
                    self._draft.take(Plan((Step("remove_folder", place),)))

    def _name(self, number: int, path: VaultPath) -> VaultPath:
        """Return what a path that a step speaks of is called after the steps so far."""
        return self._positions.of_name(path, self._where.events(self._count(number)))

    def _count(self, number: int) -> int:
        """Return how many steps of the change come before what is spoken of when one is done or undone."""
        return number if self._taking is None else number + 1

    def holds(self, folder: VaultPath) -> bool:
        """Say whether a folder holds something after the steps so far."""
        return bool(self._inside(folder))

    def _inside(self, folder: VaultPath) -> list[VaultPath]:
        """Return what is directly in a folder after the steps so far."""
        there = {file_after(self._draft.steps, path) for path in self._today.inside(self.before(folder))}
        there.update(place for step in self._draft.steps for place in (step.path, step.to) if place is not None)
        below = {path[len(folder) + 1 :].split("/")[0] for path in there if path.startswith(f"{folder}/")}
        return [path for name in sorted(below) if self._draft.has(path := VaultPath(f"{folder}/{name}"))]

    def is_left_behind(self, folder: VaultPath, *, unknown: bool = False) -> bool:
        """Say whether a folder is there after the steps so far only because of these or of changes that are undone.

        Args:
            folder: The folder.
            unknown: What to say when the journal does not know who made it.
        """
        there = self._draft.has(folder) and not self._draft.is_file(folder)
        return there and (self._is_passage(folder) or self._where.is_left_behind(self.before(folder), unknown=unknown))

    def _is_passage(self, folder: VaultPath) -> bool:
        """Say whether a folder is made only because the steps so far lead something through it."""
        before, steps = self.before(folder), self._draft.steps
        made = (number for number, step in enumerate(steps) if step.kind == "make_folder")
        if self._draft.had(before) or any(file_after(steps[number:], steps[number].path) == folder for number in made):
            return False
        return any(place.startswith((f"{folder}/", f"{before}/")) for place in self._draft.touched)

    def before(self, path: VaultPath) -> VaultPath:
        """Return where in the vault is what has a path after the steps so far."""
        for step in reversed(self._draft.steps):
            if step.kind == "move" and step.to is not None:
                path = path_after_move(path, step.to, step.path) or path
        return path

    def _restore(self, number: int, step: Step, place: VaultPath, after: Digest) -> None:
        data, trashed = self._snapshot(after), step.to
        if self._draft.has(place):
            taker = self.before(place)
            why = "Another file has this name now." if taker == place else f"`{taker}` would have its name by then."
            self._conflicts.append(FileConflict(place, why))
        elif (claim := self._claim(number, step.path)) is not None:
            self._conflicts.append(FileConflict(place, HAD_NAME.format(claim)))
        elif trashed is not None and self._today.has(trashed, after):
            blobs = {} if data is None else {after: data}
            self._draft.take(Plan((Step("move", trashed, to=place, before=after),), blobs))
        else:
            if trashed is not None and self._is_there(trashed):
                self.notes.append(f"`{trashed}` was changed since, and stays; `{place}` says what it said before.")
            self._draft.create(place, self._kept(place, after))

    def _put(self, number: int, place: VaultPath, before: Digest, after: Digest) -> None:
        if not self._is_left(number, place):
            return
        if not self._draft.is_file(place):
            self._conflict(place, GONE)
            return
        as_left = self._is(place, before) and not self._where.is_touched(number)
        made = None if as_left else self._taken_out(number, place, before, after)
        if made is None and self._is(place, before):
            made = self._kept(place, after)
        made = self._merged(place, before, after) if made is None else made
        if isinstance(made, bytes):
            self._draft.replace(place, made)
        else:
            self._conflicts += [replace(one, path=self.before(one.path)) for one in made]

    def _taken_out(
        self, number: int, place: VaultPath, before: Digest, after: Digest
    ) -> bytes | tuple[FileConflict, ...] | None:
        """Take what a step did out of a file; None when not every version of it is known, line by line."""
        line_history, data = self._lineage(number), self._draft.read(place)
        if line_history is None or self._taking is None or not line_history.come_to(data):
            return None
        if not line_history.knows(self._change, number):
            return None
        made = line_history.without(self._change, number, self._taking.chosen)
        if isinstance(made, str):
            return encode_merged(place, decode_text(data) or "", made)
        # What stands on the change may come to nothing by itself, as a word that was replaced and put back.
        merged = self._merged(place, before, after)
        if isinstance(merged, bytes):
            along = line_history.without(self._change, number, self._taking.chosen, along=True)
            return merged if decode_text(merged) == along else to_file_conflicts(place, made)
        return merged if self._is(place, after) else to_file_conflicts(place, made)

    def _lineage(self, number: int) -> LineHistory | None:
        """Return how the note of a step came to be as it is; None when nothing is turned back."""
        change = self._change
        return None if self._taking is None else self._taking.lineages(change.now[number], change.gone[number])

    def _merged(self, place: VaultPath, before: Digest, after: Digest) -> bytes | tuple[FileConflict, ...]:
        """Bring what a step made of a file together with what it says now."""
        base, theirs, touching = self._kept(place, before), self._kept(place, after), self.touching
        if touching and self._is(place, after):
            return (FileConflict(place, "It is so already: somebody changed it back since."),)
        return merge_file(place, base, self._draft.read(place), theirs, touching=touching, alike=not touching)

    def _remove(self, number: int, step: Step, place: VaultPath) -> None:
        path, before = step.path, step.before
        if not self._is_left(number, place):
            return
        if not self._draft.is_file(place):
            self._conflict(place, GONE)
        elif place != path and self._taking is None:
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif before is None or not (self._is(place, before) or self._has_but_followed(number, place)):
            self._conflict(place, "It was changed since, and what was written would be lost with it.")
        else:
            data = self._draft.read(place)
            # What had come out of the trash goes there again.
            to = step.to if self._draft.back and step.to is not None and not self._is_there(step.to) else None
            self._draft.take(Plan((Step("remove", place, to, before=digest_of(data)),), {digest_of(data): data}))

    def _has_but_followed(self, number: int, place: VaultPath) -> bool:
        """Say whether a note is as the change made it, but for links that followed what was moved."""
        line_history = self._lineage(number)
        return (
            line_history is not None
            and line_history.come_to(self._draft.read(place))
            and line_history.has_but_followed(self._change)
        )

    def _move(self, number: int, step: Step, place: VaultPath) -> None:
        is_folder, path, to = step.before is None, step.path, step.to or step.path
        claim = self._claim(number, to)
        path, to = self._name(number, path), self._name(number, to)
        if not self._is_left(number, place):
            return
        if place != path or (self._taking is not None and self._where.is_moved_on(number)):
            self._conflict(place, f"It was moved since, from `{path}`.")
        elif not (self._draft.has(place) if is_folder else self._draft.is_file(place)):
            self._conflict(place, GONE)
        elif to.startswith(f"{place}/"):
            self._conflict(place, f"Its place `{to}` is in it by now.")
        elif (
            self._draft.has(to)
            and name_key(to, whole=True) != name_key(place, whole=True)
            and not (is_folder and not place.startswith(f"{to}/") and self._cleared(to, unknown=True))
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
            self._draft.take(Plan((Step("move", place, to=to, before=next(iter(blobs), None)),), blobs))

    def _claim(self, number: int, path: VaultPath) -> str | None:
        """Return a change that has to be turned back before something gets a path back that a step speaks of."""
        if self._taking is None:
            return None
        return self._where.claims(name_after(self._where.events(self._count(number)), path))

    def _is_left(self, number: int, place: VaultPath) -> bool:
        """Say whether there may be something to do about a file: not when the change that made it was turned back.

        What was taken out of such a file cannot come back without it, and another that has its name is a conflict.
        """
        is_back = self._positions.is_restored(self._change.now[number], self._change.gone[number])
        if self._taking is None or is_back or not self._where.is_gone(number):
            return True
        if self._where.is_unmade(number) and "undoes" not in self._change.facts:
            return False
        if self._draft.has(place):
            self._conflict(place, GONE)
        return not self._draft.has(place)

    def _cleared(self, folder: VaultPath, *, unknown: bool) -> bool:
        """Take a folder away that is left behind, and in which there are only such."""
        if not self.is_left_behind(folder, unknown=unknown):
            return False
        if not all(self._cleared(path, unknown=unknown) for path in self._inside(folder)):
            return False
        self._draft.take(Plan((Step("remove_folder", folder),)))
        return True

    def _is(self, place: VaultPath, digest: Digest) -> bool:
        return self._draft.is_file(place) and digest_of(self._draft.read(place)) == digest

    def _is_there(self, hidden: VaultPath) -> bool:
        return hidden in self._today.inside(VaultPath(hidden.rpartition("/")[0]))

    def _kept(self, place: VaultPath, digest: Digest) -> bytes:
        data = self._snapshot(digest)
        if data is None:
            raise ChangeNotFound(f"What `{place}` said then is no longer kept.", path=place)
        return data

    def _conflict(self, place: VaultPath, why: str) -> None:
        self._conflicts.append(FileConflict(self.before(place), why))
