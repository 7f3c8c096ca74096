"""A bridge that nobody needs leaves, but not while a client is there, and not in the middle of its work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bridge.engine.bridge import Bridge
from bridge.server import presence
from bridge.server.presence import MAX_INDEXING_S, IdleTimer, is_indexing, shut_down_when_idle
from bridge.server.runtime_file import Runtime
from bridge.server.serve import serve
from tests.engine.conftest import until
from tests.features.served import write_vault
from tests.server.conftest import NOTES

SOON_S = 0.05
LONG_S = 0.5
"""Ten times as long as a bridge stays alone here."""


@asynccontextmanager
async def leaving(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Runtime, asyncio.Task[None]]]:
    """Serve a vault until nobody was there for a moment."""
    monkeypatch.setattr(presence, "LOOK_EVERY_S", 0.01)
    bridge = Bridge(folder / "data", folder / "no models", [write_vault(folder / "Notes", NOTES)])
    stop, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(bridge, 0, stop, listening.set_result, {}, SOON_S))
    try:
        yield await listening, task
    finally:
        stop.set()
        await task


async def test_a_bridge_leaves_when_nobody_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with leaving(tmp_path, monkeypatch) as (_, task), asyncio.timeout(60):
        await task
    assert list((tmp_path / "data" / "run").iterdir()) == []


async def test_a_client_that_is_there_holds_it_and_a_stranger_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with leaving(tmp_path, monkeypatch) as (runtime, task), asyncio.timeout(60):
        headers = {"Authorization": f"Bearer {runtime.token}"}
        async with aiohttp.ClientSession() as stranger:
            async with aiohttp.ClientSession() as client:
                await (await client.post(runtime.url + "/api/status", headers=headers)).read()
                await (await stranger.get(runtime.url + "/healthz")).read()
                assert (await asyncio.wait({task}, timeout=LONG_S))[0] == set()
            await task


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
    monkeypatch.setattr(presence, "LOOK_EVERY_S", 0.01)
    now = [0.0]
    there, stop = IdleTimer(lambda: now[0]), asyncio.Event()
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [write_vault(tmp_path / "Notes", NOTES)])
    await bridge.hold()
    # Held and not begun: the index is as far from complete as can be.
    task = asyncio.create_task(shut_down_when_idle(there, bridge, SOON_S, stop))
    try:
        assert is_indexing(bridge)
        now[0] = MAX_INDEXING_S
        assert (await asyncio.wait({task}, timeout=LONG_S))[0] == set()
        now[0] += 1.0
        async with asyncio.timeout(60):
            await task
        bridge.begin()
        await until(lambda: not is_indexing(bridge))
        (host,) = bridge.vaults.values()
        assert host.progress().notes == len(NOTES)
    finally:
        await bridge.stop()
