"""Who is offered which tools, and what the list of them costs."""

import asyncio
import json
import re

import pytest

from bridge.api.presets import DEFAULT_TOOLS, NOTEBOOK_TOOLS, READ_ONLY_TOOLS, WRITING_TOOLS, listed_tools
from bridge.api.registry import OPERATIONS
from bridge.mcp.endpoint import INSTRUCTIONS
from bridge.mcp.tools import describe_tool
from bridge.types import Preset
from tests.features.served import PATIENCE_S, Served
from tests.mcp.client import ERAS, Era, connected, text_of

BOTH = pytest.mark.parametrize("era", ERAS)

CHARACTERS_A_TOKEN = 4.2
"""Of the schemas of tools, counted once with the tokenizer `o200k_base`."""

BUDGETS: dict[Preset, int] = {"default": 2_310, "notebook": 2_550, "writing": 5_500, "read-only": 3_000}


def test_the_default_tools_are_the_contracts() -> None:
    assert len(DEFAULT_TOOLS) == 13
    assert list(DEFAULT_TOOLS) == list(listed_tools("default"))


def test_the_notebook_is_small() -> None:
    assert len(NOTEBOOK_TOOLS) <= 12
    assert list(listed_tools("notebook")) == [name for name in NOTEBOOK_TOOLS if name in OPERATIONS]


def test_every_tool_of_a_preset_exists() -> None:
    assert list(WRITING_TOOLS) == list(listed_tools("writing"))
    assert list(READ_ONLY_TOOLS) == list(listed_tools("read-only"))
    assert set(DEFAULT_TOOLS) < set(WRITING_TOOLS)
    assert len(WRITING_TOOLS) <= 26


@pytest.mark.parametrize("preset", BUDGETS)
def test_the_list_of_tools_keeps_its_budget(preset: Preset) -> None:
    listed = [describe_tool(tool, ["Notes"], preset) for tool in listed_tools(preset).values()]
    written = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in listed)
    assert written / CHARACTERS_A_TOKEN <= BUDGETS[preset]
    assert all(tool.output_schema is None for tool in listed)


@pytest.mark.parametrize("preset", [*BUDGETS, "full"])
def test_every_schema_defines_what_it_refers_to(preset: Preset) -> None:
    for tool in listed_tools("full").values():
        schema = describe_tool(tool, ["Notes"], preset).input_schema
        referred = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema)))
        assert referred == schema.get("$defs", {}).keys(), tool.name


def test_instructions_say_what_find_tool_leads_to() -> None:
    behind = INSTRUCTIONS.partition("`find_tool`")[2].partition(":")[2].partition(".")[0]
    assert {"daily notes", "tasks", "history and undo", "broken links", "tags and properties"} <= {
        part.strip() for part in behind.split(",")
    }
    assert all(f"`{name}`" in behind for name in ("ask", "brief", "remember", "recall", "hand_over", "plan_tidy"))
    assert len(behind.split()) <= 55


@BOTH
async def test_an_agent_with_a_notebook_begins_with_a_briefing(served: Served, era: Era) -> None:
    async with connected(served, era, preset="notebook") as client:
        assert (client.instructions or "").startswith("Begin with `brief`; ")
        assert "Nothing is known yet" in text_of(await client.call_tool("brief", {"task": "sow"}))
    async with connected(served, era) as client:
        assert not (client.instructions or "").startswith("Begin with `brief`; ")


@BOTH
async def test_the_list_is_the_same_each_time(served: Served, era: Era) -> None:
    lists = []
    for _ in range(2):
        async with connected(served, era) as client:
            lists.append((await client.list_tools()).model_dump_json(exclude={"meta"}))
    assert lists[0] == lists[1]


@BOTH
async def test_the_read_only_preset_only_reads(served: Served, era: Era) -> None:
    async with connected(served, era, preset="read-only") as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(READ_ONLY_TOOLS)
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        (daily,) = (tool for tool in tools if tool.name == "daily_note")
        assert set(daily.input_schema["properties"]) == {"date"}
        refused = await client.call_tool("create_note", {"path": "A.md"})
        assert refused.is_error
        assert "These are: search, " in text_of(refused)


