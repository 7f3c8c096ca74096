"""The guard stands in front of MCP as it does in front of HTTP; sessions and streams belong to who opened them."""

import asyncio
from collections.abc import Mapping

import aiohttp
import pytest
from mcp import Client
from mcp.types import INVALID_REQUEST

from bridge.access.tokens import Tokens
from bridge.types import Preset, Scope
from tests.features.served import PATIENCE_S, Answer, Served
from tests.mcp.client import ERAS, Era, connected, text_of

pytestmark = pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")

BOTH = pytest.mark.parametrize("era", ERAS)

HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}'
)


def token(served: Served, *scopes: Scope, preset: Preset | None = None) -> str:
    """Make a token."""
    _, made = Tokens(served.bridge.folders.tokens).create("agent", frozenset(scopes), preset)
    return made


async def post(served: Served, headers: Mapping[str, str | None], body: bytes = HELLO) -> Answer:
    """Send a message by hand."""
    sent: dict[str, str | None] = {
        "Authorization": f"Bearer {served.runtime.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    return await served.request(
        "POST", "/mcp", headers={name: value for name, value in sent.items() if value is not None}, data=body
    )


@pytest.mark.parametrize("id_", ["null", "{}", "1.5", "true"])
@pytest.mark.parametrize("has_session", [True, False])
async def test_a_request_with_no_proper_id_is_answered_with_an_error(
    served: Served, id_: str, *, has_session: bool
) -> None:
    session = (await post(served, {})).headers["mcp-session-id"]
    headers = {"Mcp-Session-Id": session} if has_session else {}
    answer = await post(served, headers, HELLO.replace(b'"id":1', b'"id":' + id_.encode()))
    assert (answer.status, answer.json["id"], answer.json["error"]["code"]) == (400, None, INVALID_REQUEST)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "app://obsidian.md"}, 200),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "https://example.org"}, 403),
        ({"Host": "example.org"}, 421),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
        ({"Mcp-Session-Id": "unknown"}, 404),
    ],
)
async def test_a_request_is_let_in_or_not(served: Served, headers: dict[str, str | None], status: int) -> None:
    answer = await post(served, headers)
    assert answer.status == status
    assert b"Traceback" not in answer.body


async def test_a_page_of_obsidian_may_read_streams(served: Served) -> None:
    answer = await post(served, {"Origin": "app://obsidian.md"})
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["Access-Control-Allow-Origin"] == "app://obsidian.md"
    assert answer.headers["Access-Control-Expose-Headers"] == "Mcp-Session-Id"
    assert answer.headers["mcp-session-id"]


@pytest.mark.parametrize(("method", "status"), [("PUT", 405), ("PATCH", 405), ("GET", 400), ("DELETE", 400)])
async def test_other_methods_are_refused(served: Served, method: str, status: int) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Accept": "text/event-stream"}
    assert (await served.request(method, "/mcp", headers=headers)).status == status


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"1", b"[" * 5000, b'{"jsonrpc":"2.0"}'])
async def test_what_is_no_message_is_refused(served: Served, body: bytes) -> None:
    for version in ("2025-11-25", "2026-07-28"):
        answer = await post(served, {"MCP-Protocol-Version": version}, body)
        assert answer.status == 400
        assert b"Traceback" not in answer.body


async def test_a_huge_message_is_refused(served: Served) -> None:
    assert (await post(served, {}, b" " * (8 * 2**20 + 1))).status == 413


@BOTH
async def test_a_token_that_reads_cannot_write_or_administer(served: Served, era: Era) -> None:
    async with connected(served, era, token=token(served, "read"), preset="full") as client:
        assert not (await client.call_tool("search", {"query": "frost"})).is_error
        for tool, arguments in (("reindex", {}), ("change_settings", {"changes": {"watch": "off"}})):
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            assert text_of(answer).startswith("forbidden: This needs the scope `")
            ran = await client.call_tool("run_tool", {"name": tool, "arguments": arguments})
            assert text_of(ran).startswith("forbidden: ")


@BOTH
async def test_a_token_without_read_reads_nothing(served: Served, era: Era) -> None:
    async with connected(served, era, token=token(served, "write")) as client:
        assert text_of(await client.call_tool("search", {"query": "frost"})).startswith("forbidden: ")
        for asking in (
            client.list_resources(),
            client.read_resource("vault://Notes/Bread/Rye.md"),
            client.get_prompt("what_do_i_know", {"topic": "frost"}),
        ):
            with pytest.raises(Exception, match="scope `read`"):
                await asking
        with pytest.raises(Exception, match="scope `read`"):
            await hear(client, era)


async def hear(client: Client, era: Era) -> None:
    """Ask to be told of changes, as each era does."""
    if era == "legacy":
        await client.subscribe_resource("vault://Notes/Bread/Rye.md")
    else:
        async with client.listen(resources_list_changed=True):
            pass


@BOTH
async def test_the_preset_of_a_token_cannot_be_left(served: Served, era: Era) -> None:
    held = token(served, "read", "write", preset="read-only")
    async with connected(served, era, token=held, preset="full") as client:
        assert "create_note" not in {tool.name for tool in (await client.list_tools()).tools}
        made = {"path": "Garden/New.md", "text": "New."}
        assert (await client.call_tool("create_note", made)).is_error
        assert (await client.call_tool("find_tool", {"name": "create_note", "arguments": made})).is_error
    assert not (served.bridge.find(None).root / "Garden" / "New.md").exists()


async def test_a_session_answers_only_to_who_opened_it(served: Served) -> None:
    session = (await post(served, {})).headers["mcp-session-id"]
    asking = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
    assert (await post(served, {"Mcp-Session-Id": session}, asking)).status == 200
    stolen = {"Mcp-Session-Id": session, "Authorization": f"Bearer {token(served, 'read')}"}
    assert (await post(served, stolen, asking)).status == 404


def events(answer: Answer) -> list[dict[str, str]]:
    """Take an event stream apart."""
    blocks = answer.body.decode().replace("\r\n", "\n").strip().split("\n\n")
    return [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line) for block in blocks]


async def test_a_stream_is_replayed_to_its_own_session_alone(served: Served) -> None:
    """Streams of all sessions have the same names."""
    calling = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"%s"}}}'
    sessions: dict[str, list[dict[str, str]]] = {}
    for query in (b"frost", b"north"):
        session = (await post(served, {})).headers["mcp-session-id"]
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
        sessions[session] = events(await post(served, headers, calling % query))
    (first, told), (second, _) = sessions.items()
    assert "Garden/Beans.md" in told[-1]["data"]
    missed = await replayed(served, first, told[0]["id"])
    assert [event["data"] for event in missed] == [told[-1]["data"]]
    other = await replayed(served, second, told[0]["id"])
    assert "Garden/Beans.md" not in str(other)


async def replayed(served: Served, session: str, last: str) -> list[dict[str, str]]:
    """Take up a stream after an event and return what it brings first."""
    headers = {
        "Authorization": f"Bearer {served.runtime.token}",
        "Accept": "text/event-stream",
        "Mcp-Session-Id": session,
        "MCP-Protocol-Version": "2025-11-25",
        "Last-Event-ID": last,
    }
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"{served.runtime.url}/mcp", headers=headers) as response,
    ):
        body = b""
        async with asyncio.timeout(PATIENCE_S):
            while b"data: {" not in body:
                body += await response.content.readany()
        return [event for event in events(Answer(200, {}, body)) if event.get("data")]
