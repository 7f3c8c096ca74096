"""A change does what was forecast, or it is undone byte for byte under the same lock."""

import asyncio
import errno
from collections.abc import Sequence
from pathlib import Path

import pytest

from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.many_notes import RenameTag
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.transactions import Author
from bridge.errors import BridgeError, ChangeConflict, ExpectationFailed
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import Append
from bridge.state.change_records import ChangeFilter
from bridge.types import VaultPath
from bridge.vault.plan import Blobs, Step
from bridge.vault.write.writer import Writer
from tests.engine.conftest import NOTES, Opened
from tests.engine.test_writing import ready
from tests.vault.write.faults import Fault, FaultyDisk

PERSON = Author("test", confirmed=True)
SOURDOUGH, BEANS, RAIN = VaultPath("Bread/Sourdough.md"), VaultPath("Garden/Beans.md"), VaultPath("Garden/Rain.md")
EVERYTHING: list[Request] = [
    CreateNote(path=VaultPath("New/Missing.md"), text="[[Beans]] #fresh"),
    EditNote(path=BEANS, edits=(Append(text="More of [[Rain]]."),)),
    MoveNote(path=VaultPath("Bread/Rye.md"), to=VaultPath("Grain/Spelt.md")),
    DeleteNote(path=RAIN, digest=digest_of(NOTES["Garden/Rain.md"].encode())),
    RenameTag(path=BEANS, tag="garden", to="plot"),
]


def content(vault: Path) -> dict[str, bytes]:
    """Return every file and folder but Obsidian's own and the trash."""
    found = (path for path in vault.rglob("*") if not path.relative_to(vault).parts[0].startswith("."))
    return {str(path.relative_to(vault)): path.read_bytes() if path.is_file() else b"" for path in found}


async def test_a_change_does_what_was_forecast(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        executor = (await ready(bridge)).vault.executor
        tried = await executor.execute(EVERYTHING, PERSON, dry_run=True, forecast=True)
        assert tried.planned.forecast is not None
        expected = tried.planned.forecast.difference
        assert expected["tag plot/beans"] == 1
        made = await executor.execute(EVERYTHING, PERSON, forecast=expected)
        assert made.change is not None
        after = await executor.execute(
            [EditNote(path=BEANS, edits=(Append(text="x"),))], PERSON, dry_run=True, forecast=True
        )
        assert after.planned.forecast is not None
        assert after.planned.forecast.before == tried.planned.forecast.after


async def test_nothing_is_written_when_the_forecast_is_another_by_now(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        executor, before = (await ready(bridge)).vault.executor, content(vault)
        with pytest.raises(ExpectationFailed, match=r"dangling -1 instead of \+0"):
            await executor.execute(EVERYTHING[:1], PERSON, forecast={"notes": 1, "links": 2, "tags": 1, "tag fresh": 1})
        assert content(vault) == before


async def test_a_change_that_did_something_else_is_undone(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program saves the new note as it is written; what is not its own is as before."""
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, writing = content(vault), host.vault.writing
        take_up = writing.take_up
        disturbed = asyncio.Event()

        async def save_meanwhile(steps: Sequence[Step], *blobs: Blobs) -> tuple[str, ...]:
            if not disturbed.is_set():
                disturbed.set()
                with (vault / "Garden/Beans.md").open("a") as file:
                    file.write("\nSaved meanwhile. #meanwhile\n")
            return await take_up(steps, *blobs)

        monkeypatch.setattr(writing, "take_up", save_meanwhile)
        with pytest.raises(ExpectationFailed, match=r"was undone: .*tag meanwhile \+1 instead of \+0"):
            await host.vault.executor.execute(EVERYTHING, PERSON, forecast=True)
        now = content(vault)
        assert now.pop("Garden/Beans.md") == before.pop("Garden/Beans.md") + b"\nSaved meanwhile. #meanwhile\n"
        assert now == before
        newest, first = host.vault.review.changes(ChangeFilter(), 10, 0)
        assert newest.facts.undoes == (first.id,)
        assert first.state == "undone"


async def test_a_change_that_cannot_be_undone_says_so(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        take_up = host.vault.writing.take_up

        async def save_over_it(steps: Sequence[Step], *blobs: Blobs) -> tuple[str, ...]:
            (vault / "Garden/Beans.md").write_text("All of it is new. #meanwhile\n")
            return await take_up(steps, *blobs)

        monkeypatch.setattr(host.vault.writing, "take_up", save_over_it)
        edit = EditNote(path=BEANS, edits=(Append(text="#added"),))
        with pytest.raises(ChangeConflict, match="could not be undone"):
            await host.vault.executor.execute([edit], PERSON, forecast=True)


async def test_a_disk_that_fails_at_any_call_leaves_all_of_a_change_or_nothing(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its first call, at its second, and so on to its last."""
    async with opened(vault) as bridge:
        host = await ready(bridge)
        executor, review, writing = host.vault.executor, host.vault.review, host.vault.writing
        made = await executor.execute(EVERYTHING, PERSON, forecast=True)
        assert made.change is not None
        after = content(vault)
        await review.undo([made.change.id], PERSON)
        before, sound = content(vault), Writer(host.files)
        failed, succeeded, at = 0, 0, 0
        while True:
            at += 1
            disk = FaultyDisk(Fault("once", at, errno.EIO))
            monkeypatch.setattr(writing, "_writer", Writer(host.files, disk))
            try:
                made = await executor.execute(EVERYTHING, PERSON, forecast=True)
            except BridgeError:
                failed += 1
                assert content(vault) == before, at
                continue
            finally:
                monkeypatch.setattr(writing, "_writer", sound)
            assert content(vault) == after, at
            assert made.change is not None
            await review.undo([made.change.id], PERSON)
            assert content(vault) == before, at
            if disk.calls < at:
                break
            succeeded += 1
        assert failed > 20
        assert succeeded < failed
