"""The vault as it will be: changes are tried out here before anything is written."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bridge.errors import NoteExists, NoteNotFound
from bridge.types import Digest, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Plan, Step


def squash_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return fewer steps that lead to the same.

    Whatever a file is called meanwhile, of what is put in it only the last is left, of where it goes only the last
    place if the first name can be kept until then, and of what is made and removed again nothing.
    """
    course = _StepSequence()
    for step in steps:
        course.take(step)
    return tuple(step for step in course.kept if step is not None and (step.kind != "put" or step.before != step.after))


@dataclass(slots=True)
class _FileWrite:
    """What was put in a file, and where that file went since."""

    at: int
    moves: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _StepSequence:
    """Steps, each shortened with those before it."""

    kept: list[Step | None] = field(default_factory=list)
    _puts: dict[VaultPath, _FileWrite] = field(default_factory=dict)
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
            self._puts[step.path] = _FileWrite(len(self.kept))
            self.kept.append(step)
            return
        self._say(put, step.after)

    def _say(self, put: _FileWrite, after: Digest | None) -> None:
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
        self._puts = {_rebase_path(name, step.path, to): put for name, put in self._puts.items()}
        self._came = {_rebase_path(name, step.path, to): at for name, at in self._came.items() if name != step.path}
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
        if any(
            _has_path_conflict(step, came.path, path) for number in since if (step := self.kept[number]) is not None
        ):
            return None
        self.kept[at] = None
        for number in since:
            if (step := self.kept[number]) is not None:
                to = None if step.to is None else _rebase_path(step.to, path, came.path)
                self.kept[number] = replace(step, path=_rebase_path(step.path, path, came.path), to=to)
        return came.path


def _has_path_conflict(step: Step, free: VaultPath, place: VaultPath) -> bool:
    """Say whether a step needs a name to be free, or moves what is around one of two."""
    names = [name for name in (step.path, step.to) if name is not None]
    if any(f"{name}/".startswith(f"{free}/") for name in names):
        return True
    around = any(f"{one}/".startswith(f"{name}/") and one != name for name in names for one in (free, place))
    return around and step.kind in ("move", "remove_folder")


