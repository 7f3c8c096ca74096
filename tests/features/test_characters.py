"""Characters that spoil a note or disguise a name are refused, and what exists keeps working."""

import json
from typing import Any

import pytest

from tests.features.served import Served

TURNED = "Turned \u202etxt"
NOTES = {"Oven.md": "---\nbuilt: 1\n---\n# Oven\n\n- [ ] Sweep\n", f"{TURNED}/Note \u2066x.md": "Old.\n"}


@pytest.mark.parametrize(
    ("operation", "arguments", "name"),
    [
        ("create_note", {"path": "New.md", "text": "a\0b"}, "text"),
        ("create_note", {"path": "New.md", "properties": {"a": ["x", "\0"]}}, "properties.a[1]"),
        ("edit_note", {"path": "Oven.md", "edits": [{"op": "append", "text": "\0"}]}, "text"),
        ("edit_note", {"path": "Oven.md", "edits": [{"op": "replace_text", "old": "Oven", "new": "\0"}]}, "new"),
        ("set_properties", {"path": "Oven.md", "properties": {"a\0": 1}}, "properties"),
        ("add_task", {"path": "Oven.md", "text": "Rest\0"}, "text"),
        ("daily_note", {"append": "\0"}, "append"),
    ],
)
async def test_a_text_with_nul_is_refused(served: Served, operation: str, arguments: dict[str, Any], name: str) -> None:
    answer = await served.call(operation, **arguments)
    assert answer.code == "invalid_arguments"
    assert answer.json["error"]["message"].startswith(f"`{name}` contains a NUL character")
    assert not (served.bridge.find(None).root / "New.md").exists()


async def test_a_nul_in_a_note_can_be_removed(served: Served) -> None:
    file = served.bridge.find(None).root / "Oven.md"
    file.write_text("clean " * 5_000 + "a\0b")
    edits = [{"op": "replace_text", "old": "a\0b", "new": "ab"}]
    digest = (await served.call("read_note", path="Oven.md")).json["digest"]
    assert (await served.call("edit_note", path="Oven.md", edits=edits, digest=digest)).status == 200
    assert file.read_text().endswith("clean ab")


@pytest.mark.parametrize("sign", ["\u202e", "\u2067"])
async def test_a_name_that_reads_as_another_is_refused(served: Served, sign: str) -> None:
    for path in (f"a{sign}b.md", f"New {sign}/b.md"):
        for operation, arguments in (("create_note", {"path": path}), ("move_note", {"path": "Oven.md", "to": path})):
            answer = await served.call(operation, **arguments)
            assert answer.code == "invalid_arguments"
            assert f"U+{ord(sign):04X}" in answer.json["error"]["message"]
    for tags in (f"a{sign}b", ["fine", f"a{sign}b"]):
        answer = await served.call("set_properties", path="Oven.md", properties={"tags": tags})
        assert "The tag" in answer.json["error"]["message"]
        answer = await served.call("create_note", path="New.md", text=f"---\nTags: {json.dumps(tags)}\n---\nText\n")
        assert "The tag" in answer.json["error"]["message"]
    marked = await served.call("create_note", path="\u0645\u200f.md", text=f"Text may have {sign}.")
    assert marked.status == 200, "a mark of direction spells, and a text may have any character but NUL"


async def test_names_that_exist_keep_working(served: Served) -> None:
    old = f"{TURNED}/Note \u2066x.md"
    assert (await served.call("create_note", path=f"{TURNED}/New.md")).status == 200
    moved = await served.call("move_note", path=old, to="Bread/Note \u2066x.md")
    assert moved.status == 200
    back = await served.call("undo_change", change_id=moved.json["change_id"])
    assert back.status == 200
    assert (served.bridge.find(None).root / old).exists()
