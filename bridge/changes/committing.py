"""Commits a change to the repository that the vault is in, and nothing else that is going on there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.changes.desk import moved
from bridge.changes.differences import Snapshot
from bridge.changes.git import Files, NoCommit, Repository, Tracked, Turned
from bridge.changes.reconcile import reconciled
from bridge.steps import Step
from bridge.store import Change
from bridge.types import Digest, VaultPath
from bridge.vault import one_line

_NORMAL: Final = ("100644", "100755")
_SUBJECT: Final = 100
"""Characters of a subject that are the path."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What became of a change in git."""

    commit: str | None
    """The commit's id; None when there is none."""
    warnings: tuple[str, ...] = ()
    """What was not committed, and why."""


class _LeftOut(Exception):
    """One file cannot be committed."""

    def __init__(self, path: VaultPath, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why


def commit(vault: Path, change: Change, snapshot: Snapshot) -> Committed:
    """Commit a change that was made.

    The change is made once more on what the last commit holds, and once more on what the index holds: what the user
    changed and did not commit, or staged and did not commit, is afterwards exactly that, in the same files too. Hooks
    do not run.

    Args:
        vault: The vault's folder.
        change: The change.
        snapshot: Gives what its steps speak of.
    """
    try:
        return _commit(Repository(vault), vault, change, snapshot)
    except NoCommit as reason:
        return Committed(None, (f"The change is not committed to git: {reason}.",))


def _commit(repository: Repository, vault: Path, change: Change, snapshot: Snapshot) -> Committed:
    todo = [_seen(step) for step in change.steps]
    paths = dict.fromkeys(place for step in todo for place in (step.path, step.to) if place is not None)
    left = {path: "lies in a repository of its own" for path in paths if _is_apart(vault, path)}
    inside = [path for path in paths if path not in left]
    committed, staged = repository.committed(inside), repository.staged(inside)
    again = _Again(repository, snapshot)
    while True:
        steps = [step for step in todo if step.path not in left and step.to not in left]
        try:
            turned = again.on(committed, steps, _refused), again.on(staged, steps, _passed_by)
            break
        except _LeftOut as out:
            left[out.path] = out.why
    warnings = tuple(f"`{path}` is not committed to git: it {why}." for path, why in left.items())
    if not turned[0]:
        return Committed(None, warnings)
    return Committed(repository.commit(*turned, message(change)), warnings)


def _seen(step: Step) -> Step:
    """Return a step as git sees it, for which a file out of the trash is a new one."""
    if step.kind == "move" and step.to is not None and step.path.startswith(".trash/"):
        return Step("put", step.to, after=step.before)
    return step


def _is_apart(vault: Path, path: VaultPath) -> bool:
    """Say whether there is another repository between the vault and a file."""
    folders = path.split("/")
    return any(Path(vault, *folders[:depth], ".git").exists() for depth in range(1, len(folders) + 1))


def _refused(path: VaultPath) -> None:
    raise _LeftOut(path, "was never committed")


def _passed_by(_: VaultPath) -> None:
    """Leave alone what the user took out of the index."""


class _Again:
    """Makes a change on files as git keeps them."""

    def __init__(self, repository: Repository, snapshot: Snapshot) -> None:
        self._repository = repository
        self._snapshot = snapshot
        self._ids: dict[tuple[VaultPath, Digest], str] = {}

    def on(self, files: Files, steps: Sequence[Step], unknown: Callable[[VaultPath], None]) -> Turned:
        """Return which files are others afterwards; `unknown` is asked about one that should be there and is not."""
        now = dict(files)
        for step in steps:
            match step.kind:
                case "remove":
                    now.pop(step.path, None)
                case "move" if step.to is not None:
                    now = {moved(path, step.path, step.to) or path: file for path, file in now.items()}
                case "put" if step.after is not None:
                    known = now.get(step.path)
                    if known is not None or step.before is None:
                        now[step.path] = self._put(step.path, known, step.before, step.after)
                    else:
                        unknown(step.path)
        return {path: now.get(path) for path in {**files, **now} if files.get(path) != now.get(path)}

    def _put(self, path: VaultPath, known: Tracked | None, before: Digest | None, after: Digest) -> Tracked:
        id_ = self._id(path, after)
        if known is None:
            if self._repository.ignores(path):
                raise _LeftOut(path, "is ignored there")
            return Tracked(_NORMAL[0], id_)
        if known.mode not in _NORMAL:
            raise _LeftOut(path, "is no ordinary file there")
        if before is None or known.id in (id_, self._id(path, before)):
            return Tracked(known.mode, id_)
        base, ours, theirs = map(self._repository.content, (self._id(path, before), known.id, id_))
        both = reconciled(path, base, ours, theirs, touching=False, alike=True)
        if not isinstance(both, bytes):
            raise _LeftOut(path, "holds changes of yours, in the same lines, that are not committed")
        return Tracked(known.mode, self._repository.store(path, both))

    def _id(self, path: VaultPath, digest: Digest) -> str:
        if (path, digest) not in self._ids:
            data = self._snapshot(digest)
            if data is None:
                raise NoCommit("what it wrote is no longer kept")
            self._ids[path, digest] = self._repository.store(path, data)
        return self._ids[path, digest]


def message(change: Change) -> str:
    """Return a commit's message."""
    paths = [
        step.to if step.kind == "move" and step.to else step.path
        for step in change.steps
        if not step.kind.endswith("_folder")
    ]
    more = f" and {len(set(paths)) - 1} more" if len(set(paths)) > 1 else ""
    path = one_line(paths[0]) if paths else ""
    if len(path) > _SUBJECT:
        path = f"…{path[-_SUBJECT:]}"
    reason = [one_line(change.reason), ""] if change.reason else []
    client = [f"Vault-Bridge-Client: {one_line(change.client)}"] if change.client else []
    lines = (
        f"vault-bridge: {change.operation} {path}{more}",
        "",
        *reason,
        *client,
        f"Vault-Bridge-Change: {change.id}",
    )
    return "\n".join((*lines, ""))
