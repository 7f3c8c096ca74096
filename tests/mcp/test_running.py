"""What happens while a tool runs: progress, and the end of it when nobody waits any more."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge.api.call import RUNTIME, Call
from bridge.api.feature import Feature
from bridge.api.registry import OPERATIONS, add_operations, operation
from bridge.engine.bridge import Bridge
from bridge.engine.parser_pool import MAX_NOTES_WITHOUT_POOL
from bridge.features import get_operation
from bridge.features.status import indexing
from bridge.mcp.caller import Caller
from bridge.records import Record
from tests.features.served import PATIENCE_S, Served, serving, write_vault
from tests.holding import hold_reading
from tests.mcp.client import ERAS, Era, connected, text_of
from tests.mcp.test_guard import post

BOTH = pytest.mark.parametrize("era", ERAS)


class Slept(Record):
    """Nothing.

    Attributes:
        rested: Never.
    """

    rested: bool


@dataclass(slots=True)
class Sleeper:
    """What became of an operation that never ends by itself."""

    began: asyncio.Event
    stopped: asyncio.Event


async def soon(event: asyncio.Event) -> None:
    """Wait for an event, but not for ever."""
    async with asyncio.timeout(PATIENCE_S):
        await event.wait()


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    seen = Sleeper(asyncio.Event(), asyncio.Event())

    async def sleep_for_ever(call: Call) -> Slept:  # noqa: ARG001
        """Sleep until cancelled."""
        seen.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            seen.stopped.set()
        return Slept(rested=True)

    add_operations(Feature("sleep", (operation(example={}, vault=False)(sleep_for_ever),)))
    yield seen
    del OPERATIONS["sleep_for_ever"]


@BOTH
async def test_waiting_tells_progress(served: Served, era: Era, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine a second may pass, after which it would be told again.
    monkeypatch.setattr(indexing, "EVERY_S", PATIENCE_S)
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with connected(served, era, preset="full") as client:
        arguments = {"path": "Bread/Rye.md", "digest": "0" * 64, "timeout": 0.2}
        answer = await client.call_tool("wait_until_indexed", arguments, progress_callback=heard)
        assert answer.structured_content == {"indexed": False}
        async with asyncio.timeout(PATIENCE_S):
            while not told:
                await asyncio.sleep(0.01)
    assert told == [(0, 0.2, "Waiting for `Bread/Rye.md`")]


@BOTH
async def test_a_job_can_be_waited_for(served: Served, era: Era) -> None:
    async with connected(served, era, preset="full") as client:
        job = (await client.call_tool("reindex", {"full": True})).structured_content
        assert job is not None
        done = (await client.call_tool("job_status", {"job_id": job["job_id"], "wait": PATIENCE_S})).structured_content
        assert done is not None
        assert (done["state"], done["done"]) == ("done", 2)


@BOTH
async def test_cancelling_a_call_stops_the_work(served: Served, era: Era, sleeper: Sleeper) -> None:
    async with connected(served, era, preset="full") as client:
        calling = asyncio.create_task(client.call_tool("sleep_for_ever"))
        await soon(sleeper.began)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await soon(sleeper.stopped)
        assert "Garden/Beans.md" in text_of(await client.call_tool("search", {"query": "frost"}))


async def test_an_id_is_refused_while_its_request_is_under_way(served: Served, sleeper: Sleeper) -> None:
    session = (await post(served, {})).headers["mcp-session-id"]
    headers: dict[str, str | None] = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    sleeping = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"sleep_for_ever"}}'
    listing = b'{"jsonrpc":"2.0","id":"5","method":"tools/list"}'
    calling = asyncio.create_task(post(served, headers, sleeping))
    await soon(sleeper.began)
    refused = await post(served, headers, listing)
    assert (refused.status, refused.json["id"], refused.json["error"]["code"]) == (409, "5", -32600)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    assert (await post(served, headers, listing)).status == 409
    cancellation = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}'
    assert (await post(served, headers, cancellation)).status == 202
    await soon(sleeper.stopped)
    assert b'"tools"' in (await post(served, headers, listing)).body


async def test_a_client_that_vanishes_stops_its_work(served: Served, sleeper: Sleeper) -> None:
    """In the newer era the end of the stream is the end of the call."""
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep_for_ever","_meta":'
        b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
    )
    head = (
        "POST /mcp?preset=full HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sleep_for_ever\r\n"
        "Content-Length: {length}\r\n\r\n"
    )
    host = served.runtime.url.removeprefix("http://")
    _, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(head.format(host=host, token=served.runtime.token, length=len(body)).encode() + body)
    await soon(sleeper.began)
    writer.close()
    await soon(sleeper.stopped)


@BOTH
async def test_the_end_of_the_server_ends_running_calls(tmp_path: Path, era: Era, sleeper: Sleeper) -> None:
    vault = write_vault(tmp_path / "Notes", {"Note.md": "Words.\n"})
    server = serving([vault], tmp_path / "data", tmp_path / "no models")
    async with connected(await server.__aenter__(), era, preset="full") as client:
        calling = asyncio.create_task(client.call_tool("sleep_for_ever"))
        await soon(sleeper.began)
        await server.__aexit__(None, None, None)
        await soon(sleeper.stopped)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)


async def test_a_call_waits_for_a_vault_that_is_just_being_opened(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"Rye.md": "Dark bread.\n"})
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault])
    await bridge.start()
    try:
        caller = Caller(bridge, RUNTIME, "default", client=None, session=None, vault=None)
        answer, _ = await caller.ask(get_operation("search"), {"query": "dark bread"})
        assert [hit.path for hit in answer.hits] == ["Rye.md"]
    finally:
        await bridge.stop()


@pytest.fixture
def may_read(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    return hold_reading(monkeypatch)


async def test_a_search_waits_for_no_more_than_it_needs(tmp_path: Path, may_read: asyncio.Event) -> None:
    notes = {
        f"{number}.md": f"# {number}\n\n" + f"Diary {number}.\n\n" * 40 for number in range(2 * MAX_NOTES_WITHOUT_POOL)
    }
    vault = write_vault(tmp_path / "Notes", {**notes, "Rye.md": "Dark bread. #loaf\n"})
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault])
    await bridge.start()
    try:
        caller = Caller(bridge, RUNTIME, "default", client=None, session=None, vault=None)
        answer, _ = await caller.ask(get_operation("search"), {"query": "dark bread"})
        assert [hit.path for hit in answer.hits] == ["Rye.md"]
        answer, _ = await caller.ask(get_operation("search"), {"query": "dark bread", "passage_tokens": 400})
        assert [hit.passages[0].form for hit in answer.hits] == ["note"]
        assert not bridge.find(None).progress().ready_keyword
        # What depends on all notes waits for them.
        may_read.set()
        answer, _ = await caller.ask(get_operation("search"), {"query": "bread", "tags": ["loaf"]})
        assert [hit.path for hit in answer.hits] == ["Rye.md"]
        assert bridge.find(None).progress().ready_keyword
    finally:
        await bridge.stop()
