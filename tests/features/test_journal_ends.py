"""How journals end where the world changes under a session: its client is revoked, or the clock is set back."""

from pathlib import Path

import orjson
import pytest

from bridge.access.tokens import Tokens
from bridge.state.session_log import SessionFilter
from tests.features.served import Served
from tests.features.test_journals import EDIT, NOTES, begin, having, recorded_journals, swift, until
from tests.mcp.client import connected

__all__ = ["NOTES", "swift"]


async def test_the_journal_of_a_revoked_client_is_completed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.engine.bridge.LOOK_AT_SETTINGS_S", 0.05)
    folder, tokens = await begin(served), Tokens(served.bridge.folders.tokens)
    token = tokens.create("quill", ["read", "write"])[1]
    async with connected(served, "legacy", preset="full", token=token) as agent:
        await agent.call_tool("save_session", {"outcomes": ["The beans are sown"]})
        proposed = await agent.call_tool("edit_note", EDIT)
        assert not proposed.is_error
        await until(having(folder, "status: active", "The beans are sown", "[[Garden/Beans|Beans]]"))
        tokens.revoke("quill")
        # The client is still connected, and can do nothing any more.
        path: Path = await until(having(folder, "status: completed"))
        headers, body = {"Authorization": f"Bearer {token}"}, orjson.dumps({"outcomes": ["Unheard"]})
        refused = await served.request("POST", "/api/save_session", headers=headers, data=body)
        assert (refused.status, refused.code) == (401, "unauthorized")
    [listed] = (await served.call("list_sessions", client="quill")).json["sessions"]
    assert (listed["status"], listed["note"]) == ("completed", f"Agents/Sessions/{path.name}")
    assert "Unheard" not in path.read_text()
    [waiting] = (await served.call("list_changes", state="proposed")).json["changes"]
    assert waiting["client"] == "quill"


async def test_what_follows_a_clock_set_back_is_added_to_an_edited_journal(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("edit_note", EDIT)
        path: Path = await until(having(folder, "edit_note"))
        path.write_bytes(path.read_bytes() + b"\nMine.\n")
        await served.call("wait_until_indexed", path=f"Agents/Sessions/{path.name}", timeout=60)
        # What was written so far has the times of a clock that was two days ahead.
        served.bridge.find(None).store.database.write("UPDATE change SET time = time + ?", (172_800,))
        await agent.call_tool("edit_note", EDIT | {"path": "Notes/1.md"})
        await until(having(folder, "Notes/1|1]]: edit_note"))
    assert path.read_text().count("[[Notes/1|1]]: edit_note") == 1


async def test_a_journal_whose_record_a_crash_prevented_is_taken_up_again(served: Served) -> None:
    folder = await begin(served)
    async with connected(served, "legacy", preset="full") as agent:
        await agent.call_tool("save_session", {"outcomes": ["The beans are sown"]})
        path: Path = await until(having(folder, "The beans are sown"))
        sessions = served.bridge.find(None).store.sessions
        [session] = [one for one in sessions.page(SessionFilter(), 9)[0] if one.note is not None]
        sessions.set_note(session.id, None)
        await agent.call_tool("edit_note", EDIT)
        await until(having(folder, "The beans are sown", "edit_note"))
        assert recorded_journals(served) == [f"Agents/Sessions/{path.name}"]
        sessions.set_note(session.id, None)
        await agent.call_tool("save_session", {"outcomes": ["So are the peas"]})
        await until(having(folder, "The beans are sown", "So are the peas"))
    assert await until(having(folder, "status: completed")) == path
