"""Steps without the states in between, which need not be on the disk."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bridge.steps import Step
from bridge.types import Digest, VaultPath
from bridge.vault import is_hidden


def shortened(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return fewer steps that lead to the same.

    Whatever a file is called meanwhile, of what is put in it only the last is left, of where it goes only the last
    place if the first name can be kept until then, and of what is made and removed again nothing.
    """
    course = _Course()
    for step in steps:
        course.take(step)
    return tuple(step for step in course.kept if step is not None and (step.kind != "put" or step.before != step.after))


@dataclass(slots=True)
class _Put:
    """What was put in a file, and where that file went since."""

    at: int
    moves: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Course:
    """Steps, each shortened with those before it."""

    kept: list[Step | None] = field(default_factory=list)
    _puts: dict[VaultPath, _Put] = field(default_factory=dict)
    """What was put in files, by where they are now."""
    _came: dict[VaultPath, int] = field(default_factory=dict)
    """Which move brought a file or folder to where it is now."""

    def take(self, step: Step) -> None:
        """Add a step."""
        match step.kind:
            case "put":
                self._put(step)
            case "remove":
                self._remove(step)
            case "move" if step.to is not None:
                self._move(step, step.to)
            case _:
                self.kept.append(step)

    def _put(self, step: Step) -> None:
        put = None if step.before is None else self._puts.get(step.path)
        if put is None:
            self._puts[step.path] = _Put(len(self.kept))
            self.kept.append(step)
            return
        self._say(put, step.after)

    def _say(self, put: _Put, after: Digest | None) -> None:
        """Put something else in a file, which it has then wherever it goes."""
        for at in (put.at, *put.moves):
            if (step := self.kept[at]) is not None:
                self.kept[at] = replace(step, after=after) if at == put.at else replace(step, before=after)

    def _remove(self, step: Step) -> None:
        put = self._puts.pop(step.path, None)
        made = None if put is None else self.kept[put.at]
        if put is not None and made is not None and made.before is not None:
            self._say(put, made.before)
            self.kept[put.at] = None
            step = replace(step, before=made.before)
        elif (
            put is not None
            and made is not None
            and made.path == step.path
            and not any(self.kept[at] is not None for at in put.moves)
        ):
            # The folder that is made for it may go elsewhere.
            folder = VaultPath(step.path.rpartition("/")[0])
            self.kept[put.at] = Step("make_folder", folder) if folder else None
            return
        path = self._sooner(step.path, None)
        self.kept.append(step if path is None else replace(step, path=path))

    def _move(self, step: Step, to: VaultPath) -> None:
        path = self._sooner(step.path, to)
        self._puts = {_moved(name, step.path, to): put for name, put in self._puts.items()}
        self._came = {_moved(name, step.path, to): at for name, at in self._came.items() if name != step.path}
        if path == to:
            return
        step = step if path is None else replace(step, path=path)
        if (put := self._puts.get(to)) is not None:
            put.moves.append(len(self.kept))
        # What went along with a folder came by that.
        self._came = {name: at for name, at in self._came.items() if not name.startswith(f"{to}/")}
        if not is_hidden(step.path):
            self._came[to] = len(self.kept)
        self.kept.append(step)

    def _sooner(self, path: VaultPath, to: VaultPath | None) -> VaultPath | None:
        """Leave a file or folder where it was before it came to a path, and return that; None where it cannot stay.

        Args:
            path: Where it came to.
            to: Where it goes from there, if it is not removed.
        """
        at = self._came.pop(path, None)
        came = None if at is None else self.kept[at]
        if at is None or came is None or (to is not None and to.startswith(f"{came.path}/")):
            return None
        folder = path.rpartition("/")[0]
        if folder and not any(one is not None and one.startswith(f"{folder}/") for one in (came.path, to)):
            # It may have been made for this.
            return None
        since = range(at + 1, len(self.kept))
        if any(_needs(step, came.path, path) for number in since if (step := self.kept[number]) is not None):
            return None
        self.kept[at] = None
        for number in since:
            if (step := self.kept[number]) is not None:
                to = None if step.to is None else _moved(step.to, path, came.path)
                self.kept[number] = replace(step, path=_moved(step.path, path, came.path), to=to)
        return came.path


def _needs(step: Step, free: VaultPath, place: VaultPath) -> bool:
    """Say whether a step needs a name to be free, or moves what is around one of two."""
    names = [name for name in (step.path, step.to) if name is not None]
    if any(f"{name}/".startswith(f"{free}/") for name in names):
        return True
    around = any(f"{one}/".startswith(f"{name}/") and one != name for name in names for one in (free, place))
    return around and step.kind in ("move", "remove_folder")


def _moved(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath:
    return VaultPath(to + path[len(place) :]) if f"{path}/".startswith(f"{place}/") else path
