"""What a program saves into a file that was just replaced comes back, where no lease holds the program back."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.move_note import DeleteNote
from bridge.engine import late_saves
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.markdown.edit.requests import Append
from bridge.state.change_records import ChangeFilter
from bridge.types import Digest, VaultPath
from bridge.vault.stable_read import QUIET_S
from bridge.vault.write.handle import DRAFT
from bridge.vault.write.syscalls import SystemCalls
from tests.engine.conftest import PATIENCE_S, Opened, until
from tests.engine.test_writing import digest

NOTE = VaultPath("Bread/Rye.md")
AGENT = Author("edit_note", client="agent")


@pytest.fixture(autouse=True)
def _watched_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be given up before a slow test has saved into it."""
    monkeypatch.setattr(late_saves, "WATCHED_S", 3600.0)


@pytest.fixture(autouse=True)
def _without_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemCalls, "take_lease", staticmethod(lambda _descriptor: None))
    monkeypatch.setattr("bridge.vault.stable_read.delay_saves", lambda *_: nullcontext(0.0))


async def ready(bridge: Bridge) -> Host:
    host = bridge.find(None)
    await until(lambda: host.progress().ready_keyword)
    return host


async def append(host: Host, text: str) -> str:
    made = await host.vault.executor.execute([EditNote(NOTE, (Append(text=text),))], AGENT, dry_run=False, expect=None)
    assert made.change is not None
    return made.change.id


async def test_a_late_save_is_merged_with_the_change(vault: Path, opened: Opened) -> None:
    place = vault / NOTE
    old = place.read_text()
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("r+") as program:
            change = await append(host, "The agent's.")
            program.write(f"{old.replace('# Rye', '# Rye bread')}")
        await until(lambda: len(host.store.journal.changes()) == 2)
        assert place.read_text() == f"{old.replace('# Rye', '# Rye bread')}\nThe agent's.\n"
        assert [found.operation for found in host.store.journal.changes(ChangeFilter(path=NOTE))] == [
            "keep_save",
            "edit_note",
        ]
        # Each is a change of its own.
        await host.vault.review.undo([change], AGENT)
        assert place.read_text() == old.replace("# Rye", "# Rye bread")
    assert not [*vault.rglob(f"{DRAFT}*")]


async def test_a_save_in_the_moment_between_the_check_and_the_loss_of_the_name_is_kept(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = vault / NOTE
    whole = place.read_bytes() + b"The rest.\n"
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("r+b", buffering=0) as program:

            def unlink(name: str, *, dir_fd: int | None = None) -> None:
                if program.tell() == 0 and DRAFT in name:
                    program.write(whole)
                os.unlink(name, dir_fd=dir_fd)

            monkeypatch.setattr(SystemCalls, "unlink", staticmethod(unlink))
            await append(host, "The agent's.")
            assert program.tell() == len(whole)
        await until(lambda: b"The rest." in place.read_bytes())


async def test_a_late_save_that_cannot_be_kept_at_once_is_kept_later(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = vault / NOTE
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("r+") as program:
            await append(host, "The agent's.")
            place.chmod(0o444)
            program.write("# Saved late\n")
        monkeypatch.setattr(late_saves, "WATCHED_S", 0.3)
        # Longer than a file is watched in which nothing happens: each try waits until the save is over.
        await until(lambda: bool(host.vault.late_saves._watched))
        (watched,) = host.vault.late_saves._watched
        await until(lambda: watched.tries > 3)
        place.chmod(0o644)
        await until(lambda: len(host.store.journal.changes()) == 2)
        assert "# Saved late" in place.read_text()


async def test_of_what_contradicts_the_save_stays_and_the_change_is_kept(vault: Path, opened: Opened) -> None:
    place = vault / NOTE
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("wb") as program:
            change = await append(host, "The agent's.")
            assert place.read_text() == "The agent's.\n"
            program.write(b"All of it.\n")
        await until(lambda: len(host.store.journal.changes()) == 2)
        assert place.read_text() == "All of it.\n"
        kept = host.store.journal.change(change)
        assert kept is not None
        assert kept.steps[0].after is not None
        assert host.store.snapshots.read(kept.steps[0].after) == b"The agent's.\n"


async def test_a_note_that_was_deleted_while_it_was_saved_comes_back(vault: Path, opened: Opened) -> None:
    place = vault / NOTE
    (vault / ".obsidian/app.json").write_text('{"trashOption": "none"}')
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("r+b") as program:
            request = DeleteNote(NOTE, digest(place))
            await host.vault.executor.execute([request], AGENT, dry_run=False, expect=None)
            assert not place.exists()
            program.write(b"saved")
            program.truncate()
        await until(place.exists)
        assert place.read_bytes() == b"saved"


async def test_a_late_save_that_is_older_than_another_is_proposed(vault: Path, opened: Opened) -> None:
    place = vault / NOTE
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("wb", buffering=0) as program:
            await append(host, "The agent's.")
            program.write(b"late")
            place.write_bytes(b"later")
        await until(lambda: bool(host.store.journal.changes(ChangeFilter(state="proposed"))))
        (proposed,) = host.store.journal.changes(ChangeFilter(state="proposed"))
        assert place.read_bytes() == b"later"
        assert host.store.snapshots.read(Digest(str(proposed.steps[0].after))) == b"late"


async def test_a_bridge_that_stops_brings_back_what_it_can(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_saves, "FINISH_S", PATIENCE_S)
    monkeypatch.setattr("bridge.engine.host.PATIENCE_S", PATIENCE_S)
    place = vault / NOTE
    async with opened(vault) as bridge:
        host = await ready(bridge)
        with place.open("wb", buffering=0) as program:
            await append(host, "The agent's.")
            program.write(b"late")
        # From now on it is given up soon, though not before the save is over.
        monkeypatch.setattr(late_saves, "WATCHED_S", 2 * QUIET_S)
    assert place.read_bytes() == b"late"
