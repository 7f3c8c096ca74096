"""The operations as MCP tools, in both eras."""

import pytest

from bridge.operations import operations
from tests.mcp.client import ERAS, Era, connected, text_of
from tests.operations.served import Served

BOTH = pytest.mark.parametrize("era", ERAS)


@BOTH
async def test_tools_are_listed_and_called(served: Served, era: Era) -> None:
    async with connected(served, era) as client:
        assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools)[:2] == ["search", "read_note"]
        assert tools["search"].output_schema is None
        found = await client.call_tool("search", {"query": "frost"})
        assert (found.is_error, found.structured_content) == (False, None)
        assert "Garden/Beans.md" in text_of(found)


@BOTH
async def test_the_full_preset_answers_structured(served: Served, era: Era) -> None:
    async with connected(served, era, preset="full") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [operation.name for operation in operations()]
        assert all(tool.output_schema for tool in tools.values())
        found = await client.call_tool("search", {"query": "frost"})
        assert found.structured_content is not None
        assert [hit["path"] for hit in found.structured_content["hits"]] == ["Garden/Beans.md"]
        assert "Garden/Beans.md" in text_of(found)
