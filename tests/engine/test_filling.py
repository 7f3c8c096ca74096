"""Vectors are filled in behind what is written, not beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bridge.changes.requests.edit_note import EditNote
from bridge.engine.host import Host
from bridge.engine.parser_pool import MAX_NOTES_WITHOUT_POOL
from bridge.engine.transactions import Author
from bridge.features.status.indexing import wait_for_note
from bridge.markdown.edit.requests import Append
from bridge.state.store import Counters
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until

BEANS, RAIN = VaultPath("Garden/Beans.md"), VaultPath("Garden/Rain.md")

Pauses = Callable[..., None]


@pytest.fixture
async def host(vault: Path, opened: Opened) -> AsyncIterator[Host]:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await settled(host)
        yield host


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    """Have vectors wait for long pauses, or for others."""

    def pause(**figures: float) -> None:
        for name, figure in (figures or {"QUIET_S": 3600, "MAX_WAIT_S": 3600}).items():
            monkeypatch.setattr(f"bridge.engine.backfill.{name}", figure)

    return pause


async def append(host: Host, path: VaultPath, text: str = "Watered.") -> None:
    await host.vault.executor.execute([EditNote(path, (Append(text=text),))], Author("test"))


async def refill(host: Host) -> int:
    """Wake what embeds, and return how many passages were embedded once that is done."""
    host.vault.backfill.wake()
    await settled(host)
    return host.store.counters.get("embedded")


@pytest.mark.model
async def test_what_is_changed_again_and_again_is_embedded_when_that_ends(host: Host, pauses: Pauses) -> None:
    before = host.store.counters.get("embedded")
    pauses()
    for turn in range(5):
        await append(host, BEANS, f"Day {turn}.")
    assert host.progress().pending_vectors == 1
    pauses(QUIET_S=0)
    assert await refill(host) == before + 1


@pytest.mark.model
async def test_what_is_changed_while_a_batch_is_embedded_waits_for_a_pause_too(
    host: Host, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters, loop = host.store.counters, asyncio.get_running_loop()
    count, before = counters.add, counters.get("embedded")

    def counting(what: str, many: int) -> None:
        count(what, many)
        pauses(QUIET_S=3600)
        loop.call_soon_threadsafe(host.vault.backfill.wake)

    pauses()
    pauses(TEXTS_AT_ONCE=1)
    for path in (BEANS, RAIN):
        await append(host, path)
    monkeypatch.setattr(Counters, "add", staticmethod(counting))
    pauses(QUIET_S=0)
    host.vault.backfill.wake()
    await until(lambda: host.progress().pending_vectors == 1)
    for turn in range(5):
        await append(host, BEANS, f"Day {turn}.")
        await append(host, RAIN, f"Day {turn}.")
    assert counters.get("embedded") == before + 1
    monkeypatch.undo()
    assert await refill(host) == before + 3


@pytest.mark.model
async def test_nothing_is_embedded_while_many_notes_are_read(host: Host, pauses: Pauses) -> None:
    indexer, before = host.vault.indexer, host.store.counters.get("embedded")
    pauses(QUIET_S=0)
    unread = {VaultPath(f"{number}.md") for number in range(MAX_NOTES_WITHOUT_POOL + 1)}
    indexer.pending |= unread
    await append(host, BEANS)
    assert host.progress().pending_vectors == 1
    assert not await host.vault.backfill.step()
    indexer.pending -= unread
    assert await refill(host) == before + 1


@pytest.mark.model
async def test_who_waits_for_meaning_waits_for_no_pause(host: Host, pauses: Pauses) -> None:
    pauses()
    await append(host, BEANS)
    assert await wait_for_note(host, BEANS, None, "vectors", PATIENCE_S)


async def test_it_is_not_known_which_model_there_is_before_one_was_looked_for(host: Host) -> None:
    await until(lambda: host.progress().model_known)
    host.vault.backfill.can_answer = None
    assert not host.progress().model_known


@pytest.mark.model
async def test_an_edited_note_waits_for_a_shorter_pause(
    host: Host, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses()
    pauses(QUICK_SHARE=0)
    await append(host, BEANS)
    await settled(host)
    pauses(MAX_QUICK_PASSAGES=0)
    await append(host, BEANS)
    assert host.progress().pending_vectors == 1
    monkeypatch.undo()
    await refill(host)
