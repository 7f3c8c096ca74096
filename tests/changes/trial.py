"""A vault in memory, which changes exactly as it is told to and keeps what the bridge keeps of it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from bridge.changes import Desk, Today, digest_of, undo
from bridge.errors import NoteNotFound
from bridge.steps import Plan, Step
from bridge.store import Change
from bridge.types import Digest, VaultPath


class Trial:
    """Files and folders, and the changes that were made."""

    def __init__(self, **files: str) -> None:
        self.files = {VaultPath(f"{name}.md"): text.encode() for name, text in files.items()}
        self.folders: set[VaultPath] = set()
        self.trash: dict[VaultPath, bytes] = {}
        self.has_trash = False
        self.kept: dict[Digest, bytes] = {}
        self.changes: list[Change] = []
        self.notes: tuple[str, ...] = ()

    def text(self, path: str) -> str:
        return self.files[VaultPath(path)].decode()

    def state(self) -> tuple[dict[VaultPath, bytes], set[VaultPath]]:
        return dict(self.files), set(self.folders)

    def snapshot(self, digest: Digest) -> bytes | None:
        return self.kept.get(digest)

    def inside(self, folder: VaultPath) -> Collection[VaultPath]:
        return [path for path in (*self.files, *self.folders, *self.trash) if path.rpartition("/")[0] == folder]

    def desk(self) -> Desk:
        def read(path: VaultPath) -> bytes:
            if path not in self.files:
                raise NoteNotFound(path)
            return self.files[path]

        return Desk(read, lambda path: path in self.files or path in self.folders)

    @property
    def today(self) -> Today:
        """What the bridge would know of the vault."""

        def has(path: VaultPath, digest: Digest) -> bool:
            data = {**self.files, **self.trash}.get(path)
            return data is not None and digest_of(data) == digest

        def moves(after: str) -> list[tuple[VaultPath, VaultPath]]:
            steps = [step for change in self.changes if change.id > after for step in change.steps]
            return [(step.path, step.to) for step in steps if step.kind == "move" and step.to and not step.before]

        def makers(folder: VaultPath) -> list[Change]:
            return [
                change
                for change in self.changes
                for step, now in zip(change.steps, change.now, strict=True)
                if step.kind == "make_folder" and now == folder
            ]

        return Today(self.inside, has, lambda path: [one for one in self.changes if path in one.now], moves, makers)

    def do(self, draw: Callable[[Desk], None], facts: Mapping[str, object] | None = None) -> Change:
        """Make a change as the writer would, and keep it as the store would."""
        desk = self.desk()
        draw(desk)
        plan = desk.plan
        self.kept.update(plan.blobs)
        done = [step for planned in plan.steps for step in self._done(planned)]
        change = Change(
            f"{len(self.changes):04}", float(len(self.changes)), "test", steps=tuple(done), facts=facts or {}
        )
        self.changes.append(replace(change, now=tuple(step.path for step in done)))
        for number, step in enumerate(done):
            if step.kind == "move" and step.to is not None:
                self._follow(step.path, step.to, VaultPath(change.id), number)
        return self.changes[-1]

    def put(self, path: str, text: str | None) -> Change:
        """Write a note, make it, or take it away."""
        return self.do(lambda desk: written(desk, VaultPath(path), text))

    def move(self, path: str, to: str) -> Change:
        """Give a note or folder another path."""
        return self.do(lambda desk: gone(desk, VaultPath(path), VaultPath(to)))

    def undo(self, *changes: Change, hunks: Collection[int] | None = None) -> Change:
        """Turn changes back."""
        today = [self.changes[int(change.id)] for change in changes]
        some = {} if hunks is None else {"hunks": sorted(hunks)}

        def draw(desk: Desk) -> None:
            self.notes = undo(desk, today, self.snapshot, self.today, hunks)

        done = self.do(draw, {"undoes": [change.id for change in changes], **some})
        for change in changes if hunks is None else ():
            self.changes[int(change.id)] = replace(self.changes[int(change.id)], state="undone")
        return done

    def _follow(self, path: VaultPath, to: VaultPath, change: str, number: int) -> None:
        def now(place: VaultPath) -> VaultPath:
            below = place == path or place.startswith(f"{path}/")
            return VaultPath(to + place[len(path) :]) if below else place

        for at, one in enumerate(self.changes):
            last = number + 1 if one.id == change else len(one.now)
            self.changes[at] = replace(one, now=(*map(now, one.now[:last]), *one.now[last:]))

    def _done(self, step: Step) -> list[Step]:
        """Do a step; return it with those that had to come before it."""
        made = self._room(step.to or step.path if step.kind != "remove" else step.path)
        match step.kind:
            case "put":
                assert (digest_of(self.files[step.path]) if step.path in self.files else None) == step.before
                assert step.after is not None
                assert step.path not in self.folders
                self.files[step.path] = self.kept[step.after]
            case "remove":
                data = self.files.pop(step.path)
                assert digest_of(data) == step.before
                if self.has_trash:
                    step = replace(step, to=VaultPath(f".trash/{step.path.rpartition('/')[2]}"))
                    self.trash[step.to or step.path] = data
            case "move" if step.path in self.trash:
                assert step.to is not None
                assert step.to not in self.files
                assert digest_of(self.trash[step.path]) == step.before
                self.files[step.to] = self.trash.pop(step.path)
            case "move":
                assert step.to is not None
                assert step.to not in self.files
                assert step.to not in self.folders
                head, length = f"{step.path}/", len(step.path)
                moving = [path for path in self.files if path == step.path or path.startswith(head)]
                assert moving or step.path in self.folders
                assert step.before is None or digest_of(self.files[step.path]) == step.before
                for path in moving:
                    self.files[VaultPath(step.to + path[length:])] = self.files.pop(path)
                for path in [path for path in self.folders if path == step.path or path.startswith(head)]:
                    self.folders.remove(path)
                    self.folders.add(VaultPath(step.to + path[length:]))
            case "make_folder":
                assert step.path not in self.folders
                self.folders.add(step.path)
            case "remove_folder":
                assert not self.inside(step.path)
                self.folders.remove(step.path)
        return [*made, step]

    def _room(self, path: VaultPath) -> list[Step]:
        parts = path.split("/")[:-1]
        folders = [VaultPath("/".join(parts[: depth + 1])) for depth in range(len(parts))]
        made = [folder for folder in folders if folder not in self.folders]
        self.folders.update(made)
        return [Step("make_folder", folder) for folder in made]


def written(desk: Desk, path: VaultPath, text: str | None) -> None:
    """Write a note, make it, or take it away."""
    if text is None:
        data = desk.read(path)
        desk.take(Plan((Step("remove", path, before=digest_of(data)),), {digest_of(data): data}))
    elif desk.is_file(path):
        desk.replace(path, text.encode())
    else:
        desk.create(path, text.encode())


def gone(desk: Desk, path: VaultPath, to: VaultPath) -> None:
    """Give a note or folder another path."""
    data = desk.read(path) if desk.is_file(path) else None
    digest = None if data is None else digest_of(data)
    desk.take(
        Plan((Step("move", path, to=to, before=digest),), {} if digest is None or data is None else {digest: data})
    )
