"""The vault as it will be: changes are tried out here before anything is written."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from bridge.changes.shorten import shortened
from bridge.errors import NoteExists, NoteNotFound
from bridge.steps import Plan, Step
from bridge.types import Digest, VaultPath


class Desk:
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
        steps = shortened(self._steps)
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
                    if (origin := moved(path, step.to, step.path)) is not None:
                        path = origin
                    elif moved(path, step.path, step.to) is not None:
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
                    path = moved(path, step.to, step.path) or path
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
                    path = moved(path, step.to, step.path) or path
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
                    if (origin := moved(path, step.to, step.path)) is not None:
                        path = origin
                    elif step.to.startswith(f"{path}/"):
                        return True
                    elif moved(path, step.path, step.to) is not None:
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
                    now = dict.fromkeys(moved(path, step.path, step.to) or path for path in now)
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


def moved(path: VaultPath, place: VaultPath, to: VaultPath) -> VaultPath | None:
    """Return where a file is when a file or folder goes from one place to another; None when it stays."""
    if path == place:
        return to
    return VaultPath(to + path[len(place) :]) if path.startswith(f"{place}/") else None


def digest_of(data: bytes) -> Digest:
    """Name bytes."""
    return Digest(hashlib.sha256(data).hexdigest())
