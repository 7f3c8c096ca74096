"""Commits changes to git, by plumbing commands that run no hooks and never prompt."""

import os
import subprocess
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from bridge.changes.draft import path_after_move
from bridge.changes.hunks import Snapshot
from bridge.records import Record
from bridge.state.change_records import Change
from bridge.text.invisible import one_line
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

_TIMEOUT_S: Final = 30

_PATHS_AT_ONCE: Final = 500
"""Paths in one command, as systems limit its length."""

_CHANGE: Final = "Vaultside-Change"
"""The trailer that names the change of a commit."""

_MAX_COMMITS: Final = 1_000
_FIELDS_PER_LINE: Final = 2

_MAX_SUBJECT_CHARS: Final = 100
"""Characters of the path in a subject."""

_FIXED_SETTINGS: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.safecrlf": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "utf-8",
    "user.useConfigOnly": "true",
}
"""No other program runs, and git does not guess the user's identity."""

_BUSY_FILES: Final = {
    "index.lock": "another git command",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


class GitFile(NamedTuple):
    """A file as stored in git."""

    mode: str
    id: str


_MODES: Final = ("100644", "100755")
_STAGED_FILE: Final = GitFile("", "")
"""Stands for a file that the user has staged differently from the last commit."""


class NoCommit(Exception):
    """Nothing can be committed; the message says why."""


class CommitResult(Record):
    """The outcome of committing a change to git."""

    commit: str | None
    """The commit's id; None when there is none."""
    warnings: tuple[str, ...] = ()
    """What was not committed, and why."""


class Repository:
    """The repository that contains a vault, on a branch that can be committed to."""

    def __init__(self, vault: Path, snapshot: Snapshot) -> None:
        """Find the repository; `snapshot` returns the contents that are stored."""
        self._root, self._snapshot = vault, snapshot
        where = ("--show-toplevel", "--git-dir", "--show-prefix")
        found = self._run("rev-parse", "--path-format=absolute", *where, sorry="there is no git repository")
        root, git, self._prefix = found.split("\n")[:3]
        self._root = Path(root)
        for name, what in _BUSY_FILES.items():
            if Path(git, name).exists():
                raise NoCommit(f"{what} is going on")
        self._branch = self._run("symbolic-ref", "--quiet", "HEAD", sorry="no branch is checked out")
        self._head = self._run("rev-parse", "--quiet", "--verify", "HEAD^{commit}", sorry="there is no commit yet")
        self._run("var", "GIT_COMMITTER_IDENT", sorry="git has no `user.name` and `user.email` to sign with")
        if self._prefix and not self._run("ls-tree", self._head, "--", self._prefix):
            raise NoCommit("nothing of the vault was ever committed")

    def files(self, paths: Collection[VaultPath]) -> dict[VaultPath, GitFile]:
        """Return the files at or below some paths in the last commit, and those that the user has staged."""
        found = {}
        for entry in self._list_paths(("ls-tree", "-r", "-z", self._head), paths):
            facts, _, path = entry.partition("\t")
            mode, _, id_ = facts.split(" ")
            found[VaultPath(path.removeprefix(self._prefix))] = GitFile(mode, id_)
        for path in self._list_paths(("diff-index", "--cached", "--name-only", "-z", self._head), paths):
            found[VaultPath(path.removeprefix(self._prefix))] = _STAGED_FILE
        return found

    def store(self, path: VaultPath, digest: Digest) -> str:
        """Store a file's bytes as git would, with its line ending rules, and return their id in git."""
        data = self._snapshot(digest)
        if data is None:
            raise NoCommit("what it wrote is no longer stored")
        return self._run("hash-object", "-w", "--stdin", "--path", f"{self._prefix}{path}", given=data)

    def ignores(self, path: VaultPath) -> bool:
        return bool(self._run("ls-files", "--others", "--ignored", "--exclude-standard", "--", f"{self._prefix}{path}"))

    def commit(
        self, before: Mapping[VaultPath, GitFile], after: Mapping[VaultPath, GitFile | None], message: str
    ) -> str:
        """Commit files on top of the last commit, and update the index; return the commit's id."""
        with TemporaryDirectory() as folder:
            draft = Path(folder, "index")
            self._run("read-tree", self._head, index=draft)
            self._update_index(after, draft)
            tree = self._run("write-tree", index=draft)
        commit = self._run("commit-tree", "-p", self._head, "-F", "-", tree, given=message.encode())
        # In this order, a crash in between leaves the change staged; in the other, its reverse.
        self._update_index(after)
        try:
            self._run("update-ref", "-m", message.partition("\n")[0], self._branch, commit, self._head)
        except NoCommit:
            self._update_index({path: before.get(path) for path in after})
            raise
        return commit

    def _update_index(self, files: Mapping[VaultPath, GitFile | None], index: Path | None = None) -> None:
        nothing = GitFile("0", "0" * len(self._head))
        lines = (f"{' '.join(file or nothing)}\t{self._prefix}{path}\0" for path, file in files.items())
        self._run("update-index", "-z", "--index-info", index=index, given="".join(lines).encode())

    def _list_paths(self, command: tuple[str, ...], paths: Collection[VaultPath]) -> Iterator[str]:
        asked = [f"{self._prefix}{path}" for path in paths]
        for start in range(0, len(asked), _PATHS_AT_ONCE):
            yield from self._run(*command, "--", *asked[start : start + _PATHS_AT_ONCE]).split("\0")[:-1]

    def _run(self, *arguments: str, given: bytes = b"", index: Path | None = None, sorry: str | None = None) -> str:
        return _run_git(self._root, *arguments, given=given, index=index, sorry=sorry)


def _run_git(
    folder: Path, *arguments: str, given: bytes = b"", index: Path | None = None, sorry: str | None = None
) -> str:
    """Run a command in a folder, and return its output; `sorry` is the reason to give when it fails."""
    settings = [part for name, value in _FIXED_SETTINGS.items() for part in ("-c", f"{name}={value}")]
    # Variables of git might point to another repository.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    fixed = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(
            ["git", *settings, *arguments],
            cwd=folder,
            env=own | fixed | ({} if index is None else {"GIT_INDEX_FILE": str(index)}),
            input=given,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except FileNotFoundError:
        raise NoCommit("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise NoCommit(f"git took longer than {_TIMEOUT_S} s") from None
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise NoCommit(sorry or f"git refuses: {told[:200]}") from None
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def find_commits(vault: Path, since: float) -> dict[str, str]:
    """Return the commits that were made of changes, by the change's id; none where git does not answer."""
    which = ("--fixed-strings", f"--grep={_CHANGE}: ", f"--since={int(since)}", f"--max-count={_MAX_COMMITS}")
    form = f"--format=%H %(trailers:key={_CHANGE},valueonly,separator=%x20)"
    try:
        listed = _run_git(vault, "log", *which, form)
    except NoCommit:
        return {}
    pairs = (line.split() for line in listed.splitlines())
    return {pair[1]: pair[0] for pair in pairs if len(pair) == _FIELDS_PER_LINE}


def last_commits(vault: Path) -> dict[VaultPath, float]:
    """Return when each file of a vault was last committed; none where git does not answer.

    A commit of half of all files, such as the first, says nothing of any.
    """
    try:
        listed = _run_git(vault, "log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", "--relative")
    except NoCommit:
        return {}
    # Of each commit the time, and the names, of which the first stands on a new line.
    commits = [entry.replace("\0\n", "\0", 1).split("\0") for entry in listed.split("\x01")[1:]]
    files = {path for _, *paths in commits for path in paths if path}
    found: dict[VaultPath, float] = {}
    for seconds, *paths in commits:
        if sum(map(bool, paths)) <= len(files) / 2:
            for path in filter(None, paths):
                found.setdefault(VaultPath(path), float(seconds))
    return found


def commit(vault: Path, change: Change, snapshot: Snapshot) -> CommitResult:
    """Commit a change that was made, but for files that had uncommitted edits before it. Hooks do not run."""
    try:
        return _commit(Repository(vault, snapshot), vault, change)
    except NoCommit as reason:
        return CommitResult(None, (f"The change is not committed to git: {reason}.",))


def _commit(repository: Repository, vault: Path, change: Change) -> CommitResult:
    steps = [_git_step(step) for step in change.steps]
    paths = dict.fromkeys(place for step in steps for place in (step.path, step.to) if place is not None)
    left = {path: "lies in a repository of its own" for path in paths if _is_in_nested_repository(vault, path)}
    before = repository.files([path for path in paths if path not in left])
    now = dict(before)
    for step in steps:
        if step.path in left or step.to in left:
            continue
        if step.kind == "move" and step.to is not None:
            now = {path_after_move(path, step.path, step.to) or path: file for path, file in now.items()}
        elif step.kind in ("put", "remove"):
            known = now.get(step.path)
            if known is None and repository.ignores(step.path):
                continue
            if why := _hindrance(repository, step, known):
                left[step.path] = why
            elif step.after is not None:
                now[step.path] = GitFile(known.mode if known else _MODES[0], repository.store(step.path, step.after))
            else:
                now.pop(step.path, None)
    after = {path: now.get(path) for path in {**before, **now} if before.get(path) != now.get(path)}
    for path in [path for path in after if _STAGED_FILE in (before.get(path), after[path])]:
        left.setdefault(path, "has changes of yours that are staged")
        del after[path]
    warnings = tuple(f"`{path}` is not committed to git: it {why}." for path, why in left.items())
    return CommitResult(repository.commit(before, after, message(change)) if after else None, warnings)


def _git_step(step: Step) -> Step:
    if step.kind == "move" and step.to is not None and step.path.startswith(".trash/"):
        return Step("put", step.to, after=step.before)
    return step


def _is_in_nested_repository(vault: Path, path: VaultPath) -> bool:
    folders = path.split("/")
    return any(Path(vault, *folders[:depth], ".git").exists() for depth in range(1, len(folders) + 1))


def _hindrance(repository: Repository, step: Step, known: GitFile | None) -> str | None:
    """Return why a step that writes or removes a file is not committed, from what git knew of the file before."""
    if known is None:
        return "was never committed" if step.kind == "put" and step.before is not None else None
    if known == _STAGED_FILE:
        return "has changes of yours that are staged"
    if known.mode not in _MODES:
        return "is not an ordinary file there"
    if step.before is None or repository.store(step.path, step.before) != known.id:
        return "has changes of yours that are not committed"
    return None


def message(change: Change) -> str:
    paths = dict.fromkeys(
        step.to if step.kind == "move" and step.to else step.path
        for step in change.steps
        if not step.kind.endswith("_folder")
    )
    path = one_line(next(iter(paths), ""))
    if len(path) > _MAX_SUBJECT_CHARS:
        path = f"…{path[-_MAX_SUBJECT_CHARS:]}"
    lines = [f"vaultside: {change.operation} {path}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else ""), ""]
    if change.reason:
        lines += [one_line(change.reason), ""]
    if change.client:
        lines.append(f"Vaultside-Client: {one_line(change.client)}")
    return "\n".join((*lines, f"{_CHANGE}: {change.id}", ""))
