"""Where the files and folders that a change touched are by now, and whether they are the same."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bridge.changes.positions import name_after
from bridge.state.change_parts import read_hunk_states
from bridge.state.change_records import Change
from bridge.state.file_history import FolderEvent, Moment
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step, StepKind


@dataclass(frozen=True, slots=True)
class VaultState:
    """The vault as it is by now, and how it came to be so."""

    inside: Callable[[VaultPath], Collection[VaultPath]]
    """Returns the paths of all that is directly in a folder, hidden files too."""
    has: Callable[[VaultPath, Digest], bool]
    """Says whether a file, hidden ones too, has these bytes."""
    past: Callable[[VaultPath, str | None], Iterable[Change]]
    """Returns the changes of a file, given by where it is today and the change that took it away, the oldest first."""
    is_newest: Callable[[str, VaultPath, str | None], bool]
    """Says whether a change, given by when it was made, is the last of a file."""
    folders: Callable[[str], Iterable[FolderEvent]]
    """Returns what happened to folders since a change was made, its own steps too, the oldest first."""
    departures: Callable[[str], Iterable[tuple[str, Moment, VaultPath]]]
    """Returns by which change in force, when and from where something was taken away after a change was made."""


class PathHistory:
    """What the journal knows of the files and folders of a change."""

    def __init__(self, today: VaultState, change: Change, together: Collection[str], again: Collection[str]) -> None:
        """Begin.

        Args:
            today: The vault.
            change: The change.
            together: The changes that are turned back with it; they do not count.
            again: Those that are in force again by it; they count.
        """
        self._today = today
        self._change = change
        self._together = together
        self._again = again

    def events(self, number: int) -> list[FolderEvent]:
        """Return what happened to folders since what a step of the change speaks of, the oldest first.

        Args:
            number: How many of its steps come before; those of a proposal were not done.
        """
        change = self._change
        if change.state != "proposed":
            return [event for event in self._events if event.moment >= (change.made, number)]
        own = [
            FolderEvent((change.made, 0), _inverse_folder_step(step), change.id, frozenset())
            for step in change.steps[:number]
        ]
        return [*own[::-1], *self._events]

    def is_touched(self, number: int) -> bool:
        """Say whether something was done to the file of a step after it, even if that came to nothing."""
        change = self._change
        return not self._today.is_newest(change.made, change.now[number], change.gone[number])

    def is_moved_on(self, number: int) -> bool:
        """Say whether a later change in force moved the file or folder of a step, even if it came back."""
        now, gone = self._change.now[number], self._change.gone[number]
        later = (one for one in self._in_force(now, gone) if one.made > self._change.made)
        return any(_has_step(one, "move", now, gone) for one in later)

    def is_unmade(self, number: int) -> bool:
        """Say whether the file of a step is gone because the change that made it was turned back."""
        now, gone = self._change.now[number], self._change.gone[number]
        if not self.is_gone(number):
            return False
        past = [*self._today.past(now, gone)]
        undone = {
            switch.change for one in past if one.id == gone for switch in read_hunk_states(one.facts) if not switch.on
        }
        return any(one.id in undone and _is_maker(one, now, gone) for one in past)

    def is_gone(self, number: int) -> bool:
        """Say whether the file of a step was taken away; another may have its name by now."""
        gone = self._change.gone[number]
        return gone is not None and gone not in self._together

    def claims(self, path: VaultPath) -> str | None:
        """Return a change that took another file away from a path since, and would need it free to be turned back."""
        name = path.rpartition("/")[2]
        others = (
            (by, when, place)
            for by, when, place in self._today.departures(self._change.made)
            if by not in self._together and place.rpartition("/")[2] == name
        )
        return next((by for by, when, place in others if self._carried(place, when) == path), None)

    def _carried(self, path: VaultPath, after: Moment) -> VaultPath:
        """Return what a path of an earlier moment is called today."""
        return name_after((event for event in self._events if event.moment > after), path)

    def is_left_behind(self, folder: VaultPath, *, unknown: bool) -> bool:
        """Say whether a folder is there only because of changes that are undone.

        Args:
            folder: The folder.
            unknown: What to say when the journal does not know who made it.
        """
        changes = [*self._today.past(folder, None)]
        made = any(_has_step(one, "make_folder", folder, None) for one in changes)
        return made and not self._in_force(folder, None) if changes else unknown

    def _in_force(self, path: VaultPath, gone: str | None) -> list[Change]:
        """Return the changes of a file that turned no other back, and were not turned back themselves."""
        past = {one.id: one for one in self._today.past(path, gone)}

        def counts(one: Change) -> bool:
            """Say whether a change is in force; one that made another again is when that is."""
            of = one.facts.get("redoes", one.id)
            made = past.get(of, one) if isinstance(of, str) else one
            return of not in self._together and all(
                each.state == "applied" or each.id in self._again for each in (made, one)
            )

        def first(one: Change) -> Change:
            """Return what a change made again, the first of several."""
            of = past.get(str(one.facts.get("redoes")))
            return one if of is None else first(of)

        return [one for one in past.values() if "undoes" not in first(one).facts and counts(one)]

    @cached_property
    def _events(self) -> list[FolderEvent]:
        return [*self._today.folders(self._change.made)]


def _inverse_folder_step(step: Step) -> Step:
    """Return what takes a step back, as far as names in folders go."""
    match step.kind:
        case "move" if step.to is not None:
            return Step("move", step.to, to=step.path, before=step.before)
        case "make_folder":
            return Step("remove_folder", step.path)
        case _:
            return step


def _has_step(change: Change, kind: StepKind, path: VaultPath, gone: str | None) -> bool:
    """Say whether a change did something of a kind to a file."""
    return any(step.kind == kind for step in _steps_of(change, path, gone))


def _is_maker(change: Change, path: VaultPath, gone: str | None) -> bool:
    """Say whether a change made a file, and did not only bring it back."""
    made = any(step.kind == "put" and step.before is None for step in _steps_of(change, path, gone))
    return made and change.facts.keys().isdisjoint({"undoes", "redoes"})


def _steps_of(change: Change, path: VaultPath, gone: str | None) -> Iterator[Step]:
    """Yield what a change did to a file."""
    places = zip(change.steps, change.now, change.gone, strict=True)
    return (step for step, *place in places if place == [path, gone])
