"""Finds where the files and folders of a change are now, and whether they are still the same."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from msgspec import field

from bridge.changes.draft import Draft, path_after_move
from bridge.records import Record
from bridge.state.change_records import GRAVE, Change, without_grave
from bridge.state.file_history import FolderEvent, Moment
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step, StepKind

Identity = tuple[VaultPath, str | None]
"""A file or folder in the journal: its current path, and the change that took it away."""


class Positions(Record):
    """Follows files and names through the steps of a draft.

    A file follows every move. A name stays when the file that has it moves, and follows only moves of the folders
    around it.
    """

    draft: Draft
    _restored: dict[Identity, tuple[int, VaultPath]] = field(default_factory=dict)
    """Restored files and folders: the number of steps until then, and the path."""
    _takers: dict[int, str] = field(default_factory=dict)
    """By the number of a draft step that makes a folder: the change that took that folder away."""

    def of_name(self, path: VaultPath, events: Iterable[FolderEvent]) -> VaultPath:
        """Return the name after the steps so far for a name from an earlier moment."""
        path = name_after(events, path)
        for number, step in enumerate(self.draft.steps):
            taker = self._takers.get(number)
            path = _path_after_step(step, path, "", None if taker is None else {taker})
        return VaultPath(without_grave(path))

    def of_file(self, path: VaultPath, gone: str | None) -> VaultPath:
        """Return the path of a file or folder after the steps so far; its name, while it is gone."""
        if (restored := self._restored.get((path, gone))) is not None:
            count, place = restored
            return file_after(self.draft.steps[count:], place) if self.draft.moves else place
        if gone is None:
            return file_after(self.draft.steps, path) if self.draft.moves else path
        return self.of_name(VaultPath(without_grave(path)), ())

    def restore(self, path: VaultPath, gone: str | None, place: VaultPath) -> None:
        """Record that the last step of the draft restored a file or folder, or that it was restored already."""
        self._restored[path, gone] = len(self.draft.steps), place
        if gone is not None and self.draft.steps and self.draft.steps[-1].path == place:
            self._takers[len(self.draft.steps) - 1] = gone

    def is_restored(self, path: VaultPath, gone: str | None) -> bool:
        return (path, gone) in self._restored


def file_after(steps: Iterable[Step], path: VaultPath) -> VaultPath:
    for step in steps:
        if step.kind == "move" and step.to is not None:
            path = path_after_move(path, step.path, step.to) or path
    return path


def name_after(events: Iterable[FolderEvent], path: VaultPath) -> VaultPath:
    """Return a path after the events of the folders around it.

    A name in a removed folder does not belong to the next folder of the same name: it is marked until the folder is
    restored.
    """
    for event in events:
        path = _path_after_step(event.step, path, event.by, event.back)
    return path


def _path_after_step(step: Step, path: VaultPath, by: str, back: Collection[str] | None) -> VaultPath:
    """Return a path after a step of a change; `back` holds the changes whose folders it restores, None for any."""
    if step.path == path or not path.startswith(step.path):
        return path
    graves, taker = _graves(path[len(step.path) :])
    match step.kind:
        case "move" if step.to is not None and step.before is None:
            return path_after_move(path, step.path, step.to) or path
        case "remove_folder":
            # Of several folders that one change took away from here, the last is restored first.
            deeper = path_after_move(
                path, _grave(step.path, by, len(graves) or 1), _grave(step.path, by, len(graves) + 1)
            )
            return deeper or path_after_move(path, step.path, _grave(step.path, by, 1)) or path
        case "make_folder" if graves and (back is None or taker in back):
            less = step.path if len(graves) == 1 else _grave(step.path, taker, len(graves) - 1)
            return path_after_move(path, _grave(step.path, taker, len(graves)), less) or path
        case _:
            return path


def _graves(rest: str) -> tuple[str, str]:
    name = rest.partition("/")[0]
    taker = name.lstrip(GRAVE)
    return name[: len(name) - len(taker)], taker


def _grave(folder: VaultPath, taker: str, depth: int) -> VaultPath:
    """Return the marked name of a folder that a change took away and that is restored after `depth - 1` others."""
    return VaultPath(f"{folder}{GRAVE * depth}{taker}")


class VaultState(Record):
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

    def is_untouched(self, path: VaultPath) -> bool:
        """Return whether no active change has to do with the file that has a path now."""
        return not self._in_force(path, None)

    def is_unmade(self, number: int) -> bool:
        """Return whether the file or folder of a step, which is gone, was created by a change that is undone.

        If no change took it away, that change may be undone right now.
        """
        now, gone = self._change.now[number], self._change.gone[number]
        past = [*self._today.past(now, gone)]
        if gone is None:
            undone = {*self._together, *(one.id for one in past if one.state == "undone")}
        elif gone not in self._together:
            undone = {switch.change for one in past if one.id == gone for switch in one.facts.switches if not switch.on}
        else:
            return False
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
        return next((by for by, when, place in others if self._current_path(place, when) == path), None)

    def _current_path(self, path: VaultPath, after: Moment) -> VaultPath:
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
            of = one.facts.redoes or one.id
            made = past.get(of, one)
            return of not in self._together and all(
                each.state == "applied" or each.id in self._again for each in (made, one)
            )

        def first(one: Change) -> Change:
            of = past.get(one.facts.redoes or "")
            return one if of is None else first(of)

        return [one for one in past.values() if not first(one).facts.undoes and counts(one)]

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
    steps = _steps_of(change, path, gone)
    made = any(step.kind == "make_folder" or (step.kind == "put" and step.before is None) for step in steps)
    return made and not change.facts.targets


def _steps_of(change: Change, path: VaultPath, gone: str | None) -> Iterator[Step]:
    places = zip(change.steps, change.now, change.gone, strict=True)
    return (step for step, *place in places if place == [path, gone])
