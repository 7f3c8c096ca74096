"""Commits changes to git, by plumbing commands that run no hooks and never prompt."""

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bridge.changes.draft import path_after_move
from bridge.changes.hunks import Snapshot
from bridge.changes.rebase import merge_file
from bridge.state.change_records import Change
from bridge.text.invisible import one_line
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

TIMEOUT_S: Final = 30

_AT_ONCE: Final = 500
"""Paths in one command, as systems limit its length."""

_FIXED: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.safecrlf": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "utf-8",
    "user.useConfigOnly": "true",
}
"""No other program runs, and git does not guess the user's identity."""

_BUSY: Final = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


class NoCommit(Exception):
    """Nothing can be committed; the message says why."""


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file as stored in git."""

    mode: str
    id: str


GitFiles = Mapping[VaultPath, GitFile]
"""Files by their path in the vault."""

GitFileChanges = Mapping[VaultPath, GitFile | None]
"""Changed files; None for a removed one."""


class Repository:
    """The repository that contains a vault, on a branch that can be committed to."""

    def __init__(self, vault: Path) -> None:
        """Find the repository.

        Raises:
            NoCommit: There is none, or it cannot be committed to now.
        """
        self._root = vault
        where = ("--show-toplevel", "--git-dir", "--git-path", "index", "--show-prefix")
        found = self._output("rev-parse", "--path-format=absolute", *where, sorry="there is no git repository")
        root, git, index, self._prefix = found.split("\n")[:4]
        self._root, self._index = Path(root), Path(index)
        for name, what in _BUSY.items():
            if Path(git, name).exists():
                raise NoCommit(f"{what} is going on")
        self._branch = self._output("symbolic-ref", "--quiet", "HEAD", sorry="no branch is checked out")
        self._head = self._output("rev-parse", "--quiet", "--verify", "HEAD^{commit}", sorry="there is no commit yet")
        self._output("var", "GIT_COMMITTER_IDENT", sorry="git has no `user.name` and `user.email` to sign with")
        if self._prefix and not self._run("ls-tree", self._head, "--", self._prefix):
            raise NoCommit("nothing of the vault was ever committed")

    def committed(self, paths: Collection[VaultPath]) -> GitFiles:
        """Return the files at or below some paths in the last commit."""
        listed = self._list(("ls-tree", "-r", "-z", self._head), paths)
        return {path: GitFile(mode, id_) for path, (mode, _, id_) in listed}

    def staged(self, paths: Collection[VaultPath]) -> GitFiles:
        """Return the files at or below some paths in the index.

        Raises:
            NoCommit: One of them is in conflict.
        """
        found: dict[VaultPath, GitFile] = {}
        for path, (mode, id_, stage) in self._list(("ls-files", "--stage", "-z"), paths):
            if stage != "0":
                raise NoCommit(f"`{path}` is in conflict")
            found[path] = GitFile(mode, id_)
        return found

    def store(self, path: VaultPath, data: bytes) -> str:
        """Store a file's bytes as git would, with its line ending rules, and return their id."""
        return self._output("hash-object", "-w", "--stdin", "--path", f"{self._prefix}{path}", given=data)

    def content(self, id_: str) -> bytes:
        """Return the bytes that git stores under an id."""
        return self._run("cat-file", "blob", id_)

    def ignores(self, path: VaultPath) -> bool:
        """Return whether git ignores a file."""
        return bool(self._run("ls-files", "--others", "--ignored", "--exclude-standard", "--", f"{self._prefix}{path}"))

    def commit(self, committed: GitFileChanges, staged: GitFileChanges, message: str) -> str:
        """Commit files on top of the last commit, and update the index; return the commit's id.

        Args:
            committed: The changes to the tree of the last commit.
            staged: The changes to the index; all its other entries stay as they are.
            message: The commit's message.

        Raises:
            NoCommit: Another process is working in the repository.
        """
        with self._index_locked() as lock, TemporaryDirectory() as folder:
            draft = Path(folder, "draft")
            self._run("read-tree", self._head, index=draft)
            self._turn(committed, draft)
            tree = self._output("write-tree", index=draft)
            commit = self._output("commit-tree", "-p", self._head, "-F", "-", tree, given=message.encode())
            if staged:
                following = Path(folder, "index")
                # With its time, by which git detects files that were saved in the moment of the last check.
                shutil.copy2(self._index, following)
                self._turn(staged, following)
                lock.write_bytes(following.read_bytes())
            # Between these two steps the index seems to revert the change; only a crash can stop there.
            self._run("update-ref", "-m", message.partition("\n")[0], self._branch, commit, self._head)
            if staged:
                lock.replace(self._index)
            else:
                lock.unlink()
        return commit

    @contextmanager
    def _index_locked(self) -> Iterator[Path]:
        """Lock the index as git itself does, and unlock it after an error."""
        lock = Path(f"{self._index}.lock")
        try:
            lock.touch(self._index.stat().st_mode & 0o777, exist_ok=False)
        except FileExistsError:
            raise NoCommit("another git is at work in the repository") from None
        except OSError:
            raise NoCommit("the repository cannot be written") from None
        try:
            yield lock
        except BaseException:
            lock.unlink(missing_ok=True)
            raise

    def _turn(self, turned: GitFileChanges, index: Path) -> None:
        nothing = f"0 {'0' * len(self._head)}"
        lines = (
            f"{f'{file.mode} {file.id}' if file else nothing}\t{self._prefix}{path}\0" for path, file in turned.items()
        )
        self._run("update-index", "-z", "--index-info", index=index, given="".join(lines).encode())

    def _list(self, command: Sequence[str], paths: Collection[VaultPath]) -> Iterator[tuple[VaultPath, Sequence[str]]]:
        pathspecs = [f"{self._prefix}{path}" for path in paths]
        for start in range(0, len(pathspecs), _AT_ONCE):
            for entry in self._run(*command, "--", *pathspecs[start : start + _AT_ONCE]).split(b"\0")[:-1]:
                facts, _, path = entry.decode("utf-8", "surrogateescape").partition("\t")
                yield VaultPath(path.removeprefix(self._prefix)), facts.split(" ")

    def _output(self, *arguments: str, given: bytes = b"", index: Path | None = None, sorry: str | None = None) -> str:
        output = self._run(*arguments, given=given, index=index, sorry=sorry)
        return output.decode("utf-8", "surrogateescape").removesuffix("\n")

    def _run(self, *arguments: str, given: bytes = b"", index: Path | None = None, sorry: str | None = None) -> bytes:
        """Run a command; `sorry` is the reason to give when it fails."""
        settings = [part for name, value in _FIXED.items() for part in ("-c", f"{name}={value}")]
        try:
            done = subprocess.run(
                ["git", *settings, *arguments],
                cwd=self._root,
                env=environment() | ({} if index is None else {"GIT_INDEX_FILE": str(index)}),
                input=given,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=True,
            )
        except FileNotFoundError:
            raise NoCommit("git is not installed") from None
        except subprocess.TimeoutExpired:
            raise NoCommit(f"git took longer than {TIMEOUT_S} s") from None
        except subprocess.CalledProcessError as error:
            message = error.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
            raise NoCommit(sorry or f"git refuses: {message[:200]}") from None
        return done.stdout


