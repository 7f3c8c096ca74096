"""Where the user wants it, each change is a commit."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.markdown.edit.requests import Append
from bridge.types import VaultPath
from tests.engine.conftest import Opened, until
from tests.engine.test_writing import bytes_of, digest

pytestmark = [pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"), pytest.mark.process]

BEANS, RYE = VaultPath("Garden/Beans.md"), VaultPath("Bread/Rye.md")
AGENT = Author("test", client="agent")


def append(path: VaultPath) -> EditNote:
    return EditNote(path, (Append(text="More."),))


def git(vault: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=vault, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = A. User\n\temail = user@example.org\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    git(vault, "init", "--quiet")
    git(vault, "add", "--all")
    git(vault, "commit", "--quiet", "--message", "start")
    return vault


def notes_of(vault: Path) -> dict[str, bytes]:
    return {path: data for path, data in bytes_of(vault).items() if not path.startswith(".git")}


async def ready(bridge: Bridge, *, wanted: bool = True) -> Host:
    host = bridge.find(None)
    await until(lambda: host.progress().ready_keyword)
    host.vault.writing.settings = replace(host.vault.writing.settings, git_commit=wanted)
    return host


async def test_changes_and_their_undoing_are_commits(repository: Path, opened: Opened) -> None:
    start = notes_of(repository)
    grain = VaultPath("Grain/Roggen.md")
    wanted: list[Request] = [
        MoveNote(RYE, grain, digest(repository / RYE)),
        DeleteNote(BEANS, digest(repository / BEANS)),
        append(grain),
    ]
    async with opened(repository) as bridge:
        host = await ready(bridge)
        made = [await host.vault.executor.execute([one], AGENT, dry_run=False, expect=None) for one in wanted]
        assert git(repository, "status", "--porcelain", "--", ".", ":!.trash") == ""
        assert not [warning for one in made for warning in one.warnings if "git" in warning]
        for one in reversed(made):
            assert one.change is not None
            await host.vault.review.undo([one.change.id], AGENT)
    assert notes_of(repository) == start
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "rev-list", "--count", "HEAD") == "7\n"
    assert git(repository, "diff", "--stat", "HEAD", "HEAD~6") == ""


async def test_nobody_who_did_not_ask_gets_a_commit(repository: Path, opened: Opened) -> None:
    async with opened(repository) as bridge:
        host = await ready(bridge, wanted=False)
        await host.vault.executor.execute([append(BEANS)], AGENT, dry_run=False, expect=None)
    assert git(repository, "rev-list", "--count", "HEAD") == "1\n"


async def test_what_cannot_be_committed_is_written_and_told(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await host.vault.executor.execute([append(BEANS)], AGENT, dry_run=False, expect=None)
    assert "More." in (vault / BEANS).read_text()
    assert [warning for warning in made.warnings if "no git repository" in warning]
