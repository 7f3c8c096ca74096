"""Sessions as they are listed: who worked when, what was called and changed."""

import asyncio
from typing import Any

import orjson

from bridge.settings.file import save_settings
from bridge.state.session_log import SessionEvent
from tests.features.served import Served

BEANS, RYE = "Garden/Beans.md", "Bread/Rye.md"
NOTES = {RYE: "# Rye\n\nDense bread. See [[Beans]].\n", BEANS: "# Beans\n\nSow after the last frost.\n"}


async def call(served: Served, client: str, operation: str, /, **arguments: Any) -> int:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": f"{client}/2.0"}
    headers["X-Vaultside-Session"] = f"a session of {client}"
    body = orjson.dumps(arguments)
    return (await served.request("POST", f"/api/{operation}", headers=headers, data=body)).status


async def listed(served: Served, **criteria: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await served.call("list_sessions", **criteria)).json["sessions"]
    return found


async def test_a_session_is_listed_with_its_calls_and_changes(served: Served) -> None:
    await call(served, "agent", "read_note", path=BEANS)
    await call(served, "agent", "read_note", path="Nowhere.md")
    await call(served, "agent", "edit_note", path=BEANS, edits=[{"op": "append", "text": "More."}])
    await call(served, "agent", "move_note", path=BEANS, to="Garden/Broad beans.md")
    await call(served, "other", "list_tags")
    (one,) = await listed(served, client="Agent")
    assert (one["client"], one["status"], one["ended"]) == ("agent", "active", None)
    assert (one["calls"], one["errors"]) == (4, {"note_not_found": 1})
    assert one["tools"] == {"read_note": 2, "edit_note": 1, "move_note": 1}
    assert set(one["changed"]) == {"Garden/Broad beans.md", RYE}
    assert (one["goal"], one["summary"], one["where_left_off"], one["note"]) == ("", "", "", None)
    assert one["tokens"] > 0
    changes = (await served.call("list_changes", session=one["id"])).json["changes"]
    assert {change["operation"] for change in changes} == {"edit_note", "move_note"}


async def test_sessions_are_chosen_and_paged(served: Served) -> None:
    for client in ("a", "b"):
        await call(served, client, "list_tags")
    store = served.bridge.find(None).store
    await asyncio.to_thread(store.calls.flush)
    (a,) = await listed(served, client="a")
    store.calls.record(SessionEvent(a["id"], 4_000_000_000.0, "completed"))
    assert [one["id"] for one in await listed(served, status="completed")] == [a["id"]]
    assert await listed(served, until="yesterday") == []
    everything = (await served.call("list_sessions", limit=1, offset=1)).json
    assert (len(everything["sessions"]), everything["total"]) == (1, 3)
    text = (await served.command("list-sessions", "--client", "a")).out
    assert "completed" in text
    assert a["id"] in text


async def test_what_is_denied_is_not_listed(served: Served) -> None:
    await call(served, "agent", "edit_note", path=BEANS, edits=[{"op": "append", "text": "More."}])
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Garden/**"]}))
    (one,) = await listed(served, client="agent")
    assert (one["changed"], one["calls"]) == ([], 1)
