"""What the stdio entry reads off lines, messages and streams."""

import json
import tempfile
from collections.abc import AsyncIterator

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import encode_header_value

from bridge.cli.stdio.endpoint import ServerEvent, header_value, protocol_headers, restore_id, sse_events
from bridge.cli.stdio.entry import read_lines
from bridge.cli.stdio.messages import BODY_LIMIT, READ_LIMIT, VERSION_KEY, MalformedMessage, parse_message
from bridge.server.auth import BODY_LIMIT as BRIDGE_TAKES

REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def split(data: bytes, limit: int = 100) -> list[bytes]:
    """Read lines from a descriptor."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return list(read_lines(file.fileno(), limit))


def test_lines_come_whole_and_without_their_ends() -> None:
    assert split(b"one\n\ntwo\nthree") == [b"one", b"", b"two", b"three"]


def test_a_line_over_the_limit_is_cut_and_still_over_it() -> None:
    long, after = split(b"x" * 200_000 + b"\nafter\n")
    assert (100 < len(long) < 200_000, after) == (True, b"after")


def test_the_entry_takes_as_much_as_the_bridge() -> None:
    assert BODY_LIMIT == BRIDGE_TAKES


def test_a_message_of_the_newer_era_names_its_version() -> None:
    params = {"name": "search", "_meta": {VERSION_KEY: "2026-07-28"}}
    message = parse_message(json.dumps({**REQUEST, "method": "tools/call", "params": params}).encode())
    assert (message.id, message.method, message.is_request, message.version) == (1, "tools/call", True, "2026-07-28")
    assert parse_message(json.dumps(REQUEST).encode()).version is None


def test_notifications_and_answers_need_no_answer() -> None:
    notification = parse_message(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    answer = parse_message(b'{"jsonrpc": "2.0", "id": "a", "result": {}}')
    assert (notification.is_request, answer.is_request, answer.id) == (False, False, "a")


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 5000, -32700, None),
        (b"[]", -32600, None),
        (b"7", -32600, None),
        (b"{}", -32600, None),
        (b'{"id": 1}', -32600, 1),
        (b'{"id": null, "method": "ping"}', -32600, None),
        (b'{"id": true, "method": "ping"}', -32600, None),
        (b'{"id": 1%s, "method": "ping"}' % (b"0" * 30), -32600, None),
        (b'{"id": -9223372036854775809, "method": "ping"}', -32600, None),
        (b'{"id": 1.5, "method": "ping"}', -32600, None),
        (b'{"id": 1, "method": 2}', -32600, 1),
        (b'{"id": 1, "method": "ping", "params": [1]}', -32602, 1),
        (b'{"id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"half": "\\ud83d"}}', -32700, 1),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {"a": NaN}}', -32700, "a"),
        (b'{"jsonrpc": "2.0", "id": "\\ud83d", "method": "ping"}', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "' + b"x" * BODY_LIMIT + b'"}}', -32600, 1),
        (b'{"id": 1, "result": "' + b"x" * BODY_LIMIT + b'"}', -32600, None),
        (b"x" * (READ_LIMIT + 1), -32600, None),
    ],
    ids=lambda value: repr(value[:20] if isinstance(value, bytes) else value),
)
def test_what_is_no_message_is_answered_with_an_error(line: bytes, code: int, id_: int | str | None) -> None:
    with pytest.raises(MalformedMessage) as refused:
        parse_message(line)
    answer = json.loads(refused.value.answer)
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id_, code)


def test_null_for_the_parameters_and_a_byte_order_mark_are_taken() -> None:
    message = parse_message(b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": null}')
    assert (message.id, message.method, message.params, message.line[:1]) == (1, "ping", {}, b"{")


@pytest.mark.parametrize("id_", [2**64 - 1, -(2**63), 2**53 + 1, "1e30"])
def test_an_id_is_given_back_as_it_is(id_: int | str) -> None:
    message = parse_message(json.dumps({**REQUEST, "id": id_}).encode())
    answer = restore_id({"jsonrpc": "2.0", "id": 7, "result": {}}, 7, message.id or 0)
    assert json.loads(orjson.dumps(answer))["id"] == id_


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_headers_carry_any_text_as_the_library_writes_it(text: str) -> None:
    assert header_value(text) == encode_header_value(text)


def test_headers_describe_the_message_or_its_session() -> None:
    session = {"Mcp-Session-Id": "s"}
    modern = {"_meta": {VERSION_KEY: "2026-07-28"}, "uri": "vault://Brot/Ähre.md"}
    message = parse_message(json.dumps({**REQUEST, "method": "resources/read", "params": modern}).encode())
    assert protocol_headers(message, session) == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "resources/read",
        "Mcp-Name": encode_header_value("vault://Brot/Ähre.md"),
    }
    assert protocol_headers(parse_message(json.dumps(REQUEST).encode()), session) == session
    assert protocol_headers(parse_message(json.dumps({**REQUEST, "method": "initialize"}).encode()), session) == {}


async def streamed(*chunks: bytes) -> list[ServerEvent]:
    """Read events from chunks."""

    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return [event async for event in sse_events(arriving())]


async def test_events_are_read_from_whatever_pieces() -> None:
    stream = (
        b': hello\r\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid:8\n\nevent: message\ndata:2\n\nretry: 500\n\ndata: cut'
    )
    whole = [ServerEvent("7", b'{"a":\n1}'), ServerEvent("8", b""), ServerEvent(None, b"2")]
    assert await streamed(stream) == whole
    assert await streamed(*(stream[at : at + 1] for at in range(len(stream)))) == whole


def test_a_message_with_another_id_is_otherwise_the_same() -> None:
    params = {"arguments": {"count": 10**30, "text": "Mehr Öl, 油"}}
    message = parse_message(json.dumps({**REQUEST, "params": params}).encode())
    assert json.loads(message.renumber(7).line) == {**REQUEST, "id": 7, "params": params}
    with pytest.raises(MalformedMessage):
        parse_message(b'{"id": 1, "method": "ping", "params": {"a": %s}}' % (b"[" * 1000 + b"]" * 1000)).renumber(7)
