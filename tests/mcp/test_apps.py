"""What programs that show pages get beside the text; the pages themselves are tested in a browser, with the plugin."""

import base64
import hashlib
import re
from typing import Any

import pytest
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.shared.exceptions import MCPError
from mcp.types import TextResourceContents

from bridge.access.tokens import Tokens
from bridge.api.registry import APPS
from bridge.mcp.resources import ADDRESS, RESULT, build_page
from tests.features.served import Served
from tests.mcp.client import ERAS, Era, connected, text_of
from tests.mcp.test_presets import CHARACTERS_A_TOKEN

BOTH = pytest.mark.parametrize("era", ERAS)

SHOWS: dict[str, Any] = {"extensions": [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]}
APPEND = {"path": "Bread/Rye.md", "edits": [{"op": "append", "text": "More salt.\n"}]}


def token(served: Served) -> str:
    """Return the token of an agent whose changes wait for the user."""
    return Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])[1]


def pages(tools: Any) -> dict[str, str]:
    """Return the addresses of the pages of listed tools."""
    return {tool.name: tool.meta["ui"]["resourceUri"] for tool in tools.tools if tool.meta is not None}


@BOTH
@pytest.mark.parametrize("options", [{}, {"extensions": [advertise(EXTENSION_ID, {"mimeTypes": ["text/plain"]})]}])
async def test_a_program_without_pages_gets_what_it_got_before(
    served: Served, era: Era, options: dict[str, Any]
) -> None:
    async with connected(served, era, token=token(served), **options) as client:
        listed = await client.list_tools()
        assert pages(listed) == {}
        assert not {"show_change", "graph_view"} & {tool.name for tool in listed.tools}
        for name, arguments in (("graph_view", {"path": "Bread/Rye.md"}), ("edit_note", APPEND)):
            assert RESULT not in ((await client.call_tool(name, arguments)).meta or {})


@BOTH
async def test_a_program_with_pages_is_offered_the_tools_that_show_one(served: Served, era: Era) -> None:
    async with connected(served, era, **SHOWS) as client:
        listed = await client.list_tools()
        assert pages(listed) == {"show_change": f"{ADDRESS}change", "graph_view": f"{ADDRESS}graph"}
        # The library leaves it out of the handshake of 2025, whose servers need not declare it.
        assert era == "legacy" or EXTENSION_ID in (client.server_capabilities.extensions or {})
        (graph,) = (tool for tool in listed.tools if tool.name == "graph_view")
        assert set(graph.input_schema["properties"]) == {"path", "depth", "limit"}
        said = [tool.model_dump_json(by_alias=True, exclude_none=True, exclude={"meta"}) for tool in listed.tools]
        assert sum(map(len, said)) / CHARACTERS_A_TOKEN <= 2_500
    # Of changes only those that wait are shown.
    async with connected(served, era, token=token(served), **SHOWS) as client:
        asking = pages(await client.list_tools())
        assert {name for name, page in asking.items() if page == f"{ADDRESS}change"} == {
            *("show_change", "create_note", "edit_note", "set_properties", "undo_change")
        }


@BOTH
async def test_a_result_comes_with_its_data_beside_the_text(served: Served, era: Era) -> None:
    asks = token(served)
    async with connected(served, era, token=asks, **SHOWS) as client, connected(served, era, token=asks) as plain:
        proposed = await client.call_tool("edit_note", APPEND)
        made = (proposed.meta or {})[RESULT]
        assert (made["state"], proposed.structured_content) == ("proposed", None)
        shown = await client.call_tool("show_change", {"change_id": made["change_id"]})
        data = (shown.meta or {})[RESULT]
        assert [hunk["words"][-1] for hunk in data["hunks"]] == [{"kind": "added", "text": "\nMore salt.\n"}]
        assert text_of(shown) == text_of(await plain.call_tool("show_change", {"change_id": made["change_id"]}))
        graph = await client.call_tool("graph_view", {"path": "Bread/Rye.md"})
        assert "Bread/Rye.md" in {node["path"] for node in (graph.meta or {})[RESULT]["nodes"]}
        failed = await client.call_tool("show_change", {"change_id": "0"})
        assert (failed.is_error, RESULT in (failed.meta or {})) == (True, False)


@BOTH
async def test_no_call_of_a_program_with_pages_accepts(served: Served, era: Era) -> None:
    """Also where the program can ask, and says that the user agreed: its own proposals are what it cannot answer."""

    async def agree(*_: Any) -> Any:
        raise AssertionError

    before = await served.call("read_note", path="Bread/Rye.md")
    async with connected(served, era, token=token(served), elicitation_callback=agree, **SHOWS) as client:
        id_ = ((await client.call_tool("edit_note", APPEND)).meta or {})[RESULT]["change_id"]
        answer = {"id": id_, "verdict": "accept"}
        for name, arguments in (
            ("decide", answer),
            ("run_tool", {"name": "decide", "arguments": answer}),
            ("accept_change", {"change_id": id_}),
        ):
            assert (await client.call_tool(name, arguments)).is_error, name
        shown = await client.call_tool("show_change", {"change_id": id_})
        assert (shown.meta or {})[RESULT]["state"] == "proposed"
        assert (await served.call("read_note", path="Bread/Rye.md")).json["digest"] == before.json["digest"]
        await client.call_tool("undo_change", {"change_id": id_})
    assert (await served.call("show_change", change_id=id_)).json["state"] == "rejected"


@BOTH
async def test_a_page_is_read_by_its_address(served: Served, era: Era) -> None:
    async with connected(served, era, **SHOWS) as client:
        for app in set(APPS.values()):
            (page,) = (await client.read_resource(f"{ADDRESS}{app.name}")).contents
            assert isinstance(page, TextResourceContents)
            assert page.mime_type == APP_MIME_TYPE
            assert page.meta == {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}
            assert page.text == build_page(app)
        with pytest.raises(MCPError, match="is not the URI of a note"):
            await client.read_resource(f"{ADDRESS}nothing")
        assert all(not one.uri.startswith("ui:") for one in (await client.list_resources()).resources)


@pytest.mark.parametrize("app", set(APPS.values()), ids=lambda app: app.name)
def test_a_page_runs_its_own_script_only_and_reaches_nothing(app: Any) -> None:
    page = build_page(app)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (text,) = re.findall(f"<{tag}>(.*)</{tag}>", page, re.DOTALL)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
        assert f"</{tag}" not in text
    assert re.findall(r"https?://[^\"']+", page) == ["http://www.w3.org/2000/svg"]
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttp|import\(", page
    )