@BOTH
async def test_a_task_that_writes_finds_no_tool_in_the_read_only_preset(served: Served, era: Era) -> None:
    async with connected(served, era, preset="read-only") as client:
        said = text_of(await client.call_tool("find_tool", {"task": "rename a note"}))
        assert said == "This takes a tool that writes, and the preset `read-only` only reads."
        assert text_of(await client.call_tool("find_tool", {"task": "dead links"})).startswith("link_report")
        instructions = client.instructions or ""
        assert "broken links" in instructions
        assert "deleting" not in instructions
    async with connected(served, era) as client:
        assert "deleting" in (client.instructions or "")
        empty = await client.call_tool("find_tool", {})
        assert (empty.is_error, "`task`" in text_of(empty)) == (True, True)
        wrong = text_of(await client.call_tool("find_tool", {"query": "rename a note"}))
        assert "`query`" in wrong
        assert "`task`" in wrong


@BOTH
async def test_who_only_reads_writes_by_no_way(served: Served, era: Era) -> None:
    """The token may write; the preset does not."""
    async with connected(served, era, preset="read-only") as client:
        for tool, arguments in (
            ("daily_note", {"append": "No."}),
            ("run_tool", {"name": "create_note", "arguments": {"path": "A.md"}}),
            ("run_tool", {"name": "daily_note", "arguments": {"append": "No."}}),
            ("run_tool", {"name": "run_tool", "arguments": {"name": "daily_note", "arguments": {"append": "No."}}}),
        ):
            assert (await client.call_tool(tool, arguments)).is_error, tool
        found = text_of(await client.call_tool("find_tool", {"task": "how notes are connected"}))
        assert "graph_path" in found
        assert "delete_note" not in text_of(await client.call_tool("find_tool", {"task": "delete a note"}))
        assert "Garden" in text_of(await client.call_tool("run_tool", {"name": "list_folders"}))
    assert not list(served.bridge.find(None).root.rglob("A.md"))


@BOTH
async def test_what_is_found_can_be_run(served: Served, era: Era) -> None:
    async with connected(served, era) as client:
        found = text_of(await client.call_tool("find_tool", {"task": "list the folders"}))
        assert found.startswith("list_folders — ")
        assert "Run one with `run_tool`." in found
        ran = text_of(await client.call_tool("run_tool", {"name": "list_folders"}))
        assert ran == text_of(await client.call_tool("run_tool", {"name": "list_folders", "arguments": "{}"}))
        # Clients that call what is not listed reach it too.
        assert ran == text_of(await client.call_tool("list_folders"))
        written = {"path": "Made.md", "text": "Words."}
        made = text_of(await client.call_tool("run_tool", {"name": "create_note", "arguments": json.dumps(written)}))
        assert "Made.md" in made
        listed = text_of(await client.call_tool("find_tool", {"task": "create a note"}))
        assert "create_note — Create a note; an existing one is never overwritten. (listed: call it directly)" in listed
        none = text_of(await client.call_tool("find_tool", {"task": "order a pizza"}))
        assert none.startswith("Nothing fits")


@BOTH
async def test_the_tool_is_counted_that_ran(served: Served, era: Era) -> None:
    async with connected(served, era) as client:
        await client.call_tool("run_tool", {"name": "list_tasks"})
        await client.call_tool("run_tool", {"name": "read_note", "arguments": {"path": "Bread/Rye.md"}})
        await client.call_tool("run_tool", {"name": "nothing_such"})
    await served.call("run_tool", name="list_tags", arguments={})
    used = {tool["name"]: tool["calls"] for tool in (await served.call("usage")).json["tools"]}
    assert {"list_tasks", "read_note", "list_tags"} <= used.keys()
    assert used["run_tool"] == 1


@BOTH
async def test_the_setting_chooses_when_the_address_does_not(served: Served, era: Era) -> None:
    changed = await served.command("change-settings", "--changes", "mcp_preset=read-only")
    assert changed.status == 0, changed.err
    async with asyncio.timeout(PATIENCE_S):
        while served.bridge.settings.mcp_preset != "read-only":
            await asyncio.sleep(0.05)
    async with connected(served, era) as client:
        assert "create_note" not in {tool.name for tool in (await client.list_tools()).tools}
    async with connected(served, era, preset="full") as client:
        assert "status" in {tool.name for tool in (await client.list_tools()).tools}


@BOTH
async def test_an_unknown_preset_is_refused(served: Served, era: Era) -> None:
    async with connected(served, era, preset="everything") as client:
        answer = await client.call_tool("search", {"query": "frost"})
    assert text_of(answer).startswith(
        "invalid_arguments: There is no preset `everything`.\nPresets: default, notebook, writing, read-only"
    )
