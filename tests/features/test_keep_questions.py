"""Questions that the notes do not answer: kept only if the user wants it, in a note of the user's."""

import pytest

from bridge.features.answers.questions import write_waiting
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.mcp.client import connected

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
        await served.result("set_up_memory", confirm=True)


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


async def test_nothing_is_kept_without_the_agents_folder(served: Served) -> None:
    await keep(served, "all", agrees=False)
    await served.call("ask", question=UNKNOWN)
    await write(served)
    assert not (served.bridge.find(None).root / "Agents").exists()


async def test_a_question_without_an_answer_is_kept(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=KNOWN)
    await served.call("ask", question=UNKNOWN)
    await served.call("ask", question=UNKNOWN.upper())
    await write(served)
    assert "asked 2 times" in note_of(served)
    assert KNOWN not in note_of(served)
    assert "zeppelin" in note_of(served).rpartition("missing: ")[2]
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


async def test_searches_of_agents_are_kept_and_those_of_the_user_are_not(served: Served) -> None:
    await keep(served, "missed")
    await served.call("search", query=UNKNOWN)
    await write(served)
    assert note_of(served) == ""
    async with connected(served) as client:
        await client.call_tool("search", {"query": UNKNOWN})
    await write(served)
    assert f"`{UNKNOWN}` · asked 1 time, last" in note_of(served)


@pytest.mark.parametrize(("which", "kept"), [("missed", False), ("all", True)])
async def test_answered_questions_are_kept_only_with_all(served: Served, which: str, kept: bool) -> None:
    await keep(served, which)
    await served.call("ask", question=KNOWN)
    await write(served)
    assert (KNOWN in note_of(served)) == kept


async def test_what_waits_is_written_when_the_bridge_stops(served: Served) -> None:
    await keep(served, "missed")
    await served.call("ask", question=UNKNOWN)
    await served.bridge.hooks.stop(served.bridge.find(None).vault)
    assert UNKNOWN in note_of(served)
