"""Tools beyond those listed: found by meaning or by words, run with the caller's rights, judged."""

from pathlib import Path

import pytest

from bridge.operations import expected, operations
from bridge.operations.likeness import in_words
from bridge.operations.tools import accuracy
from tests.operations.served import Served, serving, write_vault

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def found(served: Served, task: str, **arguments: int) -> list[str]:
    return [tool["name"] for tool in (await served.call("find_tool", task=task, **arguments)).json["tools"]]


@pytest.mark.model
@pytest.mark.parametrize(
    ("task", "tool"),
    [
        ("is everything indexed", "index_status"),
        ("why is this note not found by search", "index_status"),
        ("which file does a wikilink lead to", "resolve_link"),
        ("rebuild the index", "reindex"),
        ("it uses too much processor, stop embedding for now", "pause_indexing"),
        ("what is the folder structure", "list_folders"),
        ("something seems broken, diagnose it", "doctor"),
        ("how many tokens did the agents spend", "usage"),
        ("change the text of a section's heading everywhere", "rename_heading"),
        ("tick off a to-do", "toggle_task"),
        ("put something on my to-do list", "add_task"),
        ("what did the last session do to my notes", "list_changes"),
        ("revert everything from this session", "undo_session"),
        ("bring back a change that was reverted", "redo_change"),
        ("apply many edits at once or none of them", "change_set"),
        ("throw a note away", "delete_note"),
        ("turn mentions into wikilinks", "apply_links"),
        ("show the diff of a change", "show_change"),
    ],
)
async def test_a_tool_is_found_by_meaning(sample: Served, task: str, tool: str) -> None:
    assert tool in await found(sample, task)


async def test_without_a_model_a_tool_is_found_by_words(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "Words.\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        assert (await found(served, "list the folders", limit=1)) == ["list_folders"]
        assert (await found(served, "embedding: pause it"))[0] == "pause_indexing"
        assert await found(served, "zzz") == []


async def test_only_tools_are_found_that_are_not_listed_and_allowed(sample: Served) -> None:
    names = await found(sample, "search notes and change settings", limit=20)
    assert {"search", "find_notes", "find_tool", "run_tool", "give_feedback", "change_settings"}.isdisjoint(names)
    assert "read_settings" in names


async def test_what_is_for_applications_is_no_tool(sample: Served) -> None:
    names = await found(sample, "take a change that was told of, to make it in Obsidian, and say it was made", limit=20)
    assert {"claim_change", "acknowledge_change"}.isdisjoint(names)
    ran = await sample.call("run_tool", name="claim_change", arguments={"change_id": "0"})
    assert (ran.status, ran.code) == (404, "no_such_operation")


async def test_only_what_is_an_object_is_told_as_one() -> None:
    arguments = [argument for operation in operations() for argument in operation.arguments]
    told = {argument.name for argument in arguments if expected(argument.hint) == "an object"}
    assert told == {"properties", "arguments", "changes"}


async def test_arguments_are_told(sample: Served) -> None:
    (tool,) = (await sample.call("find_tool", task="find the file that a link means", limit=1)).json["tools"]
    assert tool["name"] == "resolve_link"
    assert tool["arguments"][0] == {
        "name": "link",
        "takes": "a string of at most 10,000 characters",
        "meaning": "The inner text of the link, without brackets or alias.",
        "required": True,
    }


async def test_a_tool_answers_as_if_called_directly(sample: Served) -> None:
    direct = (await sample.call("list_tags", prefix="ferment")).json
    ran = (await sample.call("run_tool", name="list_tags", arguments={"prefix": "ferment"})).json
    assert ran == {"name": "list_tags", "result": direct}
    named = await sample.call("run_tool", name="list_tags", arguments={"prefix": "ferment", "vault": "sample"})
    assert named.json == ran


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "run_tool", "arguments": {"name": "status"}}, "invalid_arguments"),
        ({"name": "nothing_such"}, "no_such_operation"),
        ({"name": "read_note", "arguments": {"path": "../x"}}, "outside_vault"),
        ({"name": "read_note", "arguments": {"path": "nope.md"}}, "note_not_found"),
        ({"name": "change_settings", "arguments": {"changes": {"watch": "off"}}}, "forbidden"),
        ({"name": "list_tags", "arguments": {"vault": 7}}, "invalid_arguments"),
        ({"name": "list_tags", "arguments": {"vault": "nowhere"}}, "no_such_vault"),
    ],
)
async def test_a_tool_is_refused_as_if_called_directly(sample: Served, arguments: dict[str, object], code: str) -> None:
    assert (await sample.call("run_tool", **arguments)).code == code


async def test_feedback_shows_once_there_is_enough(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "Words.\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        for number in range(14):
            said = (await served.call("give_feedback", tool="list_folders", helped=number != 0)).json
        assert said == {"tool": "list_folders", "accuracy": None, "judged": 14}
        said = (await served.call("give_feedback", tool="list_folders", helped=True)).json
        assert said == {"tool": "list_folders", "accuracy": 0.88, "judged": 15}
        (tool,) = (await served.call("find_tool", task="folders", limit=1)).json["tools"]
        assert (tool["name"], tool["accuracy"], tool["judged"]) == ("list_folders", 0.88, 15)
        assert (await served.call("give_feedback", tool="list_folder", helped=True)).code == "no_such_operation"


async def test_accuracy_begins_even_and_follows_what_is_said() -> None:
    assert [accuracy(14, 0), accuracy(15, 0), accuracy(0, 15), accuracy(50, 50)] == [None, 0.94, 0.06, 0.5]


async def test_rare_words_count_more() -> None:
    texts = ["stop the index", "list the index", "the index"]
    likest = in_words("stop the indexing", texts)
    assert likest[0] == 1
    assert likest[1] == likest[2] < 0.6
