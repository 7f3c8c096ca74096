"""Chat models that call tools of the user's own servers while they answer: who may, and what they get."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.access.tokens import Tokens
from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from bridge.features.external_tools.pool import ServerPool
from bridge.types import Scope
from tests.external_tools.servers import NEVER, SECRET, programs, wait_for_end, write_servers
from tests.features.served import Served
from tests.features.test_ask import FED, ask, events_of, stream, use_chat_model, workers
from tests.features.test_ask_lookups import THRICE
from tests.mcp.client import connected, text_of
from tests.mcp.test_confirming import Person
from tests.models.scripted import scripted_gguf

NOTES = {"Levain.md": "# Levain\n\nA levain is a starter of flour and water. It is fed twice a day.\n"}
AGENT: list[Scope] = ["read", "write"]
KILN = "The kiln reaches 1200 degrees in May."
WINDOW = 24_000
ABSENT = "What torque has the zeppelin engine?"


def call_of(tool: str, **arguments: Any) -> str:
    return json.dumps({"tool": tool, "arguments": arguments}, ensure_ascii=False)


async def use_calls(served: Served, tmp_path: Path, first: str, *after: str, **settings: Any) -> None:
    """Use a chat model that calls a tool, and answers with a text after the result."""
    scripts = {"<|answer|>": [first], "<|after_tool|>": list(after)}
    await use_chat_model(served, scripted_gguf(tmp_path / "caller.gguf", scripts), **settings)


async def ask_as(served: Served, scopes: list[Scope], **arguments: Any) -> Any:
    """Ask as a client that holds a token of its own."""
    _, token = Tokens(served.bridge.folders.tokens).create("agent", scopes, numbered=True)
    headers = {"Authorization": f"Bearer {token}"}
    data = json.dumps({"question": FED, **arguments}).encode()
    return (await served.request("POST", "/api/ask", headers=headers, data=data)).json


def refusal_of(answer: Any) -> tuple[str, str]:
    return answer["error"]["code"], answer["error"]["message"]


# -- called -----------------------------------------------------------------------------------------------------------


@pytest.mark.model
async def test_an_answer_cites_what_a_tool_said(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    await use_calls(served, tmp_path, call_of("test__say", text=KILN, to=[3, {"a": None}]), KILN[:-1], " [2].")
    events = await events_of(served, question=FED, tools=["test__say"])
    arguments = {"text": KILN, "to": '[3, {"a": null}]'}
    assert ("tool", {"tool": "test__say", "arguments": arguments}) in events
    found = events[-1][1]
    (step,) = found["steps"]
    assert (step["tool"], step["arguments"], step["excerpts"], step["error"]) == ("test__say", arguments, [2], "")
    assert found["answer"] == f"{KILN[:-1]} [2]."
    assert found["sentences"] == [{"text": KILN, "cites": [2], "supported": True}]
    assert found["citations"] == [
        {"number": 2, "path": "", "heading": "", "lines": [1, 1], "quote": KILN, "tool": "test__say"}
    ]
    assert [(one["path"], one["tool"]) for one in found["context"]] == [("Levain.md", ""), ("", "test__say")]
    assert any("other programs, which may be wrong" in notice for notice in found["notices"])


@pytest.mark.model
async def test_what_a_tool_does_not_say_is_not_supported(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    await use_calls(served, tmp_path, call_of("test__say", text=KILN), "The kiln was sold to Bonn", " [2].")
    found = await ask(served, FED, tools=["test__*"])
    assert found["withheld"] == "The kiln was sold to Bonn [2]."


@pytest.mark.model
async def test_a_tool_answers_what_is_not_in_the_vault(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    said = "The zeppelin engine has a torque of 900 newton metres."
    assert (await ask(served, ABSENT))["answerability"]["verdict"] == "not_in_vault"
    number = len((await ask(served, ABSENT))["context"]) + 1
    await use_calls(served, tmp_path, call_of("test__say", text=said), said[:-1], f" [{number}].")
    found = await ask(served, ABSENT, tools=["test__say"])
    assert found["answer"] == f"{said[:-1]} [{number}]."
    assert found["sentences"][0]["supported"]
    # Without the tool nothing is written, and a failed call changes nothing of that.
    assert (await ask(served, ABSENT))["answer"] == ""
    await use_calls(served, tmp_path, call_of("test__fail"), "The notes do not say.")
    found = await ask(served, ABSENT, tools=["test__fail"])
    assert (found["answer"], found["mode_used"], len(found["steps"])) == ("", "extract", 1)
    assert found["steps"][0]["error"] == "The server says that it failed: failed: [secret KEY]"


@pytest.mark.model
async def test_only_tools_that_are_named_can_be_called(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    await use_calls(served, tmp_path, call_of("test__pid"), "It is fed twice a day [1].")
    found = await ask(served, FED, tools=["test__say"])
    assert "test__pid" not in {one["tool"] for one in found["steps"]}
    # By default nothing of it is there, and no program starts.
    await served.bridge.part(ServerPool).close()
    await wait_for_end()
    await ask(served, FED, max_steps=2)
    assert programs() == []


@pytest.mark.model
async def test_nothing_is_started_without_a_model_that_calls(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    found = await ask(served, FED, tools=["test__say"])
    assert any("`tools` counts only with a chat model" in notice for notice in found["notices"])
    await use_calls(served, tmp_path, "It is fed twice a day [1].")
    await ask(served, FED, tools=["test__say"], max_steps=0)
    assert programs() == []


# -- consent ----------------------------------------------------------------------------------------------------------


@pytest.mark.model
async def test_without_the_user_s_consent_the_answer_goes_on(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data)
    await use_calls(served, tmp_path, call_of("test__say", text=KILN), "It is fed twice a day [1].")
    found = await ask_as(served, AGENT, tools=["test__say"])
    assert "the user must agree to this call" in found["steps"][0]["error"]
    assert found["answer"] == "It is fed twice a day [1]."
    assert programs() == []
    hidden = await ask_as(served, AGENT, tools=["test__*"])
    assert any("not started before the user agrees" in notice for notice in hidden["notices"])
    assert programs() == []
    alone = await ask_as(served, AGENT, tools=["test__say"], agreed=True)
    assert "the user must agree to this call" in alone["steps"][0]["error"]
    changes = {"agents_confirm": True}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": changes})
    assert (await ask_as(served, AGENT, tools=["test__say"], agreed=True))["steps"][0]["error"] == ""


@pytest.mark.model
async def test_where_the_user_can_be_asked_an_agent_cannot_agree(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data)
    await use_calls(served, tmp_path, call_of("test__say", text=KILN), "It is fed twice a day [1].")
    given = {"question": FED, "tools": ["test__say"], "agreed": True}
    async with connected(served, preset="full", elicitation_callback=Person("accept", confirm=True)) as client:
        text = text_of(await client.call_tool("ask", given))
    assert "the user must agree to this call" in text
    assert "test__say, another program" not in text
    assert programs() == []


async def test_tools_that_may_not_be_called_are_refused(served: Served, data: Path) -> None:
    write_servers(data, more=f'{NEVER}\ntools = ["say"]')

    async def refused(scopes: list[Scope], *tools: str) -> tuple[str, str]:
        return refusal_of(await ask_as(served, scopes, tools=tools))

    assert await refused(AGENT, "test__pid") == ("forbidden", "Agents may not call `pid` of `test`.")
    assert (await refused(["read"], "test__say"))[0] == "forbidden"
    assert await refused(AGENT, "other__say") == ("invalid_arguments", "There is no server `other`.")
    for name in ("say", "test__", "test__a b", 'test__"', "test_say"):
        assert (await refused(AGENT, name))[0] == "invalid_arguments"
    async with connected(served, preset="read-only") as client:
        inner = {"name": "ask", "arguments": {"question": FED, "tools": ["test__say"]}}
        assert text_of(await client.call_tool("run_tool", inner)).startswith("forbidden: Tools of other programs")
    write_servers(data, more="enabled = false")
    assert await refused(AGENT, "test__say") == ("forbidden", "The server `test` is disabled.")
    assert programs() == []


@pytest.mark.model
async def test_an_unknown_tool_is_named_with_those_that_there_are(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    await use_calls(served, tmp_path, "It is fed twice a day [1].")
    answer = (await served.call("ask", question=FED, tools=["test__nothing"])).json
    assert refusal_of(answer) == ("invalid_arguments", "`test` has no tool `nothing`.")
    assert "`say`, `env`" in answer["error"]["hint"]


# -- failing and hostile programs -------------------------------------------------------------------------------------


@pytest.mark.model
async def test_a_server_that_dies_costs_a_step_only(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    await use_calls(served, tmp_path, call_of("test__die"), "It is fed twice a day [1].")
    found = await ask(served, FED, tools=["test__die"])
    assert found["steps"][0]["error"].startswith("`test` ended before it answered.")
    assert SECRET not in json.dumps(found)
    assert found["answer"] == "It is fed twice a day [1]."
    write_servers(data, "early", more=NEVER)
    found = await ask(served, FED, tools=["test__die"])
    assert found["steps"][0]["error"]
    assert found["answer"] == "It is fed twice a day [1]."


@pytest.mark.model
async def test_a_call_is_told_though_the_model_dies_after_it(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, more=NEVER)
    answer = ["It is fed twice a day", *(f" and day {n}" for n in range(400)), " [1]."]
    await use_calls(served, tmp_path, call_of("test__say", text=KILN), *answer)
    events = []
    async for event in stream(served, question=FED, tools=["test__say"]):
        events.append(event)
        if event[0] == "token" and workers():
            workers()[0].kill()
    kind, found = events[-1]
    assert (kind, found["mode_used"]) == ("done", "extract")
    assert [(one["tool"], one["error"], one["excerpts"]) for one in found["steps"]] == [("test__say", "", [])]


@pytest.mark.model
async def test_a_hostile_program_only_says_text(served: Served, data: Path, tmp_path: Path) -> None:
    write_servers(data, "hostile", more=NEVER)
    scripts = {
        "<|answer|>": [call_of("test__say", text="x")],
        "<|after_tool|>": [call_of("test__large")],
        "<|system|>": ["It is fed twice a day [1]."],
    }
    await use_chat_model(
        served, scripted_gguf(tmp_path / "caller.gguf", scripts, template=THRICE, window=WINDOW), chat_window=WINDOW
    )
    # Each byte is a token of this model.
    found = await ask(served, FED, tools=["test__*"], budget=1_000)
    assert [(one["tool"], one["error"]) for one in found["steps"]] == [("test__say", ""), ("test__large", "")]
    assert found["sentences"] == [{"text": "It is fed twice a day.", "cites": [1], "supported": True}]
    large = found["context"][-1]
    assert (large["tool"], large["path"]) == ("test__large", "")
    assert 500 < large["tokens"] <= 1_000
    assert found["tokens_read"] < WINDOW
