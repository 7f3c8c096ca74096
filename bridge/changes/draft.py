"""Drafts a change: its steps are tried out here before anything is written."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from bridge.errors import NoteExists, NoteNotFound
from bridge.markdown.decode import digest_of
from bridge.markdown.names import Names
from bridge.types import Digest, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Plan, Step


def squash_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return fewer steps with the same result.

    Of several writes to a file only the last is kept, of several moves only the last target if the first name can be
    kept until then, and of a file that is created and removed again nothing.
    """
    course = _StepSequence()
    for step in steps:
        course.take(step)
    return tuple(
        step for step in course.steps if step is not None and (step.kind != "put" or step.before != step.after)
    )


class _FileWrite(Struct):
    """A write to a file, and the later moves of that file."""

    at: int
    moves: list[int] = field(default_factory=list)


class _StepSequence(Struct):
    """A sequence of steps, each combined with earlier ones where possible."""

    steps: list[Step | None] = field(default_factory=list)
    _puts: dict[VaultPath, _FileWrite] = field(default_factory=dict)
    """Writes to files, by their current path."""
    _moves: dict[VaultPath, int] = field(default_factory=dict)
    """Which move brought a file or folder to its current path."""

    def take(self, step: Step) -> None:
        match step.kind:
            case "put":
                self._put(step)
            case "remove":
                self._remove(step)
            case "move" if step.to is not None:
                self._move(step, step.to)
            case _:
                self.steps.append(step)

    def _put(self, step: Step) -> None:
        put = None if step.before is None else self._puts.get(step.path)
        if put is None:
            self._puts[step.path] = _FileWrite(len(self.steps))
            self.steps.append(step)
            return
        self._rewrite(put, step.after)

    def _rewrite(self, put: _FileWrite, after: Digest | None) -> None:
        for at in (put.at, *put.moves):
            if (step := self.steps[at]) is not None:
                self.steps[at] = replace(step, after=after) if at == put.at else replace(step, before=after)

    def _remove(self, step: Step) -> None:
        put = self._puts.pop(step.path, None)
        made = None if put is None else self.steps[put.at]
        if put is not None and made is not None and made.before is not None:
            self._rewrite(put, made.before)
            self.steps[put.at] = None
            step = replace(step, before=made.before)
        elif (
            put is not None
            and made is not None
            and made.path == step.path
            and not any(self.steps[at] is not None for at in put.moves)
        ):
            # The folder that was made for it may be moved elsewhere.
            folder = VaultPath(step.path.rpartition("/")[0])
            self.steps[put.at] = Step("make_folder", folder) if folder else None
            return
        path = self._cancel_move(step.path, None)
        self.steps.append(step if path is None else replace(step, path=path))

    def _move(self, step: Step, to: VaultPath) -> None:
        path = self._cancel_move(step.path, to)
        self._puts = {_rebase_path(name, step.path, to): put for name, put in self._puts.items()}
        self._moves = {_rebase_path(name, step.path, to): at for name, at in self._moves.items() if name != step.path}
        if path == to:
            return
        step = step if path is None else replace(step, path=path)
        if (put := self._puts.get(to)) is not None:
            put.moves.append(len(self.steps))
        # Files in a moved folder came with that move.
        self._moves = {name: at for name, at in self._moves.items() if not name.startswith(f"{to}/")}
        if not is_hidden(step.path):
            self._moves[to] = len(self.steps)
        self.steps.append(step)

    def _cancel_move(self, path: VaultPath, to: VaultPath | None) -> VaultPath | None:
        at = self._moves.pop(path, None)
        came = None if at is None else self.steps[at]
        if at is None or came is None or (to is not None and to.startswith(f"{came.path}/")):
            return None
        folder = path.rpartition("/")[0]
        if folder and not any(one is not None and one.startswith(f"{folder}/") for one in (came.path, to)):
            # The folder may have been made for this.
            return None
        since = range(at + 1, len(self.steps))
        if any(
            _has_path_conflict(step, came.path, path) for number in since if (step := self.steps[number]) is not None
        ):
            return None
        self.steps[at] = None
        for number in since:
            if (step := self.steps[number]) is not None:
                to = None if step.to is None else _rebase_path(step.to, path, came.path)
                self.steps[number] = replace(step, path=_rebase_path(step.path, path, came.path), to=to)
        return came.path


def _has_path_conflict(step: Step, free: VaultPath, place: VaultPath) -> bool:
    names = [name for name in (step.path, step.to) if name is not None]
    if any(f"{name}/".startswith(f"{free}/") for name in names):
        return True
    around = any(f"{one}/".startswith(f"{name}/") and one != name for name in names for one in (free, place))
    return around and step.kind in ("move", "remove_folder")