def environment() -> dict[str, str]:
    """Return the environment for git, without variables that point to another repository."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return own | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1"}


_NORMAL: Final = ("100644", "100755")
_SUBJECT: Final = 100
"""Characters of the path in a subject."""


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The outcome of committing a change to git."""

    commit: str | None
    """The commit's id; None when there is none."""
    warnings: tuple[str, ...] = ()
    """What was not committed, and why."""


class _FileSkipped(Exception):
    """One file cannot be committed."""

    def __init__(self, path: VaultPath, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why


def commit(vault: Path, change: Change, snapshot: Snapshot) -> CommitResult:
    """Commit a change that was made.

    The change is applied again to the tree of the last commit, and again to the index. Edits that the user has not
    committed, or staged and not committed, stay exactly that, even in the same files. Hooks do not run.

    Args:
        vault: The vault's folder.
        change: The change.
        snapshot: Returns the contents that its steps name.
    """
    try:
        return _commit(Repository(vault), vault, change, snapshot)
    except NoCommit as reason:
        return CommitResult(None, (f"The change is not committed to git: {reason}.",))


def _commit(repository: Repository, vault: Path, change: Change, snapshot: Snapshot) -> CommitResult:
    todo = [_git_step(step) for step in change.steps]
    paths = dict.fromkeys(place for step in todo for place in (step.path, step.to) if place is not None)
    left = {path: "lies in a repository of its own" for path in paths if _is_in_nested_repository(vault, path)}
    inside = [path for path in paths if path not in left]
    committed, staged = repository.committed(inside), repository.staged(inside)
    again = _GitReplay(repository, snapshot)
    while True:
        steps = [step for step in todo if step.path not in left and step.to not in left]
        try:
            turned = again.on(committed, steps, _refuse_untracked), again.on(staged, steps, _ignore_missing)
            break
        except _FileSkipped as out:
            left[out.path] = out.why
    warnings = tuple(f"`{path}` is not committed to git: it {why}." for path, why in left.items())
    if not turned[0]:
        return CommitResult(None, warnings)
    return CommitResult(repository.commit(*turned, message(change)), warnings)


def _git_step(step: Step) -> Step:
    """Return a step as git sees it: a file restored from the trash is a new one."""
    if step.kind == "move" and step.to is not None and step.path.startswith(".trash/"):
        return Step("put", step.to, after=step.before)
    return step


def _is_in_nested_repository(vault: Path, path: VaultPath) -> bool:
    """Return whether another repository lies between the vault and a file."""
    folders = path.split("/")
    return any(Path(vault, *folders[:depth], ".git").exists() for depth in range(1, len(folders) + 1))


def _refuse_untracked(path: VaultPath) -> None:
    raise _FileSkipped(path, "was never committed")


def _ignore_missing(_: VaultPath) -> None:
    """Skip a file that the user removed from the index."""


class _GitReplay:
    """Applies a change to files as stored in git."""

    def __init__(self, repository: Repository, snapshot: Snapshot) -> None:
        self._repository = repository
        self._snapshot = snapshot
        self._ids: dict[tuple[VaultPath, Digest], str] = {}

    def on(self, files: GitFiles, steps: Sequence[Step], unknown: Callable[[VaultPath], None]) -> GitFileChanges:
        """Return the files that differ afterwards; `unknown` is called with a file to change that is not there."""
        now = dict(files)
        for step in steps:
            match step.kind:
                case "remove":
                    now.pop(step.path, None)
                case "move" if step.to is not None:
                    now = {path_after_move(path, step.path, step.to) or path: file for path, file in now.items()}
                case "put" if step.after is not None:
                    current = now.get(step.path)
                    if current is not None or step.before is None:
                        now[step.path] = self._put(step.path, current, step.before, step.after)
                    else:
                        unknown(step.path)
        return {path: now.get(path) for path in {**files, **now} if files.get(path) != now.get(path)}

    def _put(self, path: VaultPath, current: GitFile | None, before: Digest | None, after: Digest) -> GitFile:
        id_ = self._id(path, after)
        if current is None:
            if self._repository.ignores(path):
                raise _FileSkipped(path, "is ignored there")
            return GitFile(_NORMAL[0], id_)
        if current.mode not in _NORMAL:
            raise _FileSkipped(path, "is not an ordinary file there")
        if before is None or current.id in (id_, self._id(path, before)):
            return GitFile(current.mode, id_)
        base, ours, theirs = map(self._repository.content, (self._id(path, before), current.id, id_))
        both = merge_file(path, base, ours, theirs, touching=False, alike=True)
        if not isinstance(both, bytes):
            raise _FileSkipped(path, "holds changes of yours, in the same lines, that are not committed")
        return GitFile(current.mode, self._repository.store(path, both))

    def _id(self, path: VaultPath, digest: Digest) -> str:
        if (path, digest) not in self._ids:
            data = self._snapshot(digest)
            if data is None:
                raise NoCommit("what it wrote is no longer stored")
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
