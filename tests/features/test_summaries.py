"""Summaries of notes by their own sentences."""

from typing import Any

import pytest

from bridge.search.sentences import iter_sentences
from tests.features.served import Served
from tests.mcp.client import connected, text_of

LEVAIN = """\
---
tags: [bread]
---
# Levain

A levain is a starter of flour and water that raises
sourdough bread.[^1] It is fed twice a day.

> [!info] Picture
> Left the levain of flour and water, right the sourdough bread.

## Feeding

- Discard half of the levain before it is fed
- Add flour and water in equal parts

| when | how much |
|---|---|
| morning | a levain of 100 g |

```
the levain = flour + water
```

The kitchen was painted green in May. A levain that is not fed turns sour and gray.

[^1]: A book about a levain of flour and water.
"""
NOTES = {
    "Levain.md": LEVAIN,
    "Bread/Rye.md": "#bread\n\nRye bread needs a levain. It keeps for a week.\n",
    "Bread/Empty.md": "# Nothing\n",
    "中文.md": "酵母是面包的灵魂。今天天气很好。没有酵母就没有面包。\n",
    "Secret/Plan.md": "The levain is worth a million. #bread\n",
}

APPEND = {"op": "append", "text": "Caraway goes well with rye."}


async def summarise(served: Served, **arguments: Any) -> dict[str, Any]:
    answer = await served.call("summarise", **arguments)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


async def test_the_sentences_stand_in_the_note(served: Served) -> None:
    found = await summarise(served, paths=["Levain.md"])
    assert found["sentences"][0] == {
        "text": "A levain is a starter of flour and water that raises sourdough bread.",
        "path": "Levain.md",
        "lines": [6, 7],
    }
    assert found["text"] == " ".join(one["text"] for one in found["sentences"])
    assert [one["lines"] for one in found["sentences"]] == sorted(one["lines"] for one in found["sentences"])
    assert (found["notes"], len(found["sentences"])) == (1, 3)


@pytest.mark.parametrize(("length", "most"), [("line", 1), ("short", 3), ("long", 10)])
async def test_a_length_is_a_number_of_sentences(served: Served, length: str, most: int) -> None:
    found = await summarise(served, paths=["Levain.md"], length=length)
    texts = [one["text"] for one in found["sentences"]]
    assert 1 <= len(texts) <= most
    assert not any(word in text for text in texts for word in ("morning", "=", "[^", "A book"))


async def test_a_focus_changes_the_choice(served: Served) -> None:
    found = await summarise(served, paths=["Levain.md"], length="line", focus="the colour of the kitchen")
    assert found["text"] == "The kitchen was painted green in May."


async def test_notes_are_chosen_by_folder_tag_time_and_session(served: Served) -> None:
    assert (await summarise(served, paths=["Bread"]))["notes"] == 2
    tagged = await summarise(served, tags=["bread"], length="long")
    assert {one["path"] for one in tagged["sentences"]} == {"Levain.md", "Bread/Rye.md", "Secret/Plan.md"}
    assert (await summarise(served, modified_after="tomorrow"))["sentences"] == []
    made = await served.call("edit_note", path="Bread/Rye.md", edits=[APPEND])
    assert made.status == 200, made.body
    [change] = (await served.call("list_changes", limit=1)).json["changes"]
    found = await summarise(served, session=change["session"])
    assert {one["path"] for one in found["sentences"]} == {"Bread/Rye.md"}
    assert (await summarise(served, session="nobody"))["notes"] == 0


async def test_a_script_without_spaces_is_summarised(served: Served) -> None:
    found = await summarise(served, paths=["中文.md"], length="line")
    assert found["text"] == "酵母是面包的灵魂。"


async def test_what_is_missing_is_said(served: Served) -> None:
    nothing = await served.call("summarise")
    assert (nothing.code, "`paths`" in nothing.json["error"]["hint"]) == ("invalid_arguments", True)
    missing = await served.call("summarise", paths=["Levian.md"])
    assert (missing.code, missing.json["error"]["closest"][0]) == ("note_not_found", "Levain.md")
    assert (await summarise(served, paths=["Bread/Empty.md"]))["sentences"] == []


async def test_denied_notes_are_not_summarised(served: Served) -> None:
    from bridge.settings.file import save_settings

    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    found = await summarise(served, tags=["bread"], length="long")
    assert "million" not in str(found)
    assert (await served.call("summarise", paths=["Secret"])).code == "note_not_found"


async def test_agents_read_each_sentence_with_its_place(served: Served) -> None:
    async with connected(served) as client:
        called = {"name": "summarise", "arguments": {"paths": ["Levain.md"], "length": "line"}}
        text = text_of(await client.call_tool("run_tool", called))
    assert text.endswith("\nA levain is a starter of flour and water that raises sourdough bread. · Levain.md:6-7")


async def test_sentences_are_those_of_prose(served: Served) -> None:
    from bridge.api.note_text import open_note
    from bridge.types import VaultPath

    note = open_note(served.bridge.find(None).vault, VaultPath("Levain.md"))
    assert [one.text for one in iter_sentences(note)] == [
        "A levain is a starter of flour and water that raises sourdough bread.",
        "It is fed twice a day.",
        "Picture Left the levain of flour and water, right the sourdough bread.",
        "Discard half of the levain before it is fed",
        "Add flour and water in equal parts",
        "The kitchen was painted green in May.",
        "A levain that is not fed turns sour and gray.",
    ]
