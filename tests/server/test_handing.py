"""A program makes the changes of a vault, as Obsidian with the plugin does: over HTTP, with events as a stream."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.engine import editor_handoff
from bridge.errors import DiskFull
from bridge.state.journal import Journal
from tests.features.served import PATIENCE_S, Answer, Served
from tests.server.clients import bearer, made
from tests.server.conftest import NOTES
from tests.server.test_stream import Reader

BEANS = "Garden/Beans.md"
EDITS = [{"op": "append", "text": "Pick early."}]
BEFORE = NOTES[BEANS]
AFTER = f"{BEFORE}\nPick early.\n"

Told = Mapping[str, Any]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing depend on how busy the machine is: nobody is late but who is made so."""
    monkeypatch.setattr(editor_handoff, "CLAIMED_WITHIN_S", 300.0)
    monkeypatch.setattr(editor_handoff, "ANSWERED_WITHIN_S", 300.0)
    monkeypatch.setattr(editor_handoff, "LEFT_S", 0.0)


@asynccontextmanager
async def applying(served: Served, vault: str = "Notes") -> AsyncIterator[Reader]:
    """Make the changes of a vault, until the stream is closed."""
    headers = {"Authorization": f"Bearer {served.runtime.token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(served.runtime.url + "/api/events", headers=headers, params={"applies": vault}) as response,
    ):
        assert response.status == 200
        reader = Reader(response)
        await reader.block()
        yield reader


@asynccontextmanager
async def editing(served: Served, path: str = BEANS, **more: str) -> AsyncIterator["asyncio.Task[Answer]"]:
    """Edit a note meanwhile."""
    task = asyncio.create_task(served.call("edit_note", path=path, edits=EDITS, **more))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def editing_until_it_leaves(
    served: Served, **more: str
) -> AsyncIterator[tuple["asyncio.Task[Answer]", Reader, AsyncExitStack]]:
    """Edit a note while a program is there; closing the last of these lets the program leave."""
    async with AsyncExitStack() as program:
        reader = await program.enter_async_context(applying(served))
        async with editing(served, **more) as edit:
            yield edit, reader, program


async def offered(reader: Reader) -> str:
    _, _, told = await reader.event("apply_change")
    assert told["path"] == BEANS
    assert set(told) == {"vault", "change", "path"}
    change: str = told["change"]
    return change


async def claimed(served: Served, change: str) -> Told:
    told: Told = await served.result("claim_change", change_id=change)
    return told


def note(served: Served) -> Path:
    return served.bridge.find(None).root / BEANS


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write(served: Served, told: Told) -> None:
    """Make a change as Obsidian does: only of the very text that it speaks of."""
    path = note(served)
    assert digest(path.read_text()) == told["before"]
    path.write_text(told["text"])


async def state(served: Served, change: str) -> tuple[str, str]:
    shown = (await served.call("show_change", change_id=change)).json
    return shown["state"], shown["by"]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.005)


async def test_a_claimed_change_is_made_by_the_program_alone(served: Served) -> None:
    async with applying(served) as reader, editing(served) as edit:
        change = await offered(reader)
        told = await claimed(served, change)
        assert told == {
            "change_id": change,
            "path": BEANS,
            "before": digest(BEFORE),
            "after": digest(AFTER),
            "text": AFTER,
        }
        assert note(served).read_text() == BEFORE
        write(served, told)
        said = await served.call("acknowledge_change", change_id=change, applied=True)
        assert said.json == {"change_id": change, "state": "applied"}
        answer = (await edit).json
        assert (answer["change_id"], answer["by"], answer["digest"]) == (change, "obsidian", digest(AFTER))
        found = (await served.call("search", query="pick early", mode="keyword")).json
        assert [hit["path"] for hit in found["hits"]] == [BEANS]
    assert await state(served, change) == ("applied", "obsidian")
    assert (await served.call("undo_change", change_id=change)).status == 200
    assert note(served).read_text() == BEFORE


