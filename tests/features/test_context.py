"""Context gathered from notes within a budget, through the operation."""

from typing import Any

import pytest

from bridge.settings.file import save_settings
from bridge.text.budget import estimate_tokens
from tests.features.served import Served
from tests.mcp.client import connected, text_of

FENCE = "```\n" + "".join(f"proof {line} of the levain\n" for line in range(120)) + "```\n"
NOTES = {
    "Levain.md": "---\nstatus: done\n---\n# Levain\n\nA levain is fed twice a day.\n\n## Proof\n\nLong.\n",
    "Log.md": "# Log\n\n"
    + "".join(f"## Day {day}\n\nFed the levain. {'Much happened. ' * 40}\n\n" for day in range(1, 16)),
    "Code.md": f"# Code\n\nA levain script:\n\n{FENCE}",
    "Garden/Beans.md": "# Beans\n\nSown in May.\n",
    "Secret/Plan.md": "# Levain plan\n\nNobody knows the levain.\n",
    "Talk.canvas": '{"nodes": [{"id": "1", "type": "text", "text": "Talk about levain", "x": 0, "y": 0,'
    ' "width": 9, "height": 9}], "edges": []}',
}


async def gather(served: Served, **arguments: Any) -> dict[str, Any]:
    answer = await served.call("gather_context", **arguments)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


async def test_what_no_note_says_is_told(served: Served) -> None:
    notices = (await gather(served, query="how heavy is the levain of the zeppelin"))["notices"]
    assert any("do not say" in notice and "zeppelin" in notice for notice in notices)


@pytest.mark.parametrize("budget", [100, 300, 1_000, 4_000])
async def test_the_text_is_within_the_budget_and_made_of_its_items(served: Served, budget: int) -> None:
    found = await gather(served, query="levain", budget=budget)
    assert found["tokens"] == estimate_tokens(found["text"]) <= budget
    parts = (await gather(served, query="levain", budget=budget, form="items"))["items"]
    assert [one["number"] for one in parts] == [*range(1, len(parts) + 1)] != []
    assert all(f"[{one['number']}] {one['path']}:" in found["text"] and one["text"] in found["text"] for one in parts)
    shown = {one["path"] for one in parts}
    assert shown.isdisjoint(one["path"] for one in found["left_out"])
    assert {"Levain.md", "Log.md", "Code.md"} <= shown | {one["path"] for one in found["left_out"]}


async def test_a_short_note_is_whole_and_a_long_one_in_parts(served: Served) -> None:
    found = await gather(served, query="levain", budget=4_000, form="items")
    forms: dict[str, set[str]] = {}
    for one in found["items"]:
        forms.setdefault(one["path"], set()).add(one["form"])
    assert forms["Levain.md"] == {"note"}
    assert forms["Log.md"] <= {"section", "passage"}
    assert forms["Talk.canvas"] == {"passage"}
    whole = next(one for one in found["items"] if one["path"] == "Levain.md")
    assert (whole["text"], whole["lines"]) == (NOTES["Levain.md"].partition("done\n---\n")[2].strip(), [4, 10])


async def test_a_fence_is_whole_or_not_there(served: Served) -> None:
    for budget in (100, 500, 1_000, 2_000):
        text = (await gather(served, query="levain script proof", budget=budget))["text"]
        assert "```" not in text or FENCE.strip() in text


async def test_named_notes_are_packed_without_a_question(served: Served) -> None:
    found = await gather(served, paths=["Garden", "[[Levain]]"], form="items")
    assert {one["path"]: one["form"] for one in found["items"]} == {"Garden/Beans.md": "note", "Levain.md": "note"}
    found = await gather(served, query="levain", paths=["Log.md"])
    assert {one["path"] for one in found["items"]} == {"Log.md"}


async def test_without_anything_to_look_for_it_is_refused(served: Served) -> None:
    answer = await served.call("gather_context")
    assert (answer.status, answer.code) == (400, "invalid_arguments")


async def test_a_note_that_changed_since_is_shown_as_it_is(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / "Levain.md").write_text("# Levain\n\nFed once a day.\n", encoding="utf-8")
    text = (await gather(served, query="levain"))["text"]
    assert "Fed once a day." in text
    assert "twice" not in text


async def test_nothing_is_said_of_denied_notes(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    answer = await served.call("gather_context", query="levain plan", budget=8_000)
    assert b"Secret" not in answer.body
    assert b"Nobody" not in answer.body


async def test_an_agent_reads_the_excerpts_after_what_was_left_out(served: Served) -> None:
    async with connected(served, preset="full") as client:
        said = text_of(await client.call_tool("gather_context", {"query": "levain", "budget": 100}))
    assert "did not fit" in said
    assert "\n[1] " in said


async def test_the_lines_of_a_chat_that_matter_are_gathered_wherever_they_are(served: Served) -> None:
    told = {40: "Ann: The kiln is glazed in cobalt", 210: "Ann: Glazed kiln bricks cost 3 pounds", 390: "Ben: No glaze"}
    other = "Ann: Talked for a long time about the weather of day {}"
    lines = [f"- {told.get(line, other.format(line))}." for line in range(400)]
    path = served.bridge.find(None).root / "Chat.md"
    path.write_text("# Chat\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at(["Chat.md"])
    items = (await gather(served, query="glazed kiln", paths=["Chat.md"], budget=150, form="items"))["items"]
    text = "\n".join(one["text"] for one in items)
    assert [told[line] in text for line in told] == [True, True, True]
    assert [one["lines"] for one in items] == [[43, 43], [213, 213], [393, 393]]
