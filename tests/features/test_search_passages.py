"""The passages of a search, within a budget."""

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


async def gather(served: Served, budget: int = 4_000, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("search", passage_tokens=budget, **arguments)
    return found


def passages_of(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(hit["path"], passage) for hit in found["hits"] for passage in hit["passages"]]


def text_in(found: dict[str, Any]) -> str:
    return "\n\n".join(passage["text"] for _, passage in passages_of(found))


@pytest.mark.parametrize("budget", [100, 300, 1_000, 4_000])
async def test_passages_are_within_the_budget(served: Served, budget: int) -> None:
    found = await gather(served, query="levain", budget=budget)
    assert 0 < estimate_tokens(text_in(found)) <= budget
    assert {"Levain.md", "Log.md", "Code.md"} <= {hit["path"] for hit in found["hits"]}
    # Also where it lies below what one passage takes.
    assert text_in(await gather(served, query="levain", budget=1)) == ""


async def test_a_short_note_is_whole_and_a_long_one_in_parts(served: Served) -> None:
    found = await gather(served, query="levain")
    forms: dict[str, set[str]] = {}
    for path, one in passages_of(found):
        forms.setdefault(path, set()).add(one["form"])
    assert forms["Levain.md"] == {"note"}
    assert forms["Log.md"] <= {"section", "passage"}
    assert forms["Talk.canvas"] == {"passage"}
    (whole,) = [one for path, one in passages_of(found) if path == "Levain.md"]
    assert (whole["text"], whole["lines"]) == (NOTES["Levain.md"].partition("done\n---\n")[2].strip(), [4, 10])


async def test_a_fence_is_whole_or_not_there(served: Served) -> None:
    for budget in (100, 500, 1_000, 2_000):
        text = text_in(await gather(served, query="levain script proof", budget=budget))
        assert "```" not in text or FENCE.strip() in text
    assert FENCE.strip() in text


async def test_a_note_that_changed_since_is_shown_as_it_is(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / "Levain.md").write_text("# Levain\n\nFed once a day.\n", encoding="utf-8")
    text = text_in(await gather(served, query="levain"))
    assert "Fed once a day." in text
    assert "twice" not in text


async def test_nothing_is_said_of_denied_notes(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    answer = await served.call("search", query="levain plan", passage_tokens=8_000)
    assert b"Secret" not in answer.body
    assert b"Nobody" not in answer.body


async def test_an_agent_reads_the_excerpts_after_what_was_left_out(served: Served) -> None:
    async with connected(served, preset="full") as client:
        said = text_of(await client.call_tool("search", {"query": "levain", "passage_tokens": 100}))
    assert "did not fit" in said
    assert "\n--- " in said


async def test_the_lines_of_a_chat_that_matter_are_gathered_wherever_they_are(served: Served) -> None:
    told = {40: "Ann: The kiln is glazed in cobalt", 210: "Ann: Glazed kiln bricks cost 3 pounds", 390: "Ben: No glaze"}
    other = "Ann: Talked for a long time about the weather of day {}"
    lines = [f"- {told.get(line, other.format(line))}." for line in range(400)]
    path = served.bridge.find(None).root / "Chat.md"
    path.write_text("# Chat\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at(["Chat.md"])
    found = await gather(served, query="glazed kiln", paths=["Chat.md"], budget=150)
    assert [told[line] in text_in(found) for line in told] == [True, True, True]
    assert [one["lines"] for _, one in passages_of(found)] == [[43, 43], [213, 213], [393, 393]]
