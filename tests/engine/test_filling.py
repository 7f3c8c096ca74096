"""Vectors are filled in behind what is written, not beside it."""

import asyncio
from pathlib import Path

import pytest

from bridge.changes.requests.edit_note import EditNote
from bridge.engine.parser_pool import MAX_NOTES_WITHOUT_POOL
from bridge.engine.transactions import Author
from bridge.features.status.indexing import wait_for_note
from bridge.markdown.edit.requests import Append
from bridge.state.store import Counters
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until

BEANS, RAIN = VaultPath("Garden/Beans.md"), VaultPath("Garden/Rain.md")


@pytest.mark.model
async def test_what_is_changed_again_and_again_is_embedded_when_that_ends(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        before = host.store.counters.get("embedded")
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
        monkeypatch.setattr("bridge.engine.backfill.MAX_WAIT_S", 3600)
        for turn in range(5):
            await host.vault.executor.execute([EditNote(BEANS, (Append(text=f"Day {turn}."),))], Author("test"))
        assert host.progress().pending_vectors == 1
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 0)
        host.vault.backfill.wake()
        await settled(host)
        assert host.store.counters.get("embedded") == before + 1


@pytest.mark.model
async def test_what_is_changed_while_a_batch_is_embedded_waits_for_a_pause_too(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        backfill, count, before = (
            host.vault.backfill,
            host.store.counters.add,
            host.store.counters.get("embedded"),
        )
        loop = asyncio.get_running_loop()

        def counting(what: str, many: int) -> None:
            count(what, many)
            monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
            loop.call_soon_threadsafe(backfill.wake)

        async def change(path: VaultPath, text: str) -> None:
            await host.vault.executor.execute([EditNote(path, (Append(text=text),))], Author("test"))

        monkeypatch.setattr("bridge.engine.backfill.TEXTS_AT_ONCE", 1)
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
        monkeypatch.setattr("bridge.engine.backfill.MAX_WAIT_S", 3600)
        for path in (BEANS, RAIN):
            await change(path, "Watered.")
        monkeypatch.setattr(Counters, "add", staticmethod(counting))
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 0)
        backfill.wake()
        await until(lambda: host.progress().pending_vectors == 1)
        for turn in range(5):
            await change(BEANS, f"Day {turn}.")
            await change(RAIN, f"Day {turn}.")
        assert host.store.counters.get("embedded") == before + 1
        monkeypatch.undo()
        backfill.wake()
        await settled(host)
        assert host.store.counters.get("embedded") == before + 3


@pytest.mark.model
async def test_nothing_is_embedded_while_many_notes_are_read(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 0)
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        indexer, before = host.vault.indexer, host.store.counters.get("embedded")
        unread = {VaultPath(f"{number}.md") for number in range(MAX_NOTES_WITHOUT_POOL + 1)}
        indexer.pending |= unread
        await host.vault.executor.execute([EditNote(BEANS, (Append(text="Watered."),))], Author("test"))
        assert host.progress().pending_vectors == 1
        assert not await host.vault.backfill.step()
        indexer.pending -= unread
        host.vault.backfill.wake()
        await settled(host)
        assert host.store.counters.get("embedded") == before + 1


@pytest.mark.model
async def test_who_waits_for_meaning_waits_for_no_pause(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
        monkeypatch.setattr("bridge.engine.backfill.MAX_WAIT_S", 3600)
        await host.vault.executor.execute([EditNote(BEANS, (Append(text="Watered."),))], Author("test"))
        assert await wait_for_note(host, BEANS, None, "vectors", PATIENCE_S)


async def test_it_is_not_known_which_model_there_is_before_one_was_looked_for(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        assert host.progress().model_known
        host.vault.backfill.can_answer = None
        assert not host.progress().model_known


@pytest.mark.model
async def test_an_edited_note_waits_for_a_shorter_pause(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
        monkeypatch.setattr("bridge.engine.backfill.MAX_WAIT_S", 3600)
        monkeypatch.setattr("bridge.engine.backfill.SHORTER", 0)
        edit = [EditNote(BEANS, (Append(text="Watered."),))]
        await host.vault.executor.execute(edit, Author("test"))
        await settled(host)
        monkeypatch.setattr("bridge.engine.backfill.MAX_QUICK_PASSAGES", 0)
        await host.vault.executor.execute(edit, Author("test"))
        assert host.progress().pending_vectors == 1
        monkeypatch.undo()
        host.vault.backfill.wake()
        await settled(host)
