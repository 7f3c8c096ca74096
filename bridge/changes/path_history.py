"""Finds where the files and folders of a change are now, and whether they are still the same."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from bridge.changes.positions import name_after
from bridge.records import dataclass
from bridge.state.change_parts import read_hunk_states
from bridge.state.change_records import Change
from bridge.state.file_history import FolderEvent, Moment
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step, StepKind


@dataclass(frozen=True, slots=True)
class VaultState:
    """The current vault, and the history that led to it."""

    inside: Callable[[VaultPath], Collection[VaultPath]]
    """Returns the paths of everything directly in a folder, including hidden files."""
    has: Callable[[VaultPath, Digest], bool]
    """Returns whether a file, even a hidden one, has the bytes of a digest."""
    past: Callable[[VaultPath, str | None], Iterable[Change]]
    """Returns the changes of a file, the oldest first, by its current path and the change that deleted it."""
    is_newest: Callable[[str, VaultPath, str | None], bool]
    """Returns whether a change, by its time, is the last of a file."""
    folders: Callable[[str], Iterable[FolderEvent]]
    """Returns the folder events since a change, including its own steps, the oldest first."""
    departures: Callable[[str], Iterable[tuple[str, Moment, VaultPath]]]
    """Returns the departures after a change: by which active change, when and from where something was taken away."""


class PathHistory:
    """The history of the files and folders of one change, from the journal."""

    def __init__(self, today: VaultState, change: Change, together: Collection[str], again: Collection[str]) -> None:
        """Create the history of a change."""
        self._today = today
        self._change = change
        self._together = together
        self._again = again

    def events(self, number: int) -> list[FolderEvent]:
        """Return the folder events since the state that a step of the change refers to, the oldest first."""
        change = self._change
        if change.state != "proposed":
            return [event for event in self._events if event.moment >= (change.made, number)]
        own = [
            FolderEvent((change.made, 0), _inverse_folder_step(step), change.id, frozenset())
            for step in change.steps[:number]
        ]
        return [*own[::-1], *self._events]

    def is_touched(self, number: int) -> bool:
        """Return whether the file of a step was changed after it, even if that was undone."""
        change = self._change
        return not self._today.is_newest(change.made, change.now[number], change.gone[number])

    def is_moved_on(self, number: int) -> bool:
        """Return whether a later active change moved the file or folder of a step, even if it was moved back."""
        now, gone = self._change.now[number], self._change.gone[number]
        later = (one for one in self._in_force(now, gone) if one.made > self._change.made)
        return any(_has_step(one, "move", now, gone) for one in later)

    def is_unmade(self, number: int) -> bool:
        """Return whether the file of a step is gone because the change that created it was undone."""
        now, gone = self._change.now[number], self._change.gone[number]
        if not self.is_gone(number):
            return False
        past = [*self._today.past(now, gone)]
        undone = {
            switch.change for one in past if one.id == gone for switch in read_hunk_states(one.facts) if not switch.on
        }
        return any(one.id in undone and _is_maker(one, now, gone) for one in past)

    def is_gone(self, number: int) -> bool:
        """Return whether the file of a step was taken away; another file may have its name now."""
        gone = self._change.gone[number]
        return gone is not None and gone not in self._together

    def claims(self, path: VaultPath) -> str | None:
        """Return a later change that took another file away from a path, and needs that path free to be undone."""
        name = path.rpartition("/")[2]
        others = (
            (by, when, place)
            for by, when, place in self._today.departures(self._change.made)
            if by not in self._together and place.rpartition("/")[2] == name
        )
        return next((by for by, when, place in others if self._carried(place, when) == path), None)

    def _carried(self, path: VaultPath, after: Moment) -> VaultPath:
        return name_after((event for event in self._events if event.moment > after), path)

    def is_left_behind(self, folder: VaultPath, *, unknown: bool) -> bool:
        """Return whether a folder exists only because of changes that are undone."""
        changes = [*self._today.past(folder, None)]
        made = any(_has_step(one, "make_folder", folder, None) for one in changes)
        return made and not self._in_force(folder, None) if changes else unknown

    def _in_force(self, path: VaultPath, gone: str | None) -> list[Change]:
        past = {one.id: one for one in self._today.past(path, gone)}

        def counts(one: Change) -> bool:
            """Return whether a change is active; a redo is when the change it redoes is."""
            of = one.facts.get("redoes", one.id)
            made = past.get(of, one) if isinstance(of, str) else one
            return of not in self._together and all(
                each.state == "applied" or each.id in self._again for each in (made, one)
            )

        def first(one: Change) -> Change:
            of = past.get(str(one.facts.get("redoes")))
            return one if of is None else first(of)

        return [one for one in past.values() if "undoes" not in first(one).facts and counts(one)]

    @cached_property
    def _events(self) -> list[FolderEvent]:
        return [*self._today.folders(self._change.made)]


def _inverse_folder_step(step: Step) -> Step:
    match step.kind:
        case "move" if step.to is not None:
            return Step("move", step.to, to=step.path, before=step.before)
        case "make_folder":
            return Step("remove_folder", step.path)
        case _:
            return step


def _has_step(change: Change, kind: StepKind, path: VaultPath, gone: str | None) -> bool:
    return any(step.kind == kind for step in _steps_of(change, path, gone))


def _is_maker(change: Change, path: VaultPath, gone: str | None) -> bool:
    made = any(step.kind == "put" and step.before is None for step in _steps_of(change, path, gone))
    return made and change.facts.keys().isdisjoint({"undoes", "redoes"})


def _steps_of(change: Change, path: VaultPath, gone: str | None) -> Iterator[Step]:
    places = zip(change.steps, change.now, change.gone, strict=True)
    return (step for step, *place in places if place == [path, gone])
