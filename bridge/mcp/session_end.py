"""Ends sessions: by DELETE, or when their stream broke and no call follows."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge.api.call import SESSION
from bridge.engine.bridge import Bridge

RESUME_S = 60.0
"""Seconds in which a client may resume a broken stream, or call, before its session is over."""

MCP_SESSION = "mcp-session-id"
"""The header of sessions of the older era."""


def session_name(request: Request) -> str | None:
    """Return the session that a request names, in our own header or that of the older era."""
    return request.headers.get(SESSION) or request.headers.get(MCP_SESSION)


def client_of_token(request: Request) -> str | None:
    principal = request.scope["state"]["principal"]
    return None if principal.local else principal.name


class SessionEnds:
    """Follows the streams of sessions and requests that end them."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._streams: Counter[tuple[str | None, str]] = Counter()

    async def delete(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """End the session that a request names; one of the newer era is unknown to the library."""
        request, statuses = Request(scope), list[int]()

        async def observe(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        own = MCP_SESSION not in request.headers and SESSION in request.headers
        await (Response(status_code=HTTPStatus.NO_CONTENT) if own else app)(scope, receive, observe)
        if statuses and statuses[0] < HTTPStatus.BAD_REQUEST:
            self._bridge.end_sessions(client_of_token(request), session_name(request))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[None]:
        """Follow a stream of a session; when the last one ends and nothing follows, so does the session."""
        name = session_name(request)
        if name is None:
            yield
            return
        key = (client_of_token(request), name)
        self._streams[key] += 1
        try:
            yield
        finally:
            self._streams[key] -= 1
            if not self._streams[key]:
                del self._streams[key]
                asyncio.get_running_loop().call_later(RESUME_S, self._end_unless_resumed, *key)

    def _end_unless_resumed(self, client: str | None, name: str) -> None:
        if not self._streams[client, name] and self._bridge.sessions.is_quiet(name, RESUME_S):
            self._bridge.end_sessions(client, name)
