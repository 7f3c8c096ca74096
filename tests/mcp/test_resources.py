"""Notes as resources: listed, read, missing, and told about when they change, in both eras."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from bridge.events import Event, IndexProgress, NoteUpdate, PendingCounts, Reset, SentEvent
from bridge.mcp import endpoint
from bridge.mcp.endpoint import McpSessions
from bridge.types import VaultPath
from tests.features.served import PATIENCE_S, Served, serving, write_vault
from tests.mcp.client import ERAS, Era, connected

pytestmark = pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")

BOTH = pytest.mark.parametrize("era", ERAS)


def address(served: Served, path: str) -> str:
    return f"vault://{served.bridge.find(None).id}/{path}"


@BOTH
async def test_notes_are_listed_by_last_change(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    new = root / "New & odd?.md"
    new.write_text("Odd.\n")
    os.utime(new, (new.stat().st_mtime + 60,) * 2)
    await served.call("wait_until_indexed", path="New & odd?.md", timeout=PATIENCE_S)
    async with connected(served, era) as client:
        listed = await client.list_resources()
        first = listed.resources[0]
        assert (first.uri, first.name, first.title) == (
            address(served, "New%20%26%20odd%3F.md"),
            "New & odd?.md",
            "New & odd?",
        )
        assert first.annotations is not None
        assert first.annotations.last_modified is not None
        assert (len(listed.resources), listed.next_cursor) == (3, None)
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "vault://{vault}/{+path}"


@BOTH
async def test_many_notes_come_on_pages(tmp_path: Path, era: Era) -> None:
    one = write_vault(tmp_path / "One", {f"{number}.md": "x" for number in range(130)})
    two = write_vault(tmp_path / "Two", {"B.md": "y"})
    async with (
        serving([one, two], tmp_path / "data", tmp_path / "no models") as served,
        connected(served, era) as client,
    ):
        found, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = await client.list_resources(cursor=cursor)
            found += [resource.uri for resource in page.resources]
            cursor, pages = page.next_cursor, pages + 1
        assert (len(found), len(set(found)), pages) == (131, 131, 3)
        assert found[-1] == f"vault://{served.bridge.find('Two').id}/B.md"
        with pytest.raises(MCPError) as refused:
            await client.list_resources(cursor="nonsense")
        assert refused.value.error.code == -32602


@BOTH
@pytest.mark.parametrize("written", ["Bread/Rye.md", "Bread%2FRye.md", "Bread/R%79e.md"])
async def test_a_note_is_read_by_name_or_id(served: Served, era: Era, written: str) -> None:
    async with connected(served, era) as client:
        for vault in ("Notes", served.bridge.find(None).id):
            (content,) = (await client.read_resource(f"vault://{vault}/{written}")).contents
            assert content.mime_type == "text/markdown"
            assert getattr(content, "text", "").startswith("# Rye\n")


@BOTH
@pytest.mark.parametrize(
    "uri", ["vault://Notes/Nope.md", "vault://Elsewhere/A.md", "vault://Notes/../a.md", "file:///x"]
)
async def test_a_missing_note_is_told_as_each_era_does(served: Served, era: Era, uri: str) -> None:
    async with connected(served, era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
    assert refused.value.error.code == {"legacy": -32002, "auto": -32602}[era]
    assert refused.value.error.data["uri"] == uri


@asynccontextmanager
async def editing(served: Served) -> AsyncIterator[None]:
    """Change a note and add others for as long as a block waits: a session hears only once its stream is open."""
    root = served.bridge.find(None).root

    async def edit() -> None:
        for number in itertools.count():
            (root / "Bread/Rye.md").write_text(f"# Rye\n\nLighter by {number}.\n")
            (root / f"Bread/Oat {number}.md").write_text("# Oat\n")
            for path in ("Bread/Rye.md", f"Bread/Oat {number}.md"):
                assert (await served.call("wait_until_indexed", path=path, timeout=PATIENCE_S)).json["indexed"]

    task = asyncio.create_task(edit())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_session_hears_of_changes(served: Served) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    uri = address(served, "Bread/Rye.md")
    async with connected(served, "legacy", message_handler=heard.put) as client:
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.subscribe
        assert client.server_capabilities.resources.list_changed
        await client.subscribe_resource(uri)
        told: list[Any] = []
        async with editing(served):
            while {message.method for message in told} != {
                "notifications/resources/updated",
                "notifications/resources/list_changed",
            }:
                told.append(await heard.get())
        assert {m.params.uri for m in told if m.method == "notifications/resources/updated"} == {uri}


async def test_a_listener_hears_of_changes(served: Served) -> None:
    uri = address(served, "Bread/Rye.md")
    async with (
        connected(served) as client,
        client.listen(resource_subscriptions=[uri], resources_list_changed=True) as events,
        editing(served),
    ):
        told: set[Any] = set()
        async for event in events:
            told.add(event)
            if {type(event) for event in told} == {ResourceUpdated, ResourcesListChanged}:
                break
        assert ResourceUpdated(uri=uri) in told


async def test_a_session_forgets_what_it_unsubscribes(served: Served) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    uri = address(served, "Bread/Rye.md")
    async with connected(served, "legacy", message_handler=heard.put) as client:
        await client.subscribe_resource(uri)
        await client.unsubscribe_resource(uri)
        async with editing(served):
            while (message := await heard.get()).method != "notifications/resources/list_changed":
                assert message.method != "notifications/resources/updated"


async def test_a_session_is_forgotten_when_the_library_has_ended_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[McpSessions] = []

    class KnownSessions(McpSessions):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(endpoint, "McpSessions", KnownSessions)
    monkeypatch.setattr(endpoint, "IDLE_S", 0.1)
    heard: asyncio.Queue[Any] = asyncio.Queue()
    async with connected(served, "legacy", message_handler=heard.put) as client:
        await client.subscribe_resource(address(served, "Bread/Rye.md"))
        # Its stream is open, however long it calls nothing.
        async with editing(served):
            for _ in range(3):
                while (await heard.get()).method != "notifications/resources/updated":
                    pass
    async with asyncio.timeout(PATIENCE_S):
        while made[0]._subscriptions or made[0]._timers or made[0]._requests:
            await asyncio.sleep(0.01)


def test_the_list_changes_only_with_what_is_in_it() -> None:
    counts: dict[str | None, int] = {"one": 2}

    def changes(event: Event, vault: str = "one") -> bool:
        return endpoint.changes_list(SentEvent(1, vault, event), counts)

    nothing = PendingCounts(0, 0)
    assert not changes(NoteUpdate(VaultPath("A.md"), "indexed"))
    assert not changes(IndexProgress(nothing, 2))
    assert changes(IndexProgress(nothing, 3))
    assert not changes(IndexProgress(nothing, 3))
    assert changes(NoteUpdate(VaultPath("A.md"), "gone"))
    assert changes(IndexProgress(nothing, 3), "another")
    assert changes(Reset())