def _rebase_path(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath:
    return VaultPath(to + path[len(place) :]) if f"{path}/".startswith(f"{place}/") else path


class Draft:
    """Gathers the steps of one change; each step is tried on what the earlier ones left."""

    def __init__(self, read: Callable[[VaultPath], bytes], exists: Callable[[VaultPath], bool]) -> None:
        """Begin with the vault as it is.

        Args:
            read: Returns a file's bytes, or raises NoteNotFound.
            exists: Says whether there is a file or folder, whether or not it may be read.
        """
        self._read = read
        self._exists = exists
        self._files: dict[VaultPath, bytes] = {}
        self.back = False
        """Whether changes are turned back on it."""
        self._steps: list[Step] = []
        self._blobs: dict[Digest, bytes] = {}

    @property
    def plan(self) -> Plan:
        """What was gathered, without the states in between; a note that is as it was before is no step."""
        steps = squash_steps(self._steps)
        named = {digest for step in steps for digest in (step.before, step.after)}
        return Plan(steps, {digest: data for digest, data in self._blobs.items() if digest in named}, self.back)

    @property
    def steps(self) -> Sequence[Step]:
        """The steps so far, with the states in between."""
        return self._steps

    def read(self, path: VaultPath) -> bytes:
        """Return a file's bytes after the steps so far.

        Raises:
            NoteNotFound: There is no such file then.
        """
        for step in reversed(self._steps):
            match step.kind:
                case "put" if step.path == path and step.after is not None:
                    return self._blobs[step.after]
                case "remove" if step.path == path:
                    raise NoteNotFound(f"There is no note `{path}` any more.")
                case "move" if step.to == path and step.before is not None and step.before in self._blobs:
                    return self._blobs[step.before]
                case "move" if step.to is not None:
                    if (origin := path_after_move(path, step.to, step.path)) is not None:
                        path = origin
                    elif path_after_move(path, step.path, step.to) is not None:
                        raise NoteNotFound(f"There is no note `{path}` any more.")
        return self.as_read(path)

    def as_read(self, path: VaultPath) -> bytes:
        """Return a file's bytes before the first step; read once, so that the whole change speaks of the same.

        Raises:
            NoteNotFound: There is no such file.
        """
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def origin(self, path: VaultPath) -> VaultPath | None:
        """Return where a file was before the first step; None when it is made here."""
        for step in reversed(self._steps):
            match step.kind:
                case "put" if step.path == path and step.before is None:
                    return None
                case "move" if step.to is not None:
                    path = path_after_move(path, step.to, step.path) or path
        return path

    def states(self, path: VaultPath) -> tuple[Digest, ...]:
        """Return what a file was in turn, before the first step and after each, wherever it was then."""
        found: list[Digest] = []
        for step in reversed(self._steps):
            match step.kind:
                case "put" if step.path == path and step.after is not None:
                    found.append(step.after)
                    if step.before is None:
                        return tuple(reversed(found))
                case "remove" if step.path == path and step.before is not None:
                    found.append(step.before)
                case "move" if step.to is not None:
                    path = path_after_move(path, step.to, step.path) or path
        with suppress(NoteNotFound):
            found.append(digest_of(self.as_read(path)))
        return tuple(reversed(found))

    def has(self, path: VaultPath) -> bool:
        """Say whether there is such a file or folder after the steps so far."""
        for step in reversed(self._steps):
            match step.kind:
                case "put" | "make_folder" if step.path == path or step.path.startswith(f"{path}/"):
                    return True
                case "remove" | "remove_folder" if step.path == path:
                    return False
                case "move" if step.to == path:
                    return True
                case "move" if step.to is not None:
                    if (origin := path_after_move(path, step.to, step.path)) is not None:
                        path = origin
                    elif step.to.startswith(f"{path}/"):
                        return True
                    elif path_after_move(path, step.path, step.to) is not None:
                        return False
        return self._exists(path)

    def had(self, path: VaultPath) -> bool:
        """Say whether there was such a file or folder before the first step."""
        return self._exists(path)

    def is_file(self, path: VaultPath) -> bool:
        """Say whether there is such a file after the steps so far, and it may be read."""
        try:
            self.read(path)
        except NoteNotFound:
            return False
        return True

    @property
    def touched(self) -> frozenset[VaultPath]:
        """Every path that the steps so far speak of."""
        return frozenset(place for step in self._steps for place in (step.path, step.to) if place is not None)

    def paths(self, before: Iterable[VaultPath]) -> Iterable[VaultPath]:
        """Return the files that there are after the steps so far, given those that there were."""
        now = dict.fromkeys(before)
        for step in self._steps:
            match step.kind:
                case "put":
                    now[step.path] = None
                case "remove":
                    now.pop(step.path, None)
                case "move" if step.to is not None:
                    now = dict.fromkeys(path_after_move(path, step.path, step.to) or path for path in now)
        return now

    def create(self, path: VaultPath, data: bytes) -> None:
        """Make a file.

        Raises:
            NoteExists: There is one.
        """
        if self.has(path):
            raise NoteExists(f"There is a file `{path}` already.", path=path)
        self._steps.append(Step("put", path, after=self._keep(data)))

    def replace(self, path: VaultPath, data: bytes) -> None:
        """Put other bytes in a file's place.

        Raises:
            NoteNotFound: There is no such file.
        """
        before, after = self._keep(self.read(path)), self._keep(data)
        self._steps.append(Step("put", path, before=before, after=after))

    def take(self, plan: Plan) -> None:
        """Add steps that were planned for the vault as it is here."""
        self._blobs.update(plan.blobs)
        self._steps.extend(plan.steps)

    def _keep(self, data: bytes) -> Digest:
        digest = digest_of(data)
        self._blobs[digest] = data
        return digest


def path_after_move(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath | None:
    """Return where a file is when a file or folder goes from one place to another; None when it stays."""
    if path == place:
        return to
    return VaultPath(to + path[len(place) :]) if path.startswith(f"{place}/") else None


def digest_of(data: bytes) -> Digest:
    """Name bytes."""
    return Digest(hashlib.sha256(data).hexdigest())


def plan_replacements(files: Mapping[VaultPath, tuple[bytes, bytes]]) -> Plan:
    """Return a plan that changes files.

    Args:
        files: Their bytes before and after.
    """
    steps = tuple(Step("put", path, before=digest_of(old), after=digest_of(new)) for path, (old, new) in files.items())
    return Plan(steps, {digest_of(data): data for pair in files.values() for data in pair})
