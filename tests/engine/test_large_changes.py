"""While a change of many notes is planned and written, others change other notes; what they did meanwhile is kept."""

import asyncio
import threading
from pathlib import Path

import pytest

from bridge.changes.draft import Draft
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.many_notes import RenameTag
from bridge.changes.requests.move_note import MoveNote
from bridge.engine import transactions
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.errors import NotReady
from bridge.markdown.edit.requests import Append
from bridge.types import VaultPath
from bridge.vault.write.syscalls import SystemCalls, exchange
from tests.engine.conftest import Opened, until

BEANS, RAIN, RYE = VaultPath("Garden/Beans.md"), VaultPath("Garden/Rain.md"), VaultPath("Bread/Rye.md")
NEW, SPELT = VaultPath("Garden/New.md"), VaultPath("Bread/Spelt.md")
AGENT = Author("test", client="agent")
RENAME = RenameTag(path=BEANS, tag="garden", to="field")


async def make(host: Host, request: Request) -> tuple[str, ...]:
    return (await host.vault.executor.execute([request], AGENT)).warnings


async def make_during_plan(host: Host, request: Request, *meanwhile: Request) -> int:
    """Make changes while another is being planned; return how often that was."""
    drawn, go_on = asyncio.Event(), threading.Event()
    loop, times = asyncio.get_running_loop(), 0

    def finish(_: Draft) -> None:
        nonlocal times
        times += 1
        loop.call_soon_threadsafe(drawn.set)
        go_on.wait()

    change = asyncio.create_task(host.vault.executor.execute([request], AGENT, finish=finish))
    try:
        await drawn.wait()
        for one in meanwhile:
            await make(host, one)
    finally:
        go_on.set()
    await change
    return times


@pytest.mark.parametrize(
    ("request_", "meanwhile", "path", "text", "times"),
    [
        (RENAME, CreateNote(NEW, text="New.\n"), NEW, "New.\n", 1),
        (RENAME, EditNote(BEANS, (Append(text="Mine.\n"),)), BEANS, "#field/beans\n\nMine.\n", 2),
        (MoveNote(RYE, SPELT), CreateNote(NEW, text="[[Rye]]\n"), NEW, "[[Spelt]]\n", 2),
        (MoveNote(RYE, SPELT), EditNote(RAIN, (Append(text="[[Roggen]] [[Beans]]"),)), RAIN, "[[Beans]]\n", 1),
        (MoveNote(VaultPath("Garden"), VaultPath("Field")), CreateNote(NEW, text="x"), "Field/New.md", "x\n", 2),
    ],
)
async def test_what_others_change_while_a_change_is_planned_is_kept_and_followed(
    vault: Path, opened: Opened, request_: Request, meanwhile: Request, path: VaultPath, text: str, times: int
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        assert await make_during_plan(host, request_, meanwhile) == times
        assert (vault / path).read_text().endswith(text)


async def test_a_bridge_that_stops_leaves_a_long_change_to_the_next_start(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "STOP_AFTER_S", 0)
    writing, loop = asyncio.Event(), asyncio.get_running_loop()
    (vault / RAIN).write_text("#garden\n")
    before = (vault / BEANS).read_text()
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        stopping = host.vault.writing.writer.stopping

        def wait_for_stop(one: str, other: str, *, folder: int | None = None) -> bool:
            loop.call_soon_threadsafe(writing.set)
            stopping.wait()
            return exchange(one, other, folder=folder)

        monkeypatch.setattr(SystemCalls, "exchange", staticmethod(wait_for_stop))
        change = asyncio.create_task(make(host, RENAME))
        await writing.wait()
    with pytest.raises(NotReady, match="undone when it starts again"):
        await change
    assert (vault / BEANS).read_text() != before
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        assert ((vault / BEANS).read_text(), (vault / RAIN).read_text()) == (before, "#garden\n")
        assert host.store.journal.find_unsettled() == []
        assert host.store.journal.changes() == []


async def test_what_others_change_while_a_change_is_written_is_kept(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, go_on, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()
    monkeypatch.setattr(transactions, "LONG_S", 0)

    def hold_back(one: str, other: str, *, folder: int | None = None) -> bool:
        loop.call_soon_threadsafe(writing.set)
        go_on.wait()
        return exchange(one, other, folder=folder)

    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        monkeypatch.setattr(SystemCalls, "exchange", staticmethod(hold_back))
        change = asyncio.create_task(make(host, RENAME))
        try:
            await writing.wait()
            same = asyncio.create_task(make(host, EditNote(BEANS, (Append(text="Mine.\n"),))))
            assert await make(host, CreateNote(NEW, text="New.\n")) == ()
            assert not same.done()
        finally:
            go_on.set()
        await change
        assert await same == ("It waited 0 s for another change to end: `test`.",)
        assert (vault / BEANS).read_text().endswith("#field/beans\n\nMine.\n")
