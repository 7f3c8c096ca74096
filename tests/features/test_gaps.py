"""Questions that the notes do not answer: kept only if the user wants it, in a note of the user's."""

from typing import Any

import pytest

from bridge.features.gaps.report import write_waiting
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.mcp.client import connected, text_of

NOTES = {
    "Levain.md": "# Levain\n\nA levain is a starter of flour and water. It is fed twice a day.\n",
    "Rye.md": "Rye bread needs a levain. It keeps for a week.\n",
}
UNKNOWN = "How heavy is the retarder of the zeppelin engine?"
KNOWN = "Is the levain fed twice a day?"
QUESTIONS = "Agents/Questions.md"


async def keep(served: Served, which: str, *, agrees: bool = True) -> None:
    save_settings(served.bridge.settings_path, {"keep_questions": which})
    await served.bridge.reload()
    if agrees:
        made = await served.call("set_up_memory", confirm=True)
        assert made.status == 200, made.body


async def report(served: Served, **arguments: Any) -> dict[str, Any]:
    answer = await served.call("gap_report", **arguments)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def note_of(served: Served) -> str:
    file = served.bridge.find(None).root / QUESTIONS
    return file.read_text(encoding="utf-8") if file.exists() else ""


async def write(served: Served) -> None:
    await write_waiting(served.bridge.find(None).vault)


async def test_nothing_is_kept_unless_it_is_wanted(served: Served) -> None:
    await served.call("set_up_memory", confirm=True)
    await served.call("ask", question=UNKNOWN)
    await write(served)
    assert note_of(served) == ""
    found = await report(served)
    assert found["gaps"] == []
    assert '`keep_questions = "missed"`' in found["notices"][0]


async def test_nothing_is_kept_without_the_agents_folder(served: Served) -> None:
    await keep(served, "all", agrees=False)
    await served.call("ask", question=UNKNOWN)
    await write(served)
    assert not (served.bridge.find(None).root / "Agents").exists()
    assert "set-up-memory" in (await report(served))["notices"][0]


async def test_a_question_without_an_answer_is_kept_and_reported(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=KNOWN)
    await served.call("ask", question=UNKNOWN)
    await served.call("ask", question=UNKNOWN.upper())
    waiting = await report(served)
    await write(served)
    assert "asked 2 times" in note_of(served)
    assert KNOWN not in note_of(served)
    found = await report(served)
    assert found == waiting
    (gap,) = found["gaps"]
    assert (gap["times"], gap["verdict"], found["path"]) == (2, "not_in_vault", QUESTIONS)
    assert "zeppelin" in gap["missing"]
    [change] = (await served.call("list_changes", path=QUESTIONS)).json["changes"]
    assert (change["operation"], change["state"]) == ("keep_questions", "applied")


async def test_a_question_that_is_ticked_is_settled(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=UNKNOWN)
    await write(served)
    file = served.bridge.find(None).root / QUESTIONS
    file.write_text(note_of(served).replace("- [ ]", "- [x]"), encoding="utf-8")
    await served.call("ask", question=UNKNOWN)
    await write(served)
    assert "asked 1 time," in note_of(served)
    assert (await report(served))["gaps"] == []


async def test_a_gap_that_was_filled_is_said_to_be_answered(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=UNKNOWN)
    text = "The retarder of the zeppelin engine is heavy: how heavy it is, 40 kg, the engine tells."
    made = await served.call("create_note", path="Retarder of the zeppelin engine.md", text=text)
    assert made.status == 200, made.body
    await served.call("wait_until_indexed", path="Retarder of the zeppelin engine.md")
    (gap,) = (await report(served))["gaps"]
    assert gap["verdict"] == "answered"
    assert gap["closest"][0] == "Retarder of the zeppelin engine.md"


async def test_like_questions_are_one_gap(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question="How heavy is the zeppelin retarder?")
    await served.call("ask", question="zeppelin retarder heavy")
    await served.call("ask", question="When was the lighthouse keeper born?")
    found = await report(served)
    assert [gap["times"] for gap in found["gaps"]] == [2, 1]
    assert found["gaps"][0]["wordings"] != []
    limited = await report(served, limit=1)
    assert (len(limited["gaps"]), limited["total"]) == (1, 2)


async def test_searches_of_agents_are_kept_and_those_of_the_user_are_not(served: Served) -> None:
    await keep(served, "missed")
    await served.call("search", query=UNKNOWN)
    assert (await report(served))["gaps"] == []
    async with connected(served) as client:
        await client.call_tool("search", {"query": UNKNOWN})
        text = text_of(await client.call_tool("find_tool", {"name": "gap_report", "arguments": {}}))
    assert f"{UNKNOWN} · asked 1 time, last" in text


@pytest.mark.parametrize(("which", "kept"), [("missed", False), ("all", True)])
async def test_answered_questions_are_kept_only_with_all(served: Served, which: str, kept: bool) -> None:
    await keep(served, which)
    await served.call("ask", question=KNOWN)
    await write(served)
    assert (KNOWN in note_of(served)) == kept


async def test_what_waits_is_written_when_the_bridge_stops(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=UNKNOWN)
    await served.bridge._hooks.stop(served.bridge.find(None).vault)
    assert UNKNOWN in note_of(served)
