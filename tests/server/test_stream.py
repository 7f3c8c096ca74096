"""Events as a stream."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.events import ApplyChange, ChangeRecorded, IndexProgress, PendingCounts
from bridge.server import routes
from bridge.types import VaultPath
from tests.features.served import PATIENCE_S, Served


class Reader:
    """Reads a stream of events."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def block(self) -> bytes:
        """Read up to the next empty line."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._response.content.readuntil(b"\n\n")

    async def event(self, kind: str | None = None) -> tuple[int, str, Any]:
        """Read the next event, of a kind if one is named."""
        while True:
            fields = dict(line.split(b": ", 1) for line in (await self.block()).splitlines() if b": " in line)
            if b"event" in fields and kind in {None, fields[b"event"].decode()}:
                return int(fields[b"id"]), fields[b"event"].decode(), orjson.loads(fields[b"data"])


@asynccontextmanager
async def listening(served: Served, last: str | None = None) -> AsyncIterator[Reader]:
    headers = {"Authorization": f"Bearer {served.runtime.token}"} | ({"Last-Event-ID": last} if last else {})
    async with (
        aiohttp.ClientSession() as session,
        session.get(served.runtime.url + "/api/events", headers=headers) as response,
    ):
        assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
        reader = Reader(response)
        assert (await reader.block()).startswith(b"retry:")
        yield reader


async def test_a_changed_note_is_told(served: Served) -> None:
    host = served.bridge.find(None)
    async with listening(served) as reader:
        (host.root / "Garden/Peas.md").write_text("# Peas\n")
        await served.call("report_changes", changes=[{"kind": "upsert", "path": "Garden/Peas.md"}])
        _, _, data = await reader.event("note_changed")
        assert (data["vault"], data["path"]) == (host.id, "Garden/Peas.md")


async def test_what_was_missed_is_replayed(served: Served) -> None:
    async with listening(served) as reader:
        served.bridge.events.publish(ApplyChange("1", VaultPath("A.md")))
        first, _, data = await reader.event("apply_change")
    assert data == {"vault": None, "change": "1", "path": "A.md"}
    served.bridge.events.publish(ApplyChange("2", VaultPath("A.md")))
    served.bridge.events.publish(ApplyChange("3", VaultPath("A.md")))
    async with listening(served, str(first)) as reader:
        told = [await reader.event()]
        while told[-1][2].get("change") != "3":
            told.append(await reader.event())
    assert [id_ for id_, _, _ in told] == list(range(first + 1, first + 1 + len(told)))
    assert [data["change"] for _, kind, data in told if kind == "apply_change"] == ["2", "3"]


async def test_an_event_is_one_flat_object(served: Served) -> None:
    change = ChangeRecorded("7", "edit_note", None, "applied", (VaultPath("A.md"),))
    async with listening(served) as reader:
        served.bridge.events.publish(change, "v")
        _, _, told = await reader.event("change_recorded")
        served.bridge.events.publish(IndexProgress(PendingCounts(1, 2), 3), "v")
        progress: dict[str, Any] = {}
        # The index may still tell its own.
        while progress.get("vault") != "v":
            _, _, progress = await reader.event("index_progress")
    facts = {"change": "7", "operation": "edit_note", "client": None, "state": "applied", "paths": ["A.md"]}
    assert told == {"vault": "v", **facts}
    assert progress == {"vault": "v", "pending": {"keyword": 1, "vectors": 2}, "notes": 3}


@pytest.mark.parametrize("last", ["7", "abc", "99999999999999999999999", "-1", "²"])
async def test_an_id_that_is_not_known_means_reset(served: Served, last: str) -> None:
    async with listening(served, last) as reader:
        _, kind, _ = await reader.event()
    assert kind == "reset"


async def test_silence_is_broken_by_a_comment(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "HEARTBEAT_S", 0.05)
    async with listening(served) as reader, asyncio.timeout(PATIENCE_S):
        # The index may still tell its progress.
        while (block := await reader.block()) != b":\n\n":
            assert block.startswith(b"id: ")


async def test_a_listener_that_leaves_is_forgotten(served: Served) -> None:
    async with listening(served):
        assert len(served.bridge.events._queues) == 1
    async with asyncio.timeout(PATIENCE_S):
        while served.bridge.events._queues:
            await asyncio.sleep(0.01)
