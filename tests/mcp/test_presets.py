"""Who is offered which tools, and what the list of them costs."""

import asyncio

import pytest

from bridge.mcp.tools import described
from bridge.operations import offered
from bridge.operations.presets import DEFAULT
from tests.mcp.client import ERAS, Era, connected, text_of
from tests.operations.served import PATIENCE_S, Served

BOTH = pytest.mark.parametrize("era", ERAS)

CHARACTERS_A_TOKEN = 4.2
"""Of the schemas of tools, counted once with the tokenizer `o200k_base`."""

BUDGET = 2_500


def test_the_default_tools_are_the_contracts() -> None:
    assert len([name for name in DEFAULT if name != "run_tool"]) == 12
    assert set(DEFAULT) == offered("default").keys()


def test_the_list_of_tools_keeps_its_budget() -> None:
    listed = [described(tool, ["Notes"], full=False) for tool in offered("default").values()]
    written = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in listed)
    assert written / CHARACTERS_A_TOKEN <= BUDGET


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
        assert [tool.name for tool in tools] == [
            "search", "read_note", "find_notes", "related_notes", "note_links", "list_tags", "suggest_links"
        ]  # fmt: skip
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        refused = await client.call_tool("run_tool", {"name": "status"})
        assert refused.is_error
        assert "These are: search, " in text_of(refused)


@BOTH
async def test_the_setting_chooses_when_the_address_does_not(served: Served, era: Era) -> None:
    changed = await served.command("change-settings", "--changes", "mcp_preset=read-only")
    assert changed.status == 0, changed.err
    async with asyncio.timeout(PATIENCE_S):
        while served.bridge.settings.mcp_preset != "read-only":
            await asyncio.sleep(0.05)
    async with connected(served, era) as client:
        assert "find_tool" not in {tool.name for tool in (await client.list_tools()).tools}
    async with connected(served, era, preset="full") as client:
        assert "status" in {tool.name for tool in (await client.list_tools()).tools}


@BOTH
async def test_an_unknown_preset_is_refused(served: Served, era: Era) -> None:
    async with connected(served, era, preset="everything") as client:
        answer = await client.call_tool("search", {"query": "frost"})
    assert text_of(answer).startswith(
        "invalid_arguments: There is no preset `everything`.\nPresets: default, read-only"
    )