def _rebase_path(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath:
    return VaultPath(to + path[len(place) :]) if f"{path}/".startswith(f"{place}/") else path


class Draft:
    """Collects the steps of one change; each step is tried on the result of the earlier ones."""

    def __init__(self, read: Callable[[VaultPath], bytes], exists: Callable[[VaultPath], bool]) -> None:
        self._read = read
        self._exists = exists
        self._files: dict[VaultPath, bytes] = {}
        self.back = False
        """Whether changes are being undone in it."""
        self.sources: list[VaultPath] = []
        """Notes whose text it writes into others."""
        self._steps: list[Step] = []
        self._blobs: dict[Digest, bytes] = {}
        self._touched: set[VaultPath] = set()
        self._moves = False
        """Whether a step moves a file or folder, so that paths may be those of other files."""
        self._now: dict[VaultPath, bytes] = {}
        """Files as they were last read, since no step touched them later."""

    @property
    def plan(self) -> Plan:
        """The steps without intermediate states; a note with unchanged content gets no step."""
        return self.plan_since(0)

    def plan_since(self, number: int) -> Plan:
        steps = squash_steps(self._steps[number:])
        named = {digest for step in steps for digest in (step.before, step.after)}
        return Plan(steps, {digest: data for digest, data in self._blobs.items() if digest in named}, self.back)

    @property
    def steps(self) -> Sequence[Step]:
        """The steps so far, with the intermediate states."""
        return self._steps

    @property
    def moves(self) -> bool:
        return self._moves

    def read(self, path: VaultPath) -> bytes:
        """Return a file's bytes after the steps so far."""
        if (known := self._now.get(path)) is None:
            known = self._now[path] = self._read_after(path)
        return known

    def _read_after(self, path: VaultPath) -> bytes:
        if not self._moves and path not in self._touched:
            return self.as_read(path)
        for step in reversed(self._steps):
            match step.kind:
                case "put" if step.path == path and step.after is not None:
                    return self._blobs[step.after]
                case "remove" if step.path == path:
                    raise NoteNotFound(f"The note `{path}` no longer exists.")
                case "move" if step.to == path and step.before is not None and step.before in self._blobs:
                    return self._blobs[step.before]
                case "move" if step.to is not None:
                    if path.startswith(step.to) and (origin := path_after_move(path, step.to, step.path)) is not None:
                        path = origin
                    elif path.startswith(step.path) and path_after_move(path, step.path, step.to) is not None:
                        raise NoteNotFound(f"The note `{path}` no longer exists.")
        return self.as_read(path)

    @property
    def files_read(self) -> Collection[VaultPath]:
        return self._files.keys()

    def as_read(self, path: VaultPath) -> bytes:
        """Return a file's bytes before the first step; read once, so that the whole change is based on them."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def origin(self, path: VaultPath) -> VaultPath | None:
        """Return a file's path before the first step; None when the draft creates it."""
        for step in reversed(self._steps):
            match step.kind:
                case "put" if step.path == path and step.before is None:
                    return None
                case "move" if step.to is not None and path.startswith(step.to):
                    path = path_after_move(path, step.to, step.path) or path
        return path

    def states(self, path: VaultPath) -> tuple[Digest, ...]:
        """Return the digests that a file has had, before the first step and after each, under any path."""
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
        """Return whether there is such a file or folder after the steps so far."""
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
        """Return whether there was such a file or folder before the first step."""
        return self._exists(path)

    def is_file(self, path: VaultPath) -> bool:
        """Return whether there is such a readable file after the steps so far."""
        try:
            self.read(path)
        except NoteNotFound:
            return False
        return True

    @property
    def touched_paths(self) -> Collection[VaultPath]:
        """Every path named by the steps so far."""
        return self._touched

    def rewind(self, number: int) -> None:
        """Take back all steps but the first ones; what was read stays as it was read."""
        del self._steps[number:]
        named = {digest for step in self._steps for digest in (step.before, step.after)}
        self._blobs = {digest: data for digest, data in self._blobs.items() if digest in named}
        self._touched = {place for step in self._steps for place in (step.path, step.to) if place is not None}
        self._now.clear()
        self._moves = any(step.kind == "move" for step in self._steps)

    def create(self, path: VaultPath, data: bytes, *, spelling: str | None = None, mode: int | None = None) -> None:
        if self.has(path):
            raise NoteExists(f"There is a file `{path}` already.", path=path)
        self._add(Step("put", path, after=self._keep(data), spelling=spelling, mode=mode))

    def replace(self, path: VaultPath, data: bytes) -> None:
        """Replace a file's bytes."""
        before, after = self._keep(self.read(path)), self._keep(data)
        self._add(Step("put", path, before=before, after=after))

    def take(self, plan: Plan) -> None:
        """Add steps that were planned on this draft."""
        self._blobs.update(plan.blobs)
        for step in plan.steps:
            self._add(step)

    def _add(self, step: Step) -> None:
        self._steps.append(step)
        self._moves = self._moves or step.kind == "move"
        for place in (step.path, step.to):
            if place is None:
                continue
            self._touched.add(place)
            self._now.pop(place, None)
            if step.kind == "move":
                for path in [path for path in self._now if path.startswith(f"{place}/")]:
                    del self._now[path]

    def _keep(self, data: bytes) -> Digest:
        digest = digest_of(data)
        self._blobs[digest] = data
        return digest


def follow_step(names: Names, step: Step) -> Collection[VaultPath]:
    """Apply a step to the names of a vault, and return the paths whose file is another or has other content."""
    match step.kind:
        case "put":
            names.add(step.path)
            return (step.path,)
        case "remove":
            names.discard(step.path)
            return (step.path,)
        case "move" if step.to is not None:
            inside = (path for path in names if path.startswith(f"{step.path}/"))
            files = [step.path] if step.path in names else [*inside]
            moved = {path: _rebase_path(path, step.path, step.to) for path in files}
            for path in moved:
                names.discard(path)
            for path in moved.values():
                names.add(path)
            return (*moved, *moved.values())
    return ()


def path_after_move(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath | None:
    """Return a file's path after a move of it or of a folder around it; None when it stays."""
    if path == place:
        return to
    return VaultPath(to + path[len(place) :]) if path.startswith(f"{place}/") else None


def plan_replacements(files: Mapping[VaultPath, tuple[bytes, bytes]]) -> Plan:
    blobs: dict[Digest, bytes] = {}
    steps: list[Step] = []
    for path, pair in files.items():
        before, after = (digest_of(data) for data in pair)
        blobs.update(zip((before, after), pair, strict=True))
        steps.append(Step("put", path, before=before, after=after))
    return Plan(tuple(steps), blobs)
