"""Calls and changes over HTTP and MCP know their session, whether or not the caller names one, and how it ends."""

import asyncio
from collections.abc import Mapping

import orjson
import pytest
from starlette.requests import Request

from bridge.access.tokens import Tokens
from bridge.api.call import RUNTIME
from bridge.mcp import caller
from bridge.state.session_log import SessionFilter, SessionRecord
from tests.features.served import PATIENCE_S, Answer, Served
from tests.mcp.client import ERAS, Era, connected
from tests.server.clients import bearer, call, made

BEANS = "Garden/Beans.md"


async def append(served: Served, client: str, session: str | None, word: str) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": client}
    named = {"X-Vaultside-Session": session} if session is not None else {}
    body = orjson.dumps({"path": BEANS, "edits": [{"op": "append", "text": word}]})
    answer = await served.request("POST", "/api/edit_note", headers={**headers, **named}, data=body)
    assert answer.status == 200, answer.body


async def sessions(served: Served) -> list[tuple[str, str]]:
    """Return what was added and in which session, the oldest first."""
    changes = (await served.call("list_changes")).json["changes"]
    return [(change["diff"].rpartition("+")[2].strip(), change["session"]) for change in reversed(changes)]


async def test_a_session_is_what_the_caller_says(served: Served) -> None:
    for client, session, word in (("a", "1", "One."), ("a", "2", "Two."), ("a", "1", "Three."), ("b", "1", "Four.")):
        await append(served, client, session, word)
    told = dict(await sessions(served))
    assert told["One."] == told["Three."]
    assert len(set(told.values())) == 3
    headers = {
        "Authorization": f"Bearer {served.runtime.token}",
        "X-Vaultside-Client": "a",
        "X-Vaultside-Session": "1",
    }
    undone = await served.request("POST", "/api/undo_change", headers=headers, data=b'{"change_id": "session"}')
    assert undone.status == 200, undone.body
    text = (served.bridge.find(None).root / BEANS).read_text()
    assert [word in text for word in ("One.", "Two.", "Three.", "Four.")] == [False, True, False, True]


async def test_without_a_word_a_client_has_one_session(served: Served) -> None:
    for client, word in (("a", "One."), ("b", "Two."), ("a", "Three.")):
        await append(served, client, None, word)
    told = dict(await sessions(served))
    assert told["One."] == told["Three."] != told["Two."]
    assert (await served.call("undo_change", change_id=told["One."])).status == 200
    text = (served.bridge.find(None).root / BEANS).read_text()
    assert [word in text for word in ("One.", "Two.", "Three.")] == [False, True, False]


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_undoes_its_own_session(served: Served, era: Era) -> None:
    before = (served.bridge.find(None).root / BEANS).read_text()
    async with connected(served, era, preset="full") as client:
        for word in ("One.", "Two."):
            await client.call_tool("edit_note", {"path": BEANS, "edits": [{"op": "append", "text": word}]})
        answer = await client.call_tool("undo_change", {"change_id": "session"})
        assert not answer.is_error
    assert (served.bridge.find(None).root / BEANS).read_text() == before


async def recorded(served: Served) -> list[tuple[str, str | None]]:
    """Return the tool and the session of each call."""
    calls = await asyncio.to_thread(served.bridge.find(None).store.calls.since, 0.0)
    return [(call.tool, call.session) for call in calls if call.tool in {"edit_note", "list_tags"}]


async def test_calls_and_changes_share_their_session(served: Served) -> None:
    for client, session in (("a", "1"), ("a", None), ("b", "1")):
        await append(served, client, session, f"From {client} {session}.")
    await served.command("list-tags")
    await served.command("edit-note", BEANS, "--edits", '[{"op": "append", "text": "By hand."}]')
    calls, changes = await recorded(served), await sessions(served)
    assert [session for tool, session in calls if tool == "edit_note"] == [session for _, session in changes]
    by_command = {session for tool, session in calls[-2:]}
    assert len(by_command) == 1
    assert len({session for _, session in changes}) == 4


