"""Changes over HTTP and MCP know their session, whether or not the caller names one."""

import asyncio

import orjson
import pytest

from tests.features.served import Served
from tests.mcp.client import ERAS, Era, connected

BEANS = "Garden/Beans.md"


async def append(served: Served, client: str, session: str | None, word: str) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vault-Bridge-Client": client}
    named = {"X-Vault-Bridge-Session": session} if session is not None else {}
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
        "X-Vault-Bridge-Client": "a",
        "X-Vault-Bridge-Session": "1",
    }
    undone = await served.request("POST", "/api/undo_session", headers=headers)
    assert undone.status == 200, undone.body
    text = (served.bridge.find(None).root / BEANS).read_text()
    assert [word in text for word in ("One.", "Two.", "Three.", "Four.")] == [False, True, False, True]


async def test_without_a_word_a_client_has_one_session(served: Served) -> None:
    for client, word in (("a", "One."), ("b", "Two."), ("a", "Three.")):
        await append(served, client, None, word)
    told = dict(await sessions(served))
    assert told["One."] == told["Three."] != told["Two."]
    assert (await served.call("undo_session", session=told["One."])).status == 200
    text = (served.bridge.find(None).root / BEANS).read_text()
    assert [word in text for word in ("One.", "Two.", "Three.")] == [False, True, False]


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_undoes_its_own_session(served: Served, era: Era) -> None:
    before = (served.bridge.find(None).root / BEANS).read_text()
    async with connected(served, era, preset="full") as client:
        for word in ("One.", "Two."):
            await client.call_tool("edit_note", {"path": BEANS, "edits": [{"op": "append", "text": word}]})
        answer = await client.call_tool("undo_session", {})
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
