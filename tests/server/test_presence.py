"""A bridge that nobody needs leaves, but not while a client is there, and not in the middle of its work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bridge.engine.bridge import Bridge
from bridge.server import connections
from bridge.server.connections import MAX_INDEXING_S, IdleTimer, is_indexing, shut_down_when_idle
from bridge.server.runtime_file import Runtime
from bridge.server.serve import serve
from tests.engine.conftest import until
from tests.features.served import PATIENCE_S, write_vault
from tests.server.conftest import NOTES

SOON_S = 30.0


class SetTimer(IdleTimer):
    """A timer whose clock moves only when set, and that counts how often it was asked."""

    def __init__(self) -> None:
        self.now = 0.0
        self.looks = 0
        super().__init__(lambda: self.now)

    def alone_s(self) -> float:
        self.looks += 1
        return super().alone_s()

    async def was_seen(self) -> None:
        """Wait until what is so now has been judged: by the time of the second look, the first has had its effect."""
        seen = self.looks
        await until(lambda: self.looks >= seen + 2)


@asynccontextmanager
async def leaving(
    folder: Path, monkeypatch: pytest.MonkeyPatch, there: SetTimer
) -> AsyncIterator[tuple[Runtime, asyncio.Task[None]]]:
    """Serve a vault until nobody was there for a while."""
    monkeypatch.setattr(connections, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(connections, "IdleTimer", lambda: there)
    bridge = Bridge(folder / "data", folder / "no models", [write_vault(folder / "Notes", NOTES)])
    stop, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(bridge, 0, stop, listening.set_result, {}, SOON_S))
    try:
        yield await listening, task
    finally:
        stop.set()
        await task


async def test_a_bridge_leaves_when_nobody_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = SetTimer()
    async with leaving(tmp_path, monkeypatch, there) as (_, task), asyncio.timeout(PATIENCE_S):
        there.now = SOON_S
        await there.was_seen()
        assert not task.done()
        there.now = SOON_S + 1
        await task
    assert list((tmp_path / "data" / "run").iterdir()) == []


async def test_a_client_that_is_there_holds_it_and_a_stranger_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = SetTimer()
    async with leaving(tmp_path, monkeypatch, there) as (runtime, task), asyncio.timeout(PATIENCE_S):
        headers = {"Authorization": f"Bearer {runtime.token}"}
        async with aiohttp.ClientSession() as stranger:
            async with aiohttp.ClientSession() as client:
                await (await client.post(runtime.url + "/api/status", headers=headers)).read()
                await (await stranger.get(runtime.url + "/healthz")).read()
                there.now = 10 * (SOON_S + MAX_INDEXING_S)
                await there.was_seen()
                assert not task.done()
            while not task.done():
                there.now += SOON_S
                await asyncio.sleep(0.01)


async def test_a_client_is_there_while_its_connection_is_open() -> None:
    now = [0.0]
    there = IdleTimer(lambda: now[0])
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    there.saw(writer.transport)
    now[0] = 1000.0
    assert there.alone_s() == 0.0
    writer.close()
    now[0] = 1030.0
    assert there.alone_s() == 30.0
    server.close()


async def test_the_index_is_finished_before_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LOOK_EVERY_S", 0.01)
    there, stop = SetTimer(), asyncio.Event()
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [write_vault(tmp_path / "Notes", NOTES)])
    await bridge.hold()
    # Held and not begun: the index is as far from complete as can be.
    task = asyncio.create_task(shut_down_when_idle(there, bridge, SOON_S, stop))
    try:
        assert is_indexing(bridge)
        there.now = MAX_INDEXING_S + SOON_S
        await there.was_seen()
        assert not task.done()
        there.now += 1.0
        async with asyncio.timeout(PATIENCE_S):
            await task
        bridge.begin()
        await until(lambda: not is_indexing(bridge))
        (host,) = bridge.vaults.values()
        assert host.progress().notes == len(NOTES)
    finally:
        await bridge.stop()