@pytest.mark.parametrize("era", ERAS)
async def test_calls_of_an_agent_share_the_session_of_its_changes(served: Served, era: Era) -> None:
    async with connected(served, era, preset="full") as client:
        await client.call_tool("list_tags", {})
        await client.call_tool("edit_note", {"path": BEANS, "edits": [{"op": "append", "text": "One."}]})
    calls = await recorded(served)
    assert {session for _, session in calls} == {session for _, session in await sessions(served)}
    assert len(calls) == 2


async def ended(served: Served, client: str) -> SessionRecord:
    """Wait until the only session of a client has ended."""
    store = served.bridge.find(None).store
    async with asyncio.timeout(PATIENCE_S):
        while True:
            await asyncio.to_thread(store.calls.flush)
            found, _ = await asyncio.to_thread(store.sessions.page, SessionFilter(client=client), 10)
            if found and found[0].state == "completed":
                assert len(found) == 1
                return found[0]
            await asyncio.sleep(0.01)


async def test_closing_a_session_of_the_older_era_ends_it(served: Served) -> None:
    async with connected(served, "legacy", token=made(served, "Cursor", "read")) as client:
        await client.call_tool("list_tags", {})
    one = await ended(served, "Cursor")
    assert one.ended is not None
    assert one.ended >= one.seen >= one.started


async def test_a_session_that_a_caller_names_is_ended_by_its_name(served: Served) -> None:
    mine = made(served, "Cursor", "read", "write")
    for token, client in ((served.runtime.token, "a"), (served.runtime.token, "b"), (mine, None)):
        headers = {**bearer(token, client), "X-Vaultside-Session": "1"}
        assert (await call(served, headers, "list_tags")).status == 200
    assert (await delete(served, {**bearer(mine), "X-Vaultside-Session": "1"})).status == 204
    await asyncio.to_thread(served.bridge.find(None).store.calls.flush)
    found, _ = served.bridge.find(None).store.sessions.page(SessionFilter(state="active"), 10)
    # A client with a token ends only its own.
    assert {one.client for one in found} >= {"a", "b"}
    assert "Cursor" not in {one.client for one in found}
    assert (await delete(served, bearer(mine))).status == 400


async def delete(served: Served, headers: Mapping[str, str]) -> Answer:
    return await served.request("DELETE", "/mcp", headers=headers)


@pytest.mark.parametrize("resumed", [False, True])
async def test_a_broken_stream_ends_a_session_unless_it_is_resumed(
    served: Served, monkeypatch: pytest.MonkeyPatch, *, resumed: bool
) -> None:
    monkeypatch.setattr(caller, "RESUME_S", 0.0)
    headers = {**bearer(served.runtime.token, "a"), "X-Vaultside-Session": "1"}
    request = Request(
        {
            "type": "http",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "state": {"principal": RUNTIME},
        }
    )
    ends = caller.SessionEnds(served.bridge)
    looked, end = asyncio.Event(), ends._end_unless_resumed

    def end_and_tell(client: str | None, name: str) -> None:
        end(client, name)
        looked.set()

    monkeypatch.setattr(ends, "_end_unless_resumed", end_and_tell)
    await call(served, headers, "list_tags")
    async with ends.stream(request):
        assert "a" in served.bridge.sessions.clients()
    if resumed:
        async with ends.stream(request), asyncio.timeout(PATIENCE_S):
            await looked.wait()
            assert "a" in served.bridge.sessions.clients()
    await ended(served, "a")


async def test_a_revoked_client_has_no_open_session(served: Served) -> None:
    token = made(served, "Cursor", "read")
    await call(served, bearer(token), "list_tags")
    Tokens(served.bridge.folders.tokens).revoke("Cursor")
    await ended(served, "Cursor")
