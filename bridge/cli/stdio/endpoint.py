"""Sends requests to the bridge's MCP endpoint, wherever the bridge currently listens."""

import base64
import re
import secrets
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import aiohttp
import orjson

from bridge.cli.stdio.find import BridgeFinder, BridgeUnavailable
from bridge.cli.stdio.messages import ClientMessage, Id, parse_json
from bridge.errors import BridgeError, Internal
from bridge.records import Record
from bridge.server.runtime_file import Runtime

CONNECT_S = 5.0
CONNECT_TRIES = 5

KEPT_OPEN_S = 3600.0
"""Seconds that an idle connection stays open, which shows the bridge that the client is still there."""

LIMITED_HEADER = "X-Vaultside-Limited-To"
SESSION_HEADER = "X-Vaultside-Session"


class ConnectionLost(BridgeError):
    """The bridge went away during this call, which may or may not have been carried out."""

    code = "not_ready"
    hint = "Look whether it was, then call again."


class NotSent(Exception):
    """Nothing listens at the bridge's address."""


def http_session() -> aiohttp.ClientSession:
    """Return a session that connects directly and without a limit, since streams stay open for hours."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_OPEN_S),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


class Endpoint:
    """Sends requests to `/mcp`."""

    def __init__(
        self, http: aiohttp.ClientSession, finder: BridgeFinder, query: Mapping[str, str], client: str | None
    ) -> None:
        self._http = http
        self._finder = finder
        self._query = query
        # One process is one session, even if the bridge is restarted.
        self._named = {SESSION_HEADER: secrets.token_hex(6), **({LIMITED_HEADER: client} if client is not None else {})}

    @asynccontextmanager
    async def post(self, body: bytes, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a message to the bridge, starting one if there is none; a message that was sent is never sent again."""
        refused = None
        content = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        for _ in range(CONNECT_TRIES):
            runtime = await self._finder.find(refused)
            try:
                async with self._send("POST", runtime, {**headers, **content}, body) as response:
                    # Another bridge may have replaced the one that this token belongs to.
                    if response.status != HTTPStatus.UNAUTHORIZED or self._finder.now() == runtime:
                        yield response
                        return
            except NotSent:
                refused = runtime
        raise BridgeUnavailable

    @asynccontextmanager
    async def listen(self, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open the stream of the bridge's unsolicited messages; starts no bridge."""
        runtime = self._finder.now()
        if runtime is None:
            raise ConnectionLost
        try:
            async with self._send("GET", runtime, {**headers, "Accept": "text/event-stream"}) as response:
                yield response
        except NotSent:
            raise ConnectionLost from None

    async def end(self, headers: Mapping[str, str]) -> None:
        """End a session, if a bridge is there to receive it."""
        runtime = self._finder.now()
        if runtime is not None:
            async with self._send("DELETE", runtime, headers):
                pass

    @asynccontextmanager
    async def _send(
        self, method: str, runtime: Runtime, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        known = {"Authorization": f"Bearer {runtime.token}", **self._named}
        try:
            async with self._http.request(
                method,
                f"{runtime.url}/mcp",
                params=self._query,
                headers={**headers, **known},
                data=body,
                allow_redirects=False,
            ) as response:
                yield response
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            raise NotSent from None
        except (aiohttp.ClientError, TimeoutError):
            raise ConnectionLost from None


class ServerEvent(Record):
    """A server-sent event; `data` is empty if it only carries an id."""

    id: str | None
    data: bytes


async def sse_events(chunks: AsyncIterable[bytes]) -> AsyncIterator[ServerEvent]:
    """Yield each complete event; an incomplete last one is dropped."""
    id_: str | None = None
    data: list[bytes] = []
    async for line in stream_lines(chunks):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data or id_ is not None:
                yield ServerEvent(id_, b"\n".join(data))
            id_, data = None, []
        elif name == b"data":
            data.append(value)
        elif name == b"id":
            id_ = value.decode("utf-8", "replace")


async def stream_lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield lines of any length without their ends; text after the last line end is dropped."""
    parts: list[bytes] = []
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield b"".join((*parts, part)).removesuffix(b"\r")
            parts.clear()
        parts.append(rest)


async def read_messages(response: aiohttp.ClientResponse, id_: Id | None) -> AsyncIterator[dict[str, Any]]:
    if response.content_type == "text/event-stream":
        async for event in sse_events(response.content.iter_any()):
            if event.data:
                yield orjson.loads(event.data)
        return
    body = await response.read()
    match parse_json(body):
        case {"jsonrpc": _, "result": _} | {"jsonrpc": _, "error": {"code": int()}} as content if id_ is not None:
            yield {**content, "id": id_}
        case content if not response.ok:
            raise response_error(response.status, content)


def response_error(status: int, content: Any) -> BridgeError:
    from bridge.cli.find_bridge import RemoteError

    match content:
        case {"error": {"code": str(), "message": str()} as error}:
            return RemoteError(error)
        case {"error": {"message": str(text)}}:
            return RemoteError({"code": "internal", "message": text})
        case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # A bridge sends more than that, unless it is killed while doing so.
            return ConnectionLost()
        case _:
            return Internal(f"The bridge answered {status}.")


def is_answer(content: dict[str, Any], id_: Id | None) -> bool:
    return "method" not in content and content.get("id") == id_


SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
"""The key under which messages of the newer era name the request that subscribed to them."""


def restore_id(content: dict[str, Any], id_: Id | None, client_id: Id) -> dict[str, Any]:
    """Return a message on the stream of a request, with the request's id as the client gave it."""
    answer = is_answer(content, id_)
    name = "result" if answer else "params"
    restored = {**content, "id": client_id} if answer else dict(content)
    part = content.get(name)
    if isinstance(part, dict) and SUBSCRIPTION_KEY in (meta := part.get("_meta") or {}):
        restored[name] = {**part, "_meta": {**meta, SUBSCRIPTION_KEY: client_id}}
    return restored


MCP_SESSION = "Mcp-Session-Id"
MCP_VERSION = "MCP-Protocol-Version"

NAME_PARAMETERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that names a method's subject."""

PLAIN_HEADER = re.compile(r"([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?")
ENCODED_HEADER = re.compile(r"=\?base64\?.*\?=")


def protocol_headers(message: ClientMessage, session: Mapping[str, str]) -> Mapping[str, str]:
    if message.method == "initialize":
        return {}
    if message.version is None:
        return session
    headers = {MCP_VERSION: header_value(message.version), "Mcp-Method": header_value(message.method)}
    name = message.params.get(NAME_PARAMETERS.get(message.method, ""))
    return {**headers, "Mcp-Name": header_value(name)} if isinstance(name, str) else headers


def header_value(text: str) -> str:
    if PLAIN_HEADER.fullmatch(text) and not ENCODED_HEADER.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
