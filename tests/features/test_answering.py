"""Every call leaves a record of who called what and how it ended, and none of what was asked or answered."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.api.call import OWNER, Call, Principal
from bridge.api.dispatch import dispatch_call
from bridge.api.schemas import encode
from bridge.api.write import session_of
from bridge.errors import NotReady
from bridge.features import get_operation
from bridge.features.notes import read
from bridge.index import passages
from bridge.state.call_log import CallRecord
from bridge.text.budget import estimate_tokens
from tests.features.served import Served, command, serving, write_vault

NOTES = {"Bread/Rye.md": "# Rye\nSour and dark. [[Wheat]]\n", "Wheat.md": "# Wheat\nlight\n"}


async def calls(served: Served, tool: str) -> list[CallRecord]:
    """Return what is recorded of a tool."""
    store = served.bridge.find(None).store
    return [call for call in await asyncio.to_thread(store.calls.since, 0.0) if call.tool == tool]


def call(served: Served, **facts: Any) -> Call:
    return Call(served.bridge, **{"principal": OWNER, "client": "some-agent/2.0", "transport": "mcp", **facts})


async def test_a_call_over_http_is_recorded(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "User-Agent": "my-script/1.2 (linux) aiohttp/3"}
    answered = await served.request("POST", "/api/search", headers=headers, data=b'{"query": "zymurgical sour"}')
    (made,) = await calls(served, "search")
    assert (made.client, made.version, made.transport) == ("my-script", "1.2", "http")
    session = await asyncio.to_thread(served.bridge.find(None).store.sessions.find, made.session or "")
    assert session is not None
    assert session.client == "my-script"
    assert (made.code, made.tokens, made.paths) == (None, estimate_tokens(answered.body.decode()), ("Bread/Rye.md",))
    assert made.ms > 0


async def test_a_refusal_is_recorded_with_its_code_and_without_what_is_no_note(served: Served) -> None:
    refused = await served.call("read_note", path="Bread/Ryes secret.md")
    (made,) = await calls(served, "read_note")
    assert (made.code, made.paths, made.tokens) == ("note_not_found", (), estimate_tokens(refused.body.decode()))


async def test_notes_that_were_asked_for_come_first(served: Served) -> None:
    await served.call("note_links", path="Bread/Rye.md")
    await served.call("reindex", paths=["Wheat.md", "gone.md", "Bread/Rye.md"])
    assert [made.paths for made in await calls(served, "note_links")] == [("Bread/Rye.md", "Wheat.md")]
    assert [made.paths for made in await calls(served, "reindex")] == [("Wheat.md", "Bread/Rye.md")]


async def test_only_so_many_notes_of_a_call_are_kept(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {f"{n:02}.md": "bread" for n in range(50)})
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await served.call("find_notes")
        (made,) = await calls(served, "find_notes")
        assert made.paths == tuple(f"{n:02}.md" for n in range(20))


async def test_nothing_of_what_was_asked_or_answered_is_kept(served: Served) -> None:
    await served.call("search", query="zymurgical sour")
    await served.call("read_note", path="Bread/Rye.md")
    await served.call("search", qwertz="zymurgical")
    host = served.bridge.find(None)
    await asyncio.to_thread(host.store.back_up)
    files = list(served.bridge.folders.vault(host.id).glob("state.sqlite*"))
    assert files
    for file in files:
        for word in (b"zymurgical", b"Sour and dark", b"qwertz"):
            assert word not in file.read_bytes()


async def test_a_client_with_a_token_of_its_own_has_the_name_it_was_given(served: Served) -> None:
    paired = Principal("kitchen-agent", frozenset({"read"}))
    await dispatch_call(
        get_operation("status"), call(served, principal=paired, client="Liar/9.1", session="s7"), {}, encode
    )
    made = (await calls(served, "status"))[-1]
    assert (made.client, made.version, made.transport) == ("kitchen-agent", "9.1", "mcp")
    assert made.session == session_of(call(served, principal=paired, session="s7")) != "s7", "as with its changes"


async def test_what_a_client_calls_itself_is_cut_to_a_name(served: Served) -> None:
    await dispatch_call(get_operation("status"), call(served, client="a\x1b[31m" + "b" * 500), {}, encode)
    name = (await calls(served, "status"))[-1].client
    assert name is not None
    assert (len(name), "\x1b" in name) == (61, False)


async def test_the_form_that_is_sent_is_what_counts(served: Served) -> None:
    said = await dispatch_call(get_operation("list_tags"), call(served), {}, lambda _: "ü" * 9)
    assert said == "ü" * 9
    assert [made.tokens for made in await calls(served, "list_tags")] == [4]


async def test_what_may_be_as_long_as_a_vault_is_done_in_threads(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: dict[str, bool] = {}

    def watched(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def do(*given: Any) -> Any:
            done[name] = threading.current_thread() is not threading.main_thread()
            return work(*given)

        return do

    for module, name in ((read, "outline_note"), (read, "slice_note"), (passages, "decode_wholes")):
        monkeypatch.setattr(module, name, watched(name, getattr(module, name)))
    form = watched("form", encode)
    asked = {"path": "Bread/Rye.md"}
    await dispatch_call(get_operation("read_note"), call(served), asked, form)
    await dispatch_call(get_operation("read_note"), call(served), {**asked, "outline": True}, form)
    await dispatch_call(get_operation("link_report"), call(served), {}, form)
    assert done == dict.fromkeys(("outline_note", "slice_note", "decode_wholes", "form"), True)


async def test_a_call_that_is_cancelled_or_fails_is_recorded_as_such(served: Served) -> None:
    waiting = {"path": "Wheat.md", "digest": "0" * 64, "timeout": 60}
    task = asyncio.create_task(dispatch_call(get_operation("wait_until_indexed"), call(served), waiting, encode))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [made.code for made in await calls(served, "wait_until_indexed")] == ["cancelled"]

    def cannot(_: object) -> bytes:
        raise ValueError("no form")

    with pytest.raises(ValueError, match="no form"):
        await dispatch_call(get_operation("list_folders"), call(served), {}, cannot)
    assert [made.code for made in await calls(served, "list_folders")] == ["internal"]


async def test_what_is_about_no_vault_is_recorded_by_the_first(tmp_path: Path) -> None:
    vaults = [write_vault(tmp_path / name, NOTES) for name in ("One", "Two")]
    async with serving(vaults, tmp_path / "data", tmp_path / "models") as served:
        await served.call("doctor")
        await served.call("doctor", vault="Two")
        await served.call("list_tags", vault="Two")
        await served.call("list_tags")
        stores = [served.bridge.find(name).store for name in ("One", "Two")]
        tools = [[made.tool for made in await asyncio.to_thread(store.calls.since, 0.0)] for store in stores]
        assert [tool for tool in tools[0] if tool != "status"] == ["doctor"]
        assert tools[1] == ["doctor", "list_tags"]


async def test_a_vault_that_is_not_open_answers_all_the_same(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.bridge.find(None), "_store", None)
    assert b"vaults" in await dispatch_call(get_operation("status"), call(served), {}, encode)
    monkeypatch.setattr(served.bridge.find(None), "_vault", None)
    with pytest.raises(NotReady):
        await dispatch_call(get_operation("list_tags"), call(served), {}, encode)


async def test_a_command_that_opens_the_vault_itself_is_recorded(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    ran = await command("list-tags", "--vault", str(vault), data=tmp_path / "data", models=tmp_path / "models")
    assert ran.status == 0, ran.err
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        (made,) = await calls(served, "list_tags")
        assert (made.client, made.transport, made.code) == ("vaultside", "command", None)
