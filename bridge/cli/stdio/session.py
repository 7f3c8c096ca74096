"""The session of a client of the older era, which survives a restart of the bridge."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import aiohttp

from bridge.cli.stdio import http_messages
from bridge.cli.stdio.endpoint import ConnectionLost, Endpoint
from bridge.cli.stdio.http_messages import MCP_SESSION, MCP_VERSION, read_messages
from bridge.cli.stdio.messages import Message, encode_notification
from bridge.errors import BridgeError

AGAIN_S = 0.5
AGAIN_AT_MOST_S = 10.0

INITIALIZED = "notifications/initialized"
LIST_CHANGED = tuple(
    encode_notification(f"notifications/{kind}/list_changed") for kind in ("tools", "resources", "prompts")
)
"""Notifications for a client that may have missed something."""


class Session:
    """Reopens itself when the bridge no longer knows it, and forwards the bridge's unsolicited messages."""

    def __init__(self, endpoint: Endpoint, say: Callable[[bytes], None]) -> None:
        """Wait for the client to open a session."""
        self.headers: Mapping[str, str] = {}
        """The headers of the session's messages; empty before there is one."""
        self._endpoint = endpoint
        self._say = say
        self._opening: Message | None = None
        self._subscribed: dict[str, bytes] = {}
        self._last_heard = ""
        self._renewing = asyncio.Lock()
        self._listen_now = asyncio.Event()

    def note(self, message: Message, result: Mapping[str, Any], response: aiohttp.ClientResponse) -> None:
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
            headers = await self._opened(self._opening)
            for line in (encode_notification(INITIALIZED), *self._subscribed.values()):
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
                async for event in http_messages.sse_events(response.content.iter_any()):
                    self._last_heard = event.id or self._last_heard
                    if event.data:
                        self._say(event.data)
        if response.status == HTTPStatus.NOT_FOUND:
            await self.renew(session)
        return response.status

    async def _opened(self, opening: Message) -> Mapping[str, str]:
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