async def test_without_a_program_the_disk_is_written(served: Served) -> None:
    answer = (await served.call("edit_note", path=BEANS, edits=EDITS)).json
    assert answer["by"] == "disk"
    assert await state(served, answer["change_id"]) == ("applied", "disk")


async def test_an_unclaimed_change_goes_to_the_disk(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor_handoff, "CLAIMED_WITHIN_S", 0.0)
    async with applying(served) as reader, editing(served) as edit:
        change = await offered(reader)
        assert (await edit).json["by"] == "disk"
        late = await served.call("claim_change", change_id=change)
        assert late.code == "change_not_found"
        said = await served.call("acknowledge_change", change_id=change, applied=True)
        assert said.code == "change_conflict"
    assert note(served).read_text() == AFTER
    assert await state(served, change) == ("applied", "disk")


async def test_an_unclaimed_change_of_a_note_that_was_written_meanwhile_is_refused(served: Served) -> None:
    async with editing_until_it_leaves(served, digest=digest(BEFORE)) as (edit, reader, program):
        await offered(reader)
        note(served).write_text("Somebody was faster.\n")
        await program.aclose()
        assert (await edit).code == "note_changed"
    assert note(served).read_text() == "Somebody was faster.\n"
    assert (await served.call("list_changes")).json["changes"] == []


async def test_an_unclaimed_change_that_names_no_text_is_made_on_what_was_written_meanwhile(served: Served) -> None:
    async with editing_until_it_leaves(served) as (edit, reader, program):
        await offered(reader)
        note(served).write_text("Somebody was faster.\n")
        await program.aclose()
        assert (await edit).status == 200
    assert note(served).read_text() == "Somebody was faster.\n\nPick early.\n"


@pytest.mark.parametrize("reason", ["unsaved", "changed", "failed"])
async def test_a_refused_change_is_not_made(served: Served, reason: str) -> None:
    async with applying(served) as reader, editing(served) as edit:
        change = await offered(reader)
        await claimed(served, change)
        said = await served.call("acknowledge_change", change_id=change, applied=False, reason=reason)
        assert said.json == {"change_id": change, "state": "rejected"}
        answer = await edit
        assert (answer.code, answer.json["error"]["refused"]) == ("note_changed", reason)
    assert note(served).read_text() == BEFORE
    assert (await served.call("list_changes")).json["changes"] == []


async def test_of_two_programs_the_first_gets_it(served: Served) -> None:
    async with applying(served) as one, applying(served) as other, editing(served) as edit:
        change = await offered(one)
        assert await offered(other) == change
        answers = await asyncio.gather(*(served.call("claim_change", change_id=change) for _ in range(8)))
        (first,) = [answer for answer in answers if answer.status == 200]
        assert {answer.code for answer in answers if answer is not first} == {"change_conflict"}
        write(served, first.json)
        await served.call("acknowledge_change", change_id=change, applied=True)
        assert (await edit).json["by"] == "obsidian"


async def test_a_program_that_leaves_lets_the_change_go_to_the_disk(served: Served) -> None:
    async with editing_until_it_leaves(served) as (edit, reader, program):
        await offered(reader)
        await program.aclose()
        assert (await edit).json["by"] == "disk"
    assert not served.bridge.find(None).editor_sessions.is_wanted


async def test_a_program_that_dies_before_it_acknowledges_has_made_what_is_on_the_disk(served: Served) -> None:
    async with editing_until_it_leaves(served) as (edit, reader, program):
        change = await offered(reader)
        write(served, await claimed(served, change))
        await program.aclose()
        assert (await edit).json["by"] == "obsidian"
    assert await state(served, change) == ("applied", "obsidian")


