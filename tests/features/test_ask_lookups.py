"""Chat models that look further before they answer: what they may call, what they get, and where that ends."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.features.answers.prompt import LOOKUP_TOOLS
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.features.test_ask import FED, ask, events_of, use_chat_model, workers
from tests.models.scripted import TEMPLATE, random_gguf, scripted_gguf

pytestmark = pytest.mark.model

NOTES = {
    "Levain.md": "# Levain\n\nA levain is a starter of flour and water. It is fed twice a day.\n",
    "Bread/Rye.md": "# Rye\n\nRye bread keeps for a week.\n\n## Oven\n\nIt is baked at 250 degrees.\n",
    "Kitchen.md": "# Kitchen\n\nThe walls were painted green in May. #house\n\n- [ ] Buy 3 brushes\n- [x] Buy paint\n",
    "Secret/Walls.md": "The walls hide a million. #house\n",
}

THRICE = TEMPLATE.replace(
    "<|after_tool|>",
    "{% if messages|selectattr('role', 'equalto', 'tool')|list|length > 1 %}<|system|>{% else %}<|after_tool|>"
    "{% endif %}",
)
"""A template after which the second result of a tool is answered by a script of its own."""


def call_of(tool: str, **arguments: str) -> str:
    return json.dumps({"tool": tool, "arguments": arguments}, ensure_ascii=False)


def halves(text: str) -> tuple[str, str]:
    """Return a text as two tokens, which a model that has it as one can say, too."""
    return text[:9], text[9:]


async def use_calls(served: Served, tmp_path: Path, first: str, *after: str, **settings: Any) -> None:
    """Use a chat model that calls a tool, and answers with a text after the result."""
    scripts = {"<|answer|>": [first], "<|after_tool|>": list(after)}
    await use_chat_model(served, scripted_gguf(tmp_path / "caller.gguf", scripts), **settings)


async def test_steps_without_a_model_are_told_to_count_for_nothing(served: Served) -> None:
    found = await ask(served, FED, max_steps=2)
    assert any("`max_steps` counts only with a chat model" in notice for notice in found["notices"])
    assert not any("max_steps" in notice for notice in (await ask(served, FED))["notices"])


async def test_a_model_searches_again_and_cites_what_it_found(served: Served, tmp_path: Path) -> None:
    call = call_of("search", query="walls painted")
    await use_calls(served, tmp_path, call, "The walls were painted green in May ", "[2].")
    found = await ask(served, FED, max_steps=2, paths=["Levain.md", "Kitchen.md"], budget=100)
    (step,) = found["steps"]
    assert (step["tool"], step["arguments"], step["error"]) == ("search", {"query": "walls painted"}, "")
    assert step["excerpts"] == [2]
    assert found["answer"] == "The walls were painted green in May [2]."
    assert [(one["text"], one["supported"]) for one in found["sentences"]] == [
        ("The walls were painted green in May.", True)
    ]
    assert found["citations"][0]["path"] == "Kitchen.md"
    assert {one["number"]: one["path"] for one in found["context"]}[2] == "Kitchen.md"


@pytest.mark.parametrize(
    ("call", "path", "text"),
    [
        (call_of("read_note", path="Rye", section="Oven"), "Bread/Rye.md", "It is baked at 250 degrees"),
        (call_of("read_note", path="Rye#Oven"), "Bread/Rye.md", "It is baked at 250 degrees"),
        (call_of("find_notes", tag="#house"), "Kitchen.md", "The walls were painted green in May"),
        (call_of("list_tasks", status="open", text="brushes"), "Kitchen.md", "Buy 3 brushes"),
    ],
)
async def test_each_tool_reads_notes(served: Served, tmp_path: Path, call: str, path: str, text: str) -> None:
    save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]})
    await served.bridge.reload()
    first = await ask(served, FED, mode="extract", budget=100, without=["Bread", "Kitchen.md"])
    number = len(first["context"]) + 1
    await use_calls(served, tmp_path, call, f"{text} ", f"[{number}].")
    # What the question is limited to by mentions does not keep the model from the rest.
    found = await ask(served, FED, max_steps=1, budget=100)
    assert found["steps"][0]["error"] == ""
    cited = [one["path"] for one in found["citations"]]
    assert path in cited or path in {one["path"] for one in found["context"]}
    assert any(one["supported"] for one in found["sentences"]), found


async def test_an_answer_is_not_told_before_it_is_known_to_be_no_call(served: Served, tmp_path: Path) -> None:
    await use_calls(served, tmp_path, call_of("search", query="walls"), "It is fed twice a day [1].")
    events = await events_of(served, question=FED, max_steps=2)
    kinds = [kind for kind, _ in events]
    assert ("tool", {"tool": "search", "arguments": {"query": "walls"}}) in events
    assert ("status", "Searching for walls") in events
    assert kinds.index("tool") < kinds.index("token")
    told = "".join(data for kind, data in events if kind == "token")
    assert told.strip() == events[-1][1]["answer"] == "It is fed twice a day [1]."


async def test_the_same_call_is_refused_the_second_time(served: Served, tmp_path: Path) -> None:
    call = call_of("search", query="walls")
    await use_calls(served, tmp_path, call, *halves(call))
    found = await ask(served, FED, max_steps=4)
    assert [one["error"] for one in found["steps"]] == ["", "It was called before."]
    assert '"tool"' not in found["answer"]


async def test_a_model_looks_no_further_than_it_may(served: Served, tmp_path: Path) -> None:
    scripts = {
        "<|answer|>": [call_of("search", query="walls")],
        "<|after_tool|>": [call_of("search", query="oven")],
        "<|system|>": ["It is fed twice a day [1]."],
    }
    await use_chat_model(served, scripted_gguf(tmp_path / "caller.gguf", scripts, template=THRICE))
    found = await ask(served, FED, max_steps=4)
    assert [one["arguments"]["query"] for one in found["steps"]] == ["walls", "oven"]
    assert found["answer"] == "It is fed twice a day [1]."
    assert len((await ask(served, FED, max_steps=1))["steps"]) == 1
    assert (await ask(served, FED, max_steps=0))["steps"] == []


async def test_a_small_model_looks_no_further_unless_it_is_asked_to(served: Served, tmp_path: Path) -> None:
    await use_calls(served, tmp_path, call_of("search", query="walls"), "It is fed twice a day [1].")
    found = await ask(served, FED)
    assert found["steps"] == []
    assert '"tool"' not in found["answer"]


async def test_a_model_without_tools_is_told_about(served: Served, tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}"
        "<|{{ m.role }}|>{{ m.content }}{% endfor %}<|answer|>"
    )
    scripts = {"<|answer|>": ["It is fed twice a day [1]."]}
    await use_chat_model(served, scripted_gguf(tmp_path / "plain.gguf", scripts, template=template))
    found = await ask(served, FED, max_steps=3)
    assert found["mode_used"] == "chat"
    assert any("cannot look further" in notice for notice in found["notices"])
    assert not any("cannot look further" in notice for notice in (await ask(served, FED))["notices"])


@pytest.mark.parametrize("tool", ["search", "read_note", "find_notes"])
async def test_denied_notes_are_not_looked_up(served: Served, tmp_path: Path, tool: str) -> None:
    save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]})
    await served.bridge.reload()
    arguments = {
        "search": {"query": "walls million"},
        "read_note": {"path": "Secret/Walls.md"},
        "find_notes": {"tag": "house"},
    }[tool]
    await use_calls(served, tmp_path, call_of(tool, **arguments), "It is fed twice a day [1].")
    found = await ask(served, FED, max_steps=1)
    assert "Secret" not in json.dumps([found["context"], found["citations"]])
    assert "million" not in json.dumps([found["answer"], found["citations"], found["notices"]])
    if tool == "read_note":
        assert found["steps"][0]["error"]


@pytest.mark.parametrize(
    "call",
    [
        call_of("search", query="walls green kitchen"),
        call_of("read_note", path="Kitchen"),
        call_of("find_notes", tag="house"),
        call_of("list_tasks", status="all"),
    ],
)
@pytest.mark.parametrize("limit", [{"paths": ["Levain.md"]}, {"folder": "Bread"}, {"without": ["Kitchen.md"]}])
async def test_what_the_question_leaves_out_is_not_looked_up(
    served: Served, tmp_path: Path, call: str, limit: dict[str, Any]
) -> None:
    await use_calls(served, tmp_path, call, "It is fed twice a day [1].")
    found = await ask(served, f"{FED} And how long does rye bread keep?", max_steps=1, **limit)
    assert len(found["steps"]) == 1
    assert "Kitchen.md" not in {one["path"] for one in found["context"]}


async def test_a_failed_call_is_told_and_the_model_answers(served: Served, tmp_path: Path) -> None:
    await use_calls(served, tmp_path, call_of("list_tasks", status="later"), "It is fed twice a day [1].")
    found = await ask(served, FED, max_steps=1)
    assert found["steps"][0]["error"].startswith("`status` must be one of")
    assert found["answer"] == "It is fed twice a day [1]."


@pytest.mark.parametrize(("window", "error"), [(1_200, "The model's window is full."), (1_450, "")])
async def test_a_full_window_ends_the_looking(served: Served, tmp_path: Path, window: int, error: str) -> None:
    call = call_of("search", query="walls")
    answer_tokens = {"answers.answer_tokens": 200}
    await use_calls(served, tmp_path, call, "It is fed twice a day [1].", chat_window=window, **answer_tokens)
    found = await ask(served, FED, max_steps=2)
    assert found["tokens_read"] < window
    assert found["steps"][0]["error"] == error
    assert found["answer"] == "It is fed twice a day [1]."


async def test_what_is_looked_up_is_recorded_for_the_user(served: Served, tmp_path: Path) -> None:
    await use_calls(served, tmp_path, call_of("read_note", path="Kitchen"), "It is fed twice a day [1].")
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Session": "one"}
    question = {"question": FED, "max_steps": 1, "paths": ["Levain.md", "Kitchen.md"], "budget": 100}
    await served.request("POST", "/api/ask", headers=headers, data=json.dumps(question).encode())
    assert "Kitchen.md" in json.dumps((await served.call("list_injections")).json)


async def test_a_model_that_only_calls_leaves_no_process_behind(served: Served, tmp_path: Path) -> None:
    call = call_of("search", query="walls")
    await use_calls(served, tmp_path, call, *halves(call))
    for _ in range(5):
        await ask(served, FED, max_steps=4)
    assert len(workers()) == 1
    await served.bridge.generators.close()
    assert workers() == []


async def test_a_model_without_sense_calls_nothing_else(served: Served, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in served.bridge.find(None).root.rglob("*.md")}
    await use_chat_model(served, random_gguf(tmp_path / "random.gguf", layers=1), **{"answers.answer_tokens": 80})
    for question in (FED, "What is painted green?", "Where is rye baked?"):
        found = await ask(served, question, max_steps=8)
        given = {one["number"] for one in found["context"]}
        assert all(set(one["cites"]) <= given for one in found["sentences"])
        assert {one["tool"] for one in found["steps"]} <= {tool.name for tool in LOOKUP_TOOLS}
    assert before == {path: path.read_bytes() for path in served.bridge.find(None).root.rglob("*.md")}
