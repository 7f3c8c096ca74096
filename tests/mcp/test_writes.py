"""An agent changes notes: what it reads of it, and what waits for the user."""

import json
import re

import pytest

from bridge.access import Tokens
from bridge.mcp.schemas import input_schema
from bridge.operations import Operation, operations
from tests.mcp.client import ERAS, Era, connected, text_of
from tests.operations.served import Served

BOTH = pytest.mark.parametrize("era", ERAS)


@pytest.mark.parametrize("tool", operations(), ids=lambda tool: tool.name)
def test_a_schema_refers_to_nothing_that_is_not_in_it(tool: Operation) -> None:
    schema = input_schema(tool, ["Notes"], {})
    named = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))
    assert named <= schema.get("$defs", {}).keys()
    assert "oneOf" not in json.dumps(schema)


@BOTH
async def test_an_edit_is_told_and_turned_back(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    async with connected(served, era) as client:
        made = text_of(await client.call_tool("create_note", {"path": "Made.md", "text": "# Made\n\nWords.\n"}))
        assert re.search(r"^Written: Made\.md · change \w+\ndigest [0-9a-f]{64}\n", made, re.MULTILINE)
        edits = [{"op": "insert_under", "heading": "Made", "text": "More."}, {"op": "append", "text": "Last."}]
        added = text_of(await client.call_tool("edit_note", {"path": "Made.md", "edits": edits}))
        assert "+More.\n" in added
        assert (root / "Made.md").read_text() == "# Made\n\nWords.\n\nMore.\n\nLast.\n"
        (change,) = re.findall(r"change (\w+)", added)
        undone = text_of(await client.call_tool("undo_change", {"change_id": change}))
        assert f"{change} is undone: edit_note Made.md" in undone
        assert (root / "Made.md").read_text() == "# Made\n\nWords.\n"
        again = await client.call_tool("undo_change", {"change_id": change})
        assert again.is_error
        assert text_of(again).startswith("change_conflict: The change is undone, not applied.")


@BOTH
async def test_what_others_wrote_since_is_told(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    async with connected(served, era) as client:
        made = text_of(await client.call_tool("create_note", {"path": "Made.md", "text": "One.\n"}))
        (digest,) = re.findall(r"digest (\w+)", made)
        await client.call_tool("edit_note", {"path": "Made.md", "edits": [{"op": "append", "text": "Two."}]})
        edits = [{"op": "replace_text", "old": "One", "new": "Three"}]
        stale = text_of(await client.call_tool("edit_note", {"path": "Made.md", "edits": edits, "digest": digest}))
        assert stale.startswith("note_changed: `Made.md` changed since you read it.\nRead it again and repeat")
        assert stale.endswith("\nSince you read it:\n--- a/Made.md\n+++ b/Made.md\n@@ -1 +1,3 @@\n One.\n+\n+Two.")
        short = text_of(await client.call_tool("edit_note", {"path": "Made.md", "edits": edits, "digest": digest[:12]}))
        assert short.startswith(f'invalid_arguments: A digest has 64 digits from 0 to f, not "{digest[:12]}".')
        assert (root / "Made.md").read_text() == "One.\n\nTwo.\n"


@BOTH
async def test_a_paired_agent_proposes(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    _, token = Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])
    async with connected(served, era, token=token) as client:
        answer = text_of(await client.call_tool("create_note", {"path": "Wish.md", "text": "Words."}))
        (change,) = re.findall(r"change (\w+)", answer)
        assert "Proposed; it waits until the user accepts it: Wish.md" in answer
        assert not (root / "Wish.md").exists()
        own = await client.call_tool("run_tool", {"name": "accept_change", "arguments": {"change_id": change}})
        assert own.is_error
        assert text_of(own).endswith("\nOnly the user may, in Obsidian or by `vault-bridge accept-change`.")
        assert not (root / "Wish.md").exists()
    accepted = await served.call("accept_change", change_id=change)
    assert accepted.status == 200, accepted.body
    assert (root / "Wish.md").read_text() == "Words.\n"
    async with connected(served, era, token=token) as client:
        listed = text_of(await client.call_tool("run_tool", {"name": "list_changes", "arguments": {"path": "Wish.md"}}))
        assert f"{change} · " in listed
        assert "· applied · create_note Wish.md by agent" in listed
        assert re.search(r" · session [0-9a-f]{12}$", listed)