async def conflicting(served: Served) -> str:
    """Let a program die with a change that it claimed."""
    async with editing_until_it_leaves(served) as (edit, reader, program):
        change = await offered(reader)
        await claimed(served, change)
        await program.aclose()
        answer = await edit
    assert (answer.code, answer.json["error"]["change"]) == ("change_conflict", change)
    assert note(served).read_text() == BEFORE
    assert await state(served, change) == ("conflict", "obsidian")
    return change


async def test_a_late_acknowledgement_counts_if_the_disk_agrees(served: Served) -> None:
    change = await conflicting(served)
    said = await served.call("acknowledge_change", change_id=change, applied=True)
    assert said.json["state"] == "conflict"
    note(served).write_text(AFTER)
    said = await served.call("acknowledge_change", change_id=change, applied=True)
    assert said.json["state"] == "applied"
    assert (await served.call("search", query="pick early", mode="keyword")).json["hits"]
    assert (await served.call("undo_change", change_id=change)).status == 200


async def test_a_late_refusal_counts(served: Served) -> None:
    change = await conflicting(served)
    said = await served.call("acknowledge_change", change_id=change, applied=False)
    assert said.json["state"] == "rejected"
    assert await state(served, change) == ("rejected", "obsidian")


async def test_a_proposal_that_was_refused_waits_again(served: Served) -> None:
    headers = bearer(made(served, "agent", "read", "write"))
    body = orjson.dumps({"path": BEANS, "edits": EDITS})
    proposal = (await served.request("POST", "/api/edit_note", headers=headers, data=body)).json["change_id"]
    async with applying(served) as reader:
        accepting = asyncio.create_task(served.call("decide", id=proposal, verdict="accept"))
        assert await offered(reader) == proposal
        await claimed(served, proposal)
        await served.call("acknowledge_change", change_id=proposal, applied=False, reason="unsaved")
        assert (await accepting).code == "note_changed"
    assert (await state(served, proposal))[0] == "proposed"
    await served.result("decide", id=proposal, verdict="accept")
    assert await state(served, proposal) == ("applied", "disk")


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_note", {"path": "New.md", "text": "New."}),
        ("delete_note", {"path": BEANS, "digest": digest(BEFORE)}),
        ("move_note", {"path": BEANS, "to": "Peas.md", "digest": digest(BEFORE)}),
        ("edit_note", {"path": "Windows.md", "edits": EDITS}),
        ("edit_note", {"path": "Marked.md", "edits": EDITS}),
    ],
)
async def test_what_obsidian_could_not_make_as_planned_goes_to_the_disk(
    served: Served, operation: str, arguments: Mapping[str, Any]
) -> None:
    root = served.bridge.find(None).root
    (root / "Windows.md").write_bytes(b"One.\r\n")
    (root / "Marked.md").write_bytes(b"\xef\xbb\xbfOne.\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    async with applying(served):
        answer = await served.result(operation, **arguments)
        assert answer["by"] == "disk"


async def test_who_may_only_propose_makes_no_changes_of_others(served: Served) -> None:
    headers = bearer(made(served, "agent", "read", "write"))
    refused = await served.request("GET", "/api/events?applies=Notes", headers=headers)
    assert (refused.status, refused.code) == (403, "forbidden")
    for operation in ("claim_change", "acknowledge_change"):
        body = orjson.dumps({"change_id": "0"} | ({"applied": True} if operation == "acknowledge_change" else {}))
        assert (await served.request("POST", f"/api/{operation}", headers=headers, data=body)).code == "forbidden"
    assert (await served.request("GET", "/api/events?applies=Elsewhere")).code == "no_such_vault"


async def test_what_is_not_written_down_as_claimed_is_not_given_away(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DiskFull

    monkeypatch.setattr(Journal, "record_claim", full)
    async with applying(served) as reader, editing(served) as edit:
        change = await offered(reader)
        assert (await served.call("claim_change", change_id=change)).code == "disk_full"
        assert (await edit).code == "note_changed"
    assert note(served).read_text() == BEFORE
