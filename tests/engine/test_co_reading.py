"""Notes that programs read together draw each other up: from the recorded calls to the answer."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.api.call import RUNTIME, Call
from bridge.api.dispatch import dispatch_call
from bridge.api.schemas import encode
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.features import get_operation
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import VaultPath
from tests.engine.conftest import Opened, until

RYE, BEANS, RAIN = (VaultPath(path) for path in ("Bread/Rye.md", "Garden/Beans.md", "Garden/Rain.md"))


@pytest.fixture
async def bridge(opened: Opened, vault: Path, tmp_path: Path) -> AsyncIterator[Bridge]:
    """Without a model, which says nothing here."""
    async with opened(vault, models=tmp_path / "none") as found:
        await until(lambda: found.find(None).progress().ready_keyword)
        yield found


def only(bridge: Bridge) -> Host:
    return bridge.find(None)


async def read(bridge: Bridge, *paths: VaultPath, session: str = "s1") -> None:
    """Read notes as an agent does."""
    call = Call(bridge, RUNTIME, client="agent/1", session=session, transport="mcp")
    for path in paths:
        await dispatch_call(get_operation("read_note"), call, {"path": path}, encode)


async def near(bridge: Bridge) -> dict[VaultPath, set[VaultPath]]:
    await only(bridge).vault.co_reading.look()
    return {path: set(others) for path, others in only(bridge).vault.co_reading.co_reading.beside.items()}


async def test_what_an_agent_reads_in_one_session_is_co_read_and_said_in_searches(bridge: Bridge) -> None:
    await read(bridge, RYE, RAIN)
    await read(bridge, BEANS, session="s2")
    assert await near(bridge) == {RYE: {RAIN}, RAIN: {RYE}}
    request = SearchRequest("dense bread from the north falls", mode="keyword")
    found = await search(only(bridge).vault.sources(), request)
    why = {hit.path: hit.why for hit in found.hits}
    assert why[RAIN] == ("says “falls”", "read together with *Rye* lately")


async def test_a_search_has_it_brought_up_to_date_without_waiting(bridge: Bridge) -> None:
    host = only(bridge)
    await read(bridge, RYE, RAIN)
    host.vault.co_reading.use(host.settings)
    assert not host.vault.sources().co_reading.beside
    await until(lambda: bool(host.vault.co_reading.co_reading.beside))


async def test_notes_that_were_found_and_not_read_are_not_co_read(bridge: Bridge) -> None:
    call = Call(bridge, RUNTIME, client="agent/1", session="s1", transport="mcp")
    await dispatch_call(get_operation("search"), call, {"query": "bread"}, encode)
    await dispatch_call(get_operation("find_notes"), call, {}, encode)
    assert await near(bridge) == {}


async def test_a_note_that_is_denied_is_out_of_it_and_one_that_is_moved_stays_in_it(
    bridge: Bridge, vault: Path
) -> None:
    host = only(bridge)
    await read(bridge, RYE, RAIN, BEANS)
    moved = VaultPath("Garden/Water.md")
    (vault / RAIN).rename(vault / moved)
    await host.vault.indexer.look_at([RAIN, moved])
    assert await near(bridge) == {RYE: {moved, BEANS}, moved: {RYE, BEANS}, BEANS: {RYE, moved}}
    await host.use(replace(host.settings, deny=("Bread/**",)))
    assert host.vault.co_reading.co_reading.beside.keys() <= {moved, BEANS}
    assert await near(bridge) == {moved: {BEANS}, BEANS: {moved}}


async def test_it_can_be_switched_off(bridge: Bridge) -> None:
    host = only(bridge)
    await read(bridge, RYE, RAIN)
    await host.use(replace(host.settings, read_together_percent=0))
    assert await near(bridge) == {}
    assert host.vault.sources().co_reading.weight == 0
    await host.use(replace(host.settings, read_together_percent=10))
    assert await near(bridge) == {RYE: {RAIN}, RAIN: {RYE}}
    assert host.vault.sources().co_reading.weight == 0.1
