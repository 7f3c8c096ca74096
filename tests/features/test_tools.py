"""Tools beyond those listed: found by a task in words, run with the caller's rights, judged."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bridge.api.hints import describe_hint
from bridge.api.presets import META_TOOLS, listed_tools
from bridge.data_folder import default_models_dir
from bridge.errors import ModelMissing
from bridge.features import operations
from bridge.features.tools.likeness import MIN_TASK_LIKENESS, DescriptionVectors, is_understood, rank
from bridge.features.tools.operations import accuracy
from bridge.models.catalogue import DEFAULT_MODEL, MULTILINGUAL_MODEL
from bridge.models.embedder import Embedder
from bridge.models.folder import find_model
from tests.features.served import Served, serving, write_vault

TASKS = Path(__file__).parent / "tool_tasks.json"

NOTES = {"A.md": "#fermenting #ferment/slow\n"}

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("tools")
    async with serving([write_vault(folder / "Notes", NOTES)], folder / "data", folder / "no models") as served:
        yield served


async def found(served: Served, task: str, **arguments: int) -> list[str]:
    return [tool["name"] for tool in (await served.call("find_tool", task=task, **arguments)).json["tools"]]


OTHER_LANGUAGES = [
    ("hernoem een notitie", "move_note"),
    ("sloučit dvě poznámky", "merge_notes"),
    ("kumoa viimeisin muutos", "undo_change"),
    ("notun adını değiştir", "move_note"),
    ("ノートの名前を変更する", "move_note"),
    ("모든 태그 목록", "list_tags"),
    ("التراجع عن آخر تغيير", "undo_change"),
    ("नोट का नाम बदलें", "move_note"),
    ("đổi tên ghi chú", "move_note"),
    ("gabungkan dua catatan", "merge_notes"),
    ("αναίρεση της τελευταίας αλλαγής", "undo_change"),
]


async def test_only_words_of_no_list_are_left_to_a_model() -> None:
    tools = [tool for tool in listed_tools("full").values() if tool.name not in META_TOOLS]
    assert not any(is_understood(task, tools) for task, _ in OTHER_LANGUAGES)
    tasks = json.loads(TASKS.read_text(encoding="utf-8"))
    known = [task for part in REACHED for task, _ in tasks[part]]
    assert sum(is_understood(task, tools) for task in known) >= 0.95 * len(known)


@pytest.mark.model
async def test_a_multilingual_model_finds_tools_in_languages_that_have_no_list() -> None:
    tools = [tool for tool in listed_tools("full").values() if tool.name not in META_TOOLS]
    try:
        model = find_model(default_models_dir(), MULTILINGUAL_MODEL)
    except ModelMissing:
        pytest.skip("The multilingual model is not installed.")
    embedder, vectors = Embedder(model, 1, 600), DescriptionVectors()
    try:
        ranked = [await vectors.rank(task, tools, MULTILINGUAL_MODEL, embedder) for task, _ in OTHER_LANGUAGES]
        assert await vectors.rank("notun adı", tools, DEFAULT_MODEL, embedder) == []
    finally:
        await embedder.close()
    for (task, right), found in zip(OTHER_LANGUAGES, ranked, strict=True):
        assert right in [tool.name for _, tool in found[:3]], task


REACHED = {
    "development": (0.95, 0.99),
    "held_out": (0.9, 0.96),
    "other_languages": (0.95, 1.0),
    "other_languages_held_out": (0.9, 0.9),
    "everyday": (0.95, 1.0),
    "everyday_held_out": (0.8, 0.95),
}
"""The share of tasks for which the right tool, or none, is found first and among three. No description was worded
and no word listed for the tasks held out; rewordings that lost one of them were dropped."""


@pytest.mark.parametrize("part", REACHED)
async def test_the_tool_for_a_task_is_found(part: str) -> None:
    tools = [tool for tool in listed_tools("full").values() if tool.name not in META_TOOLS]
    not_first, not_among = [], []
    tasks = json.loads(TASKS.read_text(encoding="utf-8"))[part]
    for task, right in tasks:
        names = [tool.name for likeness, tool in rank(task, tools)[:3] if likeness >= MIN_TASK_LIKENESS]
        if not (names[0] in right if names and right else names == right):
            not_first.append((task, names))
        if not (any(name in right for name in names) if right else not names):
            not_among.append((task, names))
    assert len(tasks) >= 30
    assert 1 - len(not_first) / len(tasks) >= REACHED[part][0], not_first
    assert 1 - len(not_among) / len(tasks) >= REACHED[part][1], not_among


async def test_every_tool_says_what_it_is_good_for() -> None:
    assert not [tool.name for tool in listed_tools("full").values() if not tool.tasks and tool.name not in META_TOOLS]


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
        ("revert everything from this session", "undo_change"),
        ("bring back a change that was reverted", "undo_change"),
        ("apply many edits at once or none of them", "change_set"),
        ("throw a note away", "delete_note"),
        ("turn mentions into wikilinks", "apply_links"),
        ("show the diff of a change", "show_change"),
        ("move_note", "move_note"),
        ("Undo session", "undo_change"),
    ],
)
async def test_a_tool_is_found(served: Served, task: str, tool: str) -> None:
    assert tool in await found(served, task, limit=5)


async def test_none_is_found_for_what_no_tool_does(served: Served) -> None:
    answer = (await served.call("find_tool", task="translate a note into Italian")).json
    assert answer["tools"] == []
    (notice,) = answer["notices"]
    assert notice.startswith("Nothing fits well. The closest: `")
    (notice,) = (await served.call("find_tool", task="zzz")).json["notices"]
    assert notice.startswith("Nothing fits these words: ")
    for task in ("今日のノート", "!?"):
        assert len(await found(served, task)) <= 3


async def test_only_tools_are_found_that_are_allowed(served: Served) -> None:
    names = await found(served, "change settings", limit=20)
    assert {"find_tool", "run_tool", "give_feedback", "change_settings"}.isdisjoint(names)
    assert "read_settings" in names


async def test_what_is_for_applications_is_no_tool(served: Served) -> None:
    names = await found(served, "take a change that was told of, to make it in Obsidian, and say it was made", limit=20)
    assert {"claim_change", "acknowledge_change"}.isdisjoint(names)
    ran = await served.call("run_tool", name="claim_change", arguments={"change_id": "0"})
    assert (ran.status, ran.code) == (404, "no_such_operation")


async def test_only_what_is_an_object_is_told_as_one() -> None:
    arguments = [argument for operation in operations() for argument in operation.arguments]
    told = {argument.name for argument in arguments if describe_hint(argument.hint) == "an object"}
    assert told == {"properties", "arguments", "changes", "metadata", "old", "rename", "rename_tags", "variables"}


async def test_arguments_are_told(served: Served) -> None:
    (tool,) = (await served.call("find_tool", task="find the file that a link means", limit=1)).json["tools"]
    assert tool["name"] == "resolve_link"
    assert tool["arguments"][0] == {
        "name": "link",
        "takes": "a string of at most 10,000 characters",
        "meaning": "The link's inner text, without brackets or alias.",
        "required": True,
    }


async def test_a_tool_answers_as_if_called_directly(served: Served) -> None:
    direct = (await served.call("list_tags", prefix="ferment")).json
    ran = (await served.call("run_tool", name="list_tags", arguments={"prefix": "ferment"})).json
    assert ran == {"name": "list_tags", "result": direct}
    named = await served.call("run_tool", name="list_tags", arguments={"prefix": "ferment", "vault": "Notes"})
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
async def test_a_tool_is_refused_as_if_called_directly(served: Served, arguments: dict[str, object], code: str) -> None:
    assert (await served.call("run_tool", **arguments)).code == code


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
