"""Relays messages between a client on standard input and output and the bridge's HTTP, in both eras of the protocol."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import AsyncIterable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import aiohttp
import orjson
from msgspec import Struct

from bridge.cli.stdio.endpoint import (
    MCP_SESSION,
    MCP_VERSION,
    ConnectionLost,
    Endpoint,
    is_answer,
    protocol_headers,
    read_messages,
    restore_id,
    sse_events,
)
from bridge.cli.stdio.messages import (
    ClientMessage,
    Id,
    MalformedMessage,
    encode_notification,
    encode_refusal,
    encode_result,
    parse_message,
)
from bridge.errors import BridgeError, Internal

AGAIN_S = 0.5
AGAIN_AT_MOST_S = 10.0

INITIALIZED_METHOD = "notifications/initialized"
LIST_CHANGED = tuple(
    encode_notification(f"notifications/{kind}/list_changed") for kind in ("tools", "resources", "prompts")
)
"""Notifications for a client that may have missed something."""


class Session:
    """Reopens itself when the bridge no longer knows it, and forwards the bridge's unsolicited messages."""

    def __init__(self, endpoint: Endpoint, say: Callable[[bytes], None]) -> None:
        self.headers: Mapping[str, str] = {}
        """The headers of the session's messages; empty before there is one."""
        self._endpoint = endpoint
        self._say = say
        self._opening: ClientMessage | None = None
        self._subscribed: dict[str, bytes] = {}
        self._last_heard = ""
        self._renewing = asyncio.Lock()
        self._listen_now = asyncio.Event()

    def note(self, message: ClientMessage, result: Mapping[str, Any], response: aiohttp.ClientResponse) -> None:
        """Update the session from the answer to a request."""
        match message.method, message.params.get("uri"):
            case "initialize", _:
                self._opening, self.headers = message, session_headers(result, response)
            case "resources/subscribe", str(uri):
                self._subscribed[uri] = message.line
            case "resources/unsubscribe", str(uri):
                self._subscribed.pop(uri, None)

    async def renew(self, lost: Mapping[str, str]) -> None:
        """Reopen a session that the bridge no longer knows, and notify the client that it may have missed something."""
        async with self._renewing:
            if self.headers is not lost or self._opening is None:
                return
            headers = await self._open(self._opening)
            for line in (encode_notification(INITIALIZED_METHOD), *self._subscribed.values()):
                async with self._endpoint.post(line, headers) as response:
                    await response.read()
            self.headers, self._last_heard = headers, ""
        self.listen_now()
        for line in LIST_CHANGED:
            self._say(line)

    def listen_now(self) -> None:
        """Listen without further delay: the bridge is there."""
        self._listen_now.set()

    async def listen(self) -> None:
        """Forward the bridge's unsolicited messages, wherever it listens; starts after `listen_now`."""
        wait = None
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._listen_now.wait(), wait)
            self._listen_now.clear()
            try:
                status = await self._hear(self.headers)
            except BridgeError:
                status = None
            if status == HTTPStatus.METHOD_NOT_ALLOWED:
                return
            wait = AGAIN_S if status == HTTPStatus.OK or wait is None else min(2 * wait, AGAIN_AT_MOST_S)

    async def _hear(self, session: Mapping[str, str]) -> int:
        taken_up = {"Last-Event-ID": self._last_heard} if self._last_heard else {}
        async with self._endpoint.listen({**session, **taken_up}) as response:
            if response.status == HTTPStatus.OK:
                async for event in sse_events(response.content.iter_any()):
                    self._last_heard = event.id or self._last_heard
                    if event.data:
                        self._say(event.data)
        if response.status == HTTPStatus.NOT_FOUND:
            await self.renew(session)
        return response.status

    async def _open(self, opening: ClientMessage) -> Mapping[str, str]:
        async with self._endpoint.post(opening.line, {}) as response:
            async for content in read_messages(response, opening.id):
                if "result" in content:
                    return session_headers(content["result"], response)
        raise ConnectionLost

    async def end(self) -> None:
        """End the session, also one of the newer era, if the bridge is there."""
        with contextlib.suppress(BridgeError):
            await self._endpoint.end(self.headers)


def session_headers(result: Mapping[str, Any], response: aiohttp.ClientResponse) -> Mapping[str, str]:
    headers = {MCP_VERSION: str(result.get("protocolVersion"))}
    return {**headers, MCP_SESSION: response.headers[MCP_SESSION]} if MCP_SESSION in response.headers else headers


log = logging.getLogger(__name__)

IN_ORDER = frozenset({"initialize", INITIALIZED_METHOD})
"""Methods that must be answered before anything else is sent."""

MESSAGE_TRIES = 3
"""Sessions in which a message is tried before it fails."""


