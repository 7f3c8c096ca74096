"""Where the files and folders that a change touched are by now, and whether they are the same."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bridge.changes.desk import moved
from bridge.steps import Step, StepKind
from bridge.store import Change, switches_of
from bridge.types import Digest, VaultPath


@dataclass(frozen=True, slots=True)
class Today:
    """The vault as it is by now, and how it came to be so."""

    inside: Callable[[VaultPath], Collection[VaultPath]]
    """Returns the paths of all that is directly in a folder, hidden files too."""
    has: Callable[[VaultPath, Digest], bool]
    """Says whether a file, hidden ones too, has these bytes."""
    past: Callable[[VaultPath, str | None], Iterable[Change]]
    """Returns the changes of a file, given by where it is today and the change that took it away, the oldest first."""
    is_newest: Callable[[str, VaultPath, str | None], bool]
    """Says whether a change, given by when it was made, is the last of a file."""
    moves: Callable[[str], Iterable[tuple[str, VaultPath, VaultPath]]]
    """Returns when, whence and where folders were moved after a change was made, the oldest first."""
    departures: Callable[[str], Iterable[tuple[str, str, VaultPath]]]
    """Returns by which change in force, when and from where something was taken away after a change was made."""


class Whereabouts:
    """What the journal knows of the files and folders of a change."""

    def __init__(self, today: Today, change: Change, together: Collection[str]) -> None:
        """Begin.

        Args:
            today: The vault.
            change: The change.
            together: The changes that are turned back with it; they do not count.
        """
        self._today = today
        self._change = change
        self._together = together

    def carried(self, path: VaultPath, after: str = "") -> VaultPath:
        """Return where a path is today, since a folder takes along also the places of what was moved out of it.

        Args:
            path: The path.
            after: When it was so; without, when the change that this is about was made.
        """
        for when, place, to in self._moves:
            if when > after and path != place:
                path = moved(path, place, to) or path
        return path

    def is_touched(self, number: int) -> bool:
        """Say whether something was done to the file of a step after it, even if that came to nothing."""
        change = self._change
        return not self._today.is_newest(change.made, change.now[number], change.gone[number])

    def is_moved_on(self, number: int) -> bool:
        """Say whether a later change in force moved the file or folder of a step, even if it came back."""
        now, gone = self._change.now[number], self._change.gone[number]
        later = (one for one in self._in_force(now, gone) if one.made > self._change.made)
        return any(_has(one, "move", now, gone) for one in later)

    def is_unmade(self, number: int) -> bool:
        """Say whether the file of a step is gone because the change that made it was turned back."""
        now, gone = self._change.now[number], self._change.gone[number]
        if not self.is_gone(number):
            return False
        past = [*self._today.past(now, gone)]
        undone = {switch.change for one in past if one.id == gone for switch in switches_of(one.facts) if not switch.on}
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
        return next((by for by, when, place in others if self.carried(place, when) == path), None)

    def is_left_behind(self, folder: VaultPath, *, unknown: bool) -> bool:
        """Say whether a folder is there only because of changes that are undone.

        Args:
            folder: The folder.
            unknown: What to say when the journal does not know who made it.
        """
        changes = [*self._today.past(folder, None)]
        made = any(_has(one, "make_folder", folder, None) for one in changes)
        return made and not self._in_force(folder, None) if changes else unknown

    def _in_force(self, path: VaultPath, gone: str | None) -> list[Change]:
        """Return the changes of a file that turned no other back, and were not turned back themselves."""
        return [
            one
            for one in self._today.past(path, gone)
            if one.state == "applied" and "undoes" not in one.facts and one.id not in self._together
        ]

    @cached_property
    def _moves(self) -> list[tuple[str, VaultPath, VaultPath]]:
        return [*self._today.moves(self._change.made)]


def _has(change: Change, kind: StepKind, path: VaultPath, gone: str | None) -> bool:
    """Say whether a change did something of a kind to a file."""
    return any(step.kind == kind for step in _of(change, path, gone))


def _is_maker(change: Change, path: VaultPath, gone: str | None) -> bool:
    """Say whether a change made a file, and did not only bring it back."""
    made = any(step.kind == "put" and step.before is None for step in _of(change, path, gone))
    return made and change.facts.keys().isdisjoint({"undoes", "redoes"})


def _of(change: Change, path: VaultPath, gone: str | None) -> Iterator[Step]:
    """Yield what a change did to a file."""
    places = zip(change.steps, change.now, change.gone, strict=True)
    return (step for step, *place in places if place == [path, gone])
