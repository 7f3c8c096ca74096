"""An agent changes notes: what it reads of it, and what waits for the user."""

import json
import re

import pytest

from bridge.access.tokens import Tokens
from bridge.api.operation import Operation
from bridge.features import operations
from bridge.mcp.tools import input_schema
from tests.features.served import Served
from tests.mcp.client import ERAS, Era, connected, text_of

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
        assert re.search(r"^Written: Made\.md · change \w+ · \+3 -0\ndigest [0-9a-f]{12}\n", made, re.MULTILINE)
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
        unknown = text_of(await client.call_tool("edit_note", {"path": "Made.md", "edits": edits, "digest": "ab" * 6}))
        assert unknown.startswith(
            "note_changed: `Made.md` does not have the digest `abababababab`, and no version known"
        )
        asked = {"path": "Made.md", "edits": edits, "digest": digest[:11]}
        short = text_of(await client.call_tool("edit_note", asked))
        assert short.startswith(f'invalid_arguments: A digest has 12 to 64 digits from 0 to f, not "{digest[:11]}".')
        assert (root / "Made.md").read_text() == "One.\n\nTwo.\n"


@BOTH
async def test_moves_and_deletions_are_told_as_such(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    async with connected(served, era) as client:

        async def run(name: str, **arguments: object) -> str:
            return text_of(await client.call_tool("run_tool", {"name": name, "arguments": arguments}))

        await client.call_tool("create_note", {"path": "Plan.md", "text": "One.\nTwo.\n"})
        moved = await run("move_note", path="Plan.md", to="Work/Plan.md")
        assert re.search(r"^Moved: Plan\.md → Work/Plan\.md · change \w+\ndigest ", moved, re.MULTILINE)
        (digest,) = re.findall(r"^digest (\w{12})$", moved, re.MULTILINE)
        (root / ".trash").mkdir(exist_ok=True)
        (root / ".trash/Plan.md").write_text("Older.")
        (root / ".obsidian/app.json").write_text('{"trashOption": "local"}')
        gone = await run("delete_note", path="Work/Plan.md", digest=digest)
        assert re.search(r"^Deleted: Work/Plan\.md → \.trash/Plan 1\.md · change \w+$", gone, re.MULTILINE)
        assert (root / ".trash/Plan 1.md").exists()
        made = [{"op": "create_note", "path": f"{name}.md", "text": f"See [[{name}]]."} for name in ("X", "Y")]
        told = await run("change_set", edits=made)
        edits = [
            {"op": "delete_note", "path": "X.md", "digest": re.findall(r"X\.md .*digest (\w+)", told)[0]},
            {"op": "move_note", "path": "Y.md", "to": "Z.md"},
        ]
        tried = await run("change_set", edits=edits, dry_run=True)
        assert "\n- X.md · deleted\n- Y.md → Z.md · +1 -1\n" in tried
        assert re.search(r"^digest of Y\.md as it is now: \w{12}$", tried, re.MULTILINE)
        both = await run("change_set", edits=edits)
        assert re.search(r"\n- X\.md → \.trash/X\.md · deleted\n- Y\.md → Z\.md · \+1 -1 · digest \w{12}\n", both)


@BOTH
async def test_a_dry_run_shows_all_and_the_call_after_it_little(served: Served, era: Era) -> None:
    text = "\n\n".join(f"Words of paragraph {number}." for number in range(50))
    wish = {"path": "Long.md", "text": text}
    async with connected(served, era) as client:
        tried = text_of(await client.call_tool("create_note", {**wish, "dry_run": True}))
        assert "\nDry run, nothing is written. The call would create `Long.md` of 1 KiB.\n" in tried
        assert "digest" not in tried
        assert tried.count("\n+") > 50
        made = text_of(await client.call_tool("create_note", wish))
        assert re.search(r"Written: Long\.md · change \w+ · \+99 -0\ndigest [0-9a-f]{12}\n", made)
        assert made.count("\n") < 12
        assert made.endswith("\n… and 96 more lines of the diff")


@BOTH
async def test_a_change_set_names_each_file_with_a_digest_that_can_be_given_back(served: Served, era: Era) -> None:
    edits = [{"op": "create_note", "path": f"Made {number}.md", "text": "One."} for number in range(3)]
    async with connected(served, era) as client:
        arguments = {"name": "change_set", "arguments": {"edits": edits}}
        made = text_of(await client.call_tool("run_tool", arguments))
        assert re.search(r"Written: 3 files · change \w+\n", made)
        digests = dict(re.findall(r"^- (Made \d\.md) · \+1 -0 · digest ([0-9a-f]{12})$", made, re.MULTILINE))
        assert list(digests) == ["Made 0.md", "Made 1.md", "Made 2.md"]
        replaced = {"op": "replace_text", "old": "One", "new": "Two"}
        asked = {"path": "Made 2.md", "digest": digests["Made 2.md"], "edits": [replaced]}
        assert not (await client.call_tool("edit_note", asked)).is_error
        found = text_of(await client.call_tool("find_notes", {"sort": "-modified", "limit": 1}))
        (digest,) = re.findall(r"Made 2\.md · \S+ · ([0-9a-f]{12})$", found, re.MULTILINE)
        read = text_of(await client.call_tool("read_note", {"path": "Made 2.md"}))
        assert f"digest {digest}\n" in read


@BOTH
async def test_a_paired_agent_proposes(served: Served, era: Era) -> None:
    root = served.bridge.find(None).root
    _, token = Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])
    async with connected(served, era, token=token) as client:
        answer = text_of(await client.call_tool("create_note", {"path": "Wish.md", "text": "Words."}))
        (change,) = re.findall(r"change (\w+)", answer)
        assert "Proposed; it waits until the user accepts it: Wish.md" in answer
        assert not (root / "Wish.md").exists()
        own = await client.call_tool("run_tool", {"name": "decide", "arguments": {"id": change, "verdict": "accept"}})
        assert own.is_error
        assert text_of(own).startswith("no_such_operation: `decide` is for applications")
        assert not (root / "Wish.md").exists()
    await served.result("decide", id=change, verdict="accept")
    assert (root / "Wish.md").read_text() == "Words.\n"
    async with connected(served, era, token=token) as client:
        listed = text_of(await client.call_tool("run_tool", {"name": "list_changes", "arguments": {"path": "Wish.md"}}))
        assert f"{change} · " in listed
        assert "· by agent · create_note · applied · Wish.md" in listed
        assert re.search(r" · session [0-9a-f]{12}$", listed)


async def test_a_dry_run_names_each_moved_note_once(served: Served) -> None:
    root = served.bridge.find(None).root
    for number in range(21):
        (root / f"Plain {number}.md").write_text(f"Plain {number}.\n")
    edits = [
        {"op": "move_note", "path": f"Plain {number}.md", "to": f"Moved/Plain {number}.md"} for number in range(21)
    ]
    async with connected(served) as client:
        tried = text_of(await client.call_tool("change_set", {"edits": edits, "dry_run": True}))
    assert tried.count("Plain 2.md → Moved/Plain 2.md") == tried.count("Moved/Plain 2.md") == 1
    assert "… and 16 more files" in tried
    assert tried.count("would move 21 notes") == 1
    assert "must be confirmed with `confirm`: `confirm_files` is 20.\n" in tried