class PendingRequest(Struct):
    """A request that is not answered yet."""

    task: asyncio.Task[None]
    client_id: Id
    """Its id as the client gave it, which some clients give to several requests."""
    speaks_for_itself: bool
    """Whether it is of the newer era, which has no sessions."""
    given_up: bool = False
    """Whether the client no longer wants an answer."""


class Pump:
    """Relays messages, each in a task of its own."""

    def __init__(self, endpoint: Endpoint, say: Callable[[bytes], None]) -> None:
        self._endpoint = endpoint
        self._say = say
        self._session = Session(endpoint, say)
        self._waiting: dict[Id, PendingRequest] = {}
        self._ids = itertools.count(1)

    async def run(self, lines: AsyncIterable[bytes]) -> None:
        """Relay all lines, and return when the last request is answered."""
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(self._session.listen(), name="listening")
            async with asyncio.TaskGroup() as carrying:
                async for line in lines:
                    if line.strip():
                        await self._take(line, carrying)
            listening.cancel()

    async def end(self) -> None:
        await self._session.end()

    async def _take(self, line: bytes, carrying: asyncio.TaskGroup) -> None:
        """Start relaying a line; the bridge gets each request with an id of its own."""
        try:
            message = parse_message(line)
            client_id = message.id
            if message.method == "ping" and message.is_request and not self._session.headers and not message.version:
                # The bridge answers only in a session.
                self._say(encode_result(client_id, {}))
                return
            if message.is_request:
                message = message.renumber(next(self._ids))
        except MalformedMessage as error:
            self._say(error.answer)
            return
        if message.method == "notifications/cancelled" and not message.is_request:
            if (cancellation := self._give_up(message)) is None:
                return
            message = cancellation
        task = carrying.create_task(self._carry(message), name=message.method)
        if message.is_request and message.id is not None and client_id is not None:
            self._waiting[message.id] = PendingRequest(task, client_id, message.version is not None)
        if message.method in IN_ORDER:
            await asyncio.wait({task})

    def _give_up(self, message: ClientMessage) -> ClientMessage | None:
        """Cancel the latest request of an id, and return the notification for the bridge if it needs one.

        In the newer era, the end of the connection cancels it, and the bridge accepts no notifications.
        """
        wanted = message.params.get("requestId")
        for id_, waiting in reversed(self._waiting.items()):
            if waiting.client_id == wanted and not waiting.given_up:
                waiting.given_up = True
                if waiting.speaks_for_itself:
                    waiting.task.cancel()
                    return None
                params = {**message.params, "requestId": id_}
                return ClientMessage(encode_notification(message.method, params), None, message.method, params)
        return None

    async def _carry(self, message: ClientMessage) -> None:
        try:
            await self._send(message)
        except BridgeError as error:
            self._fail(message, error)
        except Exception as error:  # noqa: BLE001  # the top of a task: anything else is a bug
            self._fail(message, Internal(f"Internal error in `vaultside mcp`: {type(error).__name__}."))
        finally:
            self._take_pending(message)

    def _fail(self, message: ClientMessage, error: BridgeError) -> None:
        """Send the client an error for a request, unless it is answered or cancelled."""
        waiting = self._take_pending(message)
        if waiting is not None and not waiting.given_up:
            self._say(encode_refusal(waiting.client_id, error))
        elif not message.is_request:
            log.warning("%s did not reach the bridge: %s", message.method or "An answer", error.message)

    def _take_pending(self, message: ClientMessage) -> PendingRequest | None:
        return self._waiting.pop(message.id, None) if message.id is not None and message.is_request else None

    async def _send(self, message: ClientMessage) -> None:
        for _ in range(MESSAGE_TRIES):
            session = self._session.headers
            headers = protocol_headers(message, session)
            async with self._endpoint.post(message.line, headers) as response:
                if response.status != HTTPStatus.NOT_FOUND or headers is not session:
                    await self._hear(message, response)
                    return
            await self._session.renew(session)
        raise ConnectionLost

    async def _hear(self, message: ClientMessage, response: aiohttp.ClientResponse) -> None:
        """Forward the response to its end, which keeps the connection for the next message.

        Of a request that was cancelled nothing is forwarded: the client may have given its id to another one.
        """
        waiting = self._waiting.get(message.id) if message.is_request and message.id is not None else None
        async for content in read_messages(response, message.id):
            if is_answer(content, message.id):
                self._take_pending(message)
                if isinstance(result := content.get("result"), dict):
                    self._session.note(message, result, response)
            if waiting is None:
                self._say(orjson.dumps(content))
            elif not waiting.given_up:
                self._say(orjson.dumps(restore_id(content, message.id, waiting.client_id)))
        if message.id in self._waiting and message.is_request:
            raise ConnectionLost
        if message.method == INITIALIZED_METHOD:
            self._session.listen_now()
