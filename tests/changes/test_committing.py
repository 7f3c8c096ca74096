"""A change is committed alone, by a real git, and what the user was doing there stays as it was."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.changes.git import CommitResult, GitFile, NoCommit, Repository, commit
from bridge.markdown.decode import digest_of
from bridge.state.change_records import Change
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step

pytestmark = [pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"), pytest.mark.process]

NOTE = "".join(f"line {number}\n" for number in range(1, 31))


class Place:
    """A vault in a git repository."""

    def __init__(self, root: Path, folder: str = "") -> None:
        self.root = root
        self.vault = root / folder
        self.kept: dict[Digest, bytes] = {}
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, given: str | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, input=given, capture_output=True, text=True, check=True
        )
        return done.stdout

    def start(self, **files: str) -> None:
        """Commit files."""
        for name, text in files.items():
            self.write(f"{name}.md", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "start")

    def write(self, path: str, text: str) -> None:
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def put(self, path: str, text: str | None) -> Step:
        """Write a file, or take it away, as the bridge would; return what was done."""
        file = self.vault / path
        before = file.read_bytes() if file.exists() else None
        if text is None:
            file.unlink()
        else:
            self.write(path, text)
        sides = [None if data is None else self.keep(data) for data in (before, text.encode() if text else None)]
        return Step("remove" if text is None else "put", VaultPath(path), before=sides[0], after=sides[1])

    def move(self, path: str, to: str) -> Step:
        (self.vault / to).parent.mkdir(parents=True, exist_ok=True)
        before = None if (self.vault / path).is_dir() else self.keep((self.vault / path).read_bytes())
        (self.vault / path).rename(self.vault / to)
        return Step("move", VaultPath(path), to=VaultPath(to), before=before)

    def keep(self, data: bytes) -> Digest:
        self.kept[digest_of(data)] = data
        return digest_of(data)

    def commit(self, *steps: Step, reason: str | None = None) -> CommitResult:
        change = Change("0001", 0.0, "edit_note", client="Cursor", reason=reason, steps=steps)
        return commit(self.vault, change, self.kept.get)

    def state(self) -> tuple[str, bytes]:
        """Return all refs and the index."""
        return self.git("for-each-ref") + self.git("reflog"), (self.root / ".git/index").read_bytes()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = A. User\n\temail = user@example.org\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("EMAIL", "guessed@example.org")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "vault").mkdir()
    return Place(tmp_path / "vault")


def test_a_change_is_a_commit_that_says_what_it_is(place: Place) -> None:
    place.start(a=NOTE, b="b\n")
    done = place.commit(place.put("a.md", NOTE + "more\n"), reason="asked\nfor it")
    assert done.warnings == ()
    assert place.git("log", "-1", "--format=%H|%an|%ae|%B").rstrip("\n") == (
        f"{done.commit}|A. User|user@example.org|vaultside: edit_note a.md\n\nasked for it\n\n"
        "Vaultside-Client: Cursor\nVaultside-Change: 0001"
    )
    assert place.git("show", "--format=", "--name-only", "HEAD") == "a.md\n"
    assert place.git("show", "HEAD:a.md") == NOTE + "more\n"
    assert place.git("status", "--porcelain") == ""
    place.git("fsck", "--strict")


def test_what_is_staged_elsewhere_stays_staged(place: Place) -> None:
    place.start(a=NOTE, b="b\n", c="c\n", d="d\n")
    place.write("b.md", "staged\n")
    place.git("add", "b.md")
    place.git("rm", "--quiet", "--cached", "d.md")
    place.write("c.md", "not staged\n")
    before = place.git("status", "--porcelain")
    assert place.commit(place.put("a.md", NOTE + "more\n")).commit
    assert place.git("status", "--porcelain") == before == "M  b.md\n M c.md\nD  d.md\n?? d.md\n"


def test_a_file_with_staged_and_unstaged_edits_is_left_out_and_they_stay_so(place: Place) -> None:
    place.start(a=NOTE)
    place.write("a.md", NOTE.replace("line 2\n", "staged\n"))
    place.git("add", "a.md")
    place.write("a.md", NOTE.replace("line 2\n", "staged\n").replace("line 28\n", "not staged\n"))
    before = place.state()
    text = (place.vault / "a.md").read_text()
    done = place.commit(place.put("a.md", text.replace("line 15\n", "theirs\n")))
    assert done == CommitResult(None, ("`a.md` is not committed to git: it has changes of yours that are staged.",))
    assert place.state() == before


def test_a_moved_file_leaves_its_unstaged_edits_uncommitted_and_a_staged_one_stays(place: Place) -> None:
    place.start(**{"F/a": NOTE, "F/b": "b\n", "F/c": "c\n"})
    place.write("F/a.md", NOTE.replace("line 2\n", "mine\n"))
    place.write("F/b.md", "staged\n")
    place.git("add", "F/b.md")
    done = place.commit(place.move("F", "G"))
    assert [warning.split("`")[1] for warning in done.warnings] == ["F/b.md", "G/b.md"]
    assert place.git("show", "--format=", "--name-status", "--no-renames", "HEAD").splitlines() == [
        "D\tF/a.md",
        "D\tF/c.md",
        "A\tG/a.md",
        "A\tG/c.md",
    ]
    assert place.git("show", "HEAD:G/a.md") == NOTE
    assert place.git("status", "--porcelain") == "MD F/b.md\n M G/a.md\n?? G/b.md\n"


@pytest.mark.parametrize("add", [False, True])
def test_a_removed_file_with_uncommitted_edits_is_left_out(place: Place, add: bool) -> None:
    place.start(a=NOTE, b="b\n")
    place.write("a.md", "mine\n")
    if add:
        place.git("add", "a.md")
    before = place.state()
    assert "`a.md`" in place.commit(place.put("a.md", None)).warnings[0]
    assert place.state() == before


def test_a_file_that_the_user_removed_and_did_not_commit_is_left_out(place: Place) -> None:
    place.start(a=NOTE, b="b\n")
    (place.vault / "a.md").unlink()
    place.git("rm", "--quiet", "--cached", "b.md")
    (place.vault / "b.md").unlink()
    before = place.state()
    done = place.commit(place.put("a.md", "made\n"), place.put("b.md", "made\n"))
    assert [warning.split("`")[1] for warning in done.warnings] == ["a.md", "b.md"]
    assert place.state() == before


@pytest.mark.parametrize("add", [False, True])
def test_lines_that_the_user_changed_and_did_not_commit_are_not_committed(place: Place, add: bool) -> None:
    place.start(a=NOTE, b="b\n")
    place.write("a.md", NOTE.replace("line 2\n", "mine\n"))
    if add:
        place.git("add", "a.md")
    done = place.commit(place.put("a.md", NOTE.replace("line 2\n", "ours\n")), place.put("b.md", "new\n"))
    assert done.commit
    assert "`a.md`" in done.warnings[0]
    assert place.git("show", "--format=", "--name-only", "HEAD") == "b.md\n"
    assert place.git("status", "--porcelain") == ("MM a.md\n" if add else " M a.md\n")


def test_what_was_saved_the_moment_it_was_added_still_counts_as_changed(place: Place) -> None:
    place.start(a="one\n", b="b\n")
    place.git("config", "core.checkStat", "minimal")
    place.git("config", "core.trustCtime", "false")
    note, index = place.vault / "a.md", place.root / ".git/index"
    os.utime(note, (1_000_000_000, 1_000_000_000))
    place.git("update-index", "--refresh")
    place.write("a.md", "two\n")
    for file in (note, index):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    assert place.commit(place.put("b.md", "more\n")).commit
    assert place.git("status", "--porcelain") == " M a.md\n"


def test_files_are_made_moved_and_removed(place: Place) -> None:
    place.vault = place.root / "Notes [x]"
    place.start(a=NOTE, b="b\n", **{"F/c": "c\n", "F/ü * d": "d\n"})
    place.write("F/new.md", "mine\n")
    steps = [place.move("F", "G"), place.move("a.md", "G/H/a.md"), place.put("G/H/a.md", NOTE + "more\n")]
    done = place.commit(*steps, place.put("b.md", None), place.put("made :(top).md", "made\n"))
    assert done.warnings == ()
    assert place.git("status", "--porcelain", "-z") == "?? Notes [x]/G/new.md\0"
    assert place.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")[:-1] == [
        f"Notes [x]/{name}.md" for name in ("G/H/a", "G/c", "G/ü * d", "made :(top)")
    ]


def test_a_note_goes_to_the_trash_and_comes_back(place: Place) -> None:
    place.start(a=NOTE, b="b\n")
    gone = replace(place.put("a.md", None), to=VaultPath(".trash/a.md"))
    place.write(".trash/a.md", NOTE)
    (place.root / ".git/info/exclude").write_text("/.trash\n")
    assert place.commit(gone).commit
    assert place.git("log", "-1", "--format=%s") == "vaultside: edit_note a.md\n"
    assert place.commit(place.move(".trash/a.md", "a.md")).commit
    assert place.git("show", "HEAD:a.md") == NOTE
    assert place.git("status", "--porcelain") == ""


def test_a_name_is_a_name_though_git_has_a_meaning_for_it(place: Place) -> None:
    place.start(a=NOTE)
    assert place.commit(place.put(":(top)a.md", "made\n")).commit
    assert place.commit(place.put(":(top)a.md", "made\nmore\n")).commit
    assert place.git("show", "--format=", "--name-only", "HEAD") == ":(top)a.md\n"


def test_what_git_does_not_hold_is_left_out_and_told(place: Place) -> None:
    (place.root / ".gitignore").write_text("/Private\n")
    place.start(a=NOTE)
    place.write("own.md", "never committed\n")
    subprocess.run(["git", "init", "--quiet", "Other"], cwd=place.root, check=True)
    done = place.commit(
        place.put("a.md", NOTE + "more\n"),
        place.put("own.md", "changed\n"),
        place.put("Other/c.md", "other\n"),
    )
    assert done.commit
    assert [warning.split("`")[1] for warning in done.warnings] == ["Other/c.md", "own.md"]
    assert place.git("show", "--format=", "--name-only", "HEAD") == "a.md\n"


def test_what_the_user_has_git_ignore_is_left_out_without_a_word(place: Place) -> None:
    (place.root / ".gitignore").write_text("/Agents\n")
    place.start(a=NOTE)
    for text in ("made\n", "changed\n"):
        done = place.commit(place.put("Agents/Memory/b.md", text))
        assert (done.commit, done.warnings) == (None, ())
    done = place.commit(place.put("a.md", NOTE + "more\n"), place.put("Agents/Memory/b.md", "again\n"))
    assert done.commit
    assert not done.warnings
    assert place.git("show", "--format=", "--name-only", "HEAD") == "a.md\n"


def in_a_merge(place: Place) -> None:
    place.git("switch", "--quiet", "--create", "other")
    place.write("b.md", "other\n")
    place.git("commit", "--quiet", "--all", "--message", "other")
    place.git("switch", "--quiet", "main")
    place.write("b.md", "main\n")
    place.git("commit", "--quiet", "--all", "--message", "main")
    subprocess.run(["git", "merge", "--quiet", "other"], cwd=place.root, capture_output=True, check=False)


def in_a_rebase(place: Place) -> None:
    in_a_merge(place)
    place.git("merge", "--abort")
    subprocess.run(["git", "rebase", "other"], cwd=place.root, capture_output=True, check=False)


def on_no_branch(place: Place) -> None:
    place.git("checkout", "--quiet", "--detach")


def locked(place: Place) -> None:
    (place.root / ".git/index.lock").touch()


def nameless(place: Place) -> None:
    (place.root.parent / "home/.gitconfig").unlink()


@pytest.mark.parametrize(
    ("hindrance", "why"),
    [
        (in_a_merge, "a merge is going on"),
        (in_a_rebase, "a rebase is going on"),
        (on_no_branch, "no branch is checked out"),
        (locked, "another git command"),
        (nameless, "user.name"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_nothing_is_committed_while_something_is_in_the_way(place: Place, hindrance: object, why: str) -> None:
    place.start(a=NOTE, b="b\n")
    assert callable(hindrance)
    hindrance(place)
    before = place.state()
    done = place.commit(place.put("a.md", NOTE + "more\n"))
    assert done.commit is None
    assert why in done.warnings[0]
    assert place.state() == before


def test_a_repository_without_a_commit_is_left_alone(place: Place) -> None:
    assert "no commit yet" in place.commit(place.put("a.md", "made\n")).warnings[0]


def test_a_repository_that_only_lies_around_the_vault_is_left_alone(place: Place) -> None:
    place.start(dotfile="x\n")
    place.vault = place.root / "Notes"
    place.write("old.md", "old\n")
    assert "nothing of the vault" in place.commit(place.put("a.md", "made\n")).warnings[0]


def test_without_a_repository_or_git_it_is_said_so(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.start(a=NOTE)
    step = place.put("a.md", NOTE + "more\n")
    place.vault = tmp_path / "home"
    assert "no git repository" in place.commit(step).warnings[0]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed" in place.commit(step).warnings[0]


def test_no_hook_runs_and_no_variable_leads_elsewhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.start(a=NOTE)
    ran = place.root.parent / "ran"
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        hook = place.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
        hook.chmod(0o755)
    step = place.put("a.md", NOTE + "more\n")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nowhere")
    assert place.commit(step).commit
    assert not ran.exists()


def test_line_ends_are_what_git_makes_of_them(place: Place) -> None:
    (place.root / ".gitattributes").write_text("*.md text eol=crlf\n")
    place.start(a=NOTE.replace("\n", "\r\n"))
    assert place.commit(place.put("a.md", (NOTE + "more\n").replace("\n", "\r\n"))).commit
    assert place.git("cat-file", "blob", "HEAD:a.md") == NOTE + "more\n"
    assert place.git("status", "--porcelain") == ""


def test_a_branch_that_moved_meanwhile_is_not_moved_back(place: Place) -> None:
    place.start(a=NOTE)
    a = VaultPath("a.md")
    repository = Repository(place.vault, place.kept.get)
    before_ours, ours = repository.files([a]), {a: GitFile("100644", repository.store(a, place.keep(b"ours\n")))}
    place.write("b.md", "b\n")
    place.git("add", "b.md")
    place.git("commit", "--quiet", "--message", "meanwhile")
    before = place.state()[0], place.git("ls-files", "--stage"), place.git("status", "--porcelain")
    with pytest.raises(NoCommit):
        repository.commit(before_ours, ours, "subject\n")
    assert (place.state()[0], place.git("ls-files", "--stage"), place.git("status", "--porcelain")) == before
    assert not (place.root / ".git/index.lock").exists()


def test_one_line_of_a_reason_cannot_pass_for_a_trailer(place: Place) -> None:
    place.start(a=NOTE)
    step = place.put("a.md", NOTE + "more\n")
    place.commit(step, reason="because\n\nVaultside-Client: nobody\x1b[31m")
    trailers = place.git("log", "-1", "--format=%(trailers:key=Vaultside-Client,valueonly)")
    assert trailers.strip() == "Cursor"
