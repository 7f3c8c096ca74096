"""The endpoint: the library's streamable HTTP, in both eras of the protocol, while it is open."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import JSONRPCMessage
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge.engine.bridge import Bridge
from bridge.mcp.caller import REQUEST
from bridge.mcp.notifications import McpSessions, publish_changes
from bridge.mcp.request_ids import RequestIds
from bridge.mcp.server import build_server
from bridge.mcp.session_end import SessionEnds

MAX_REPLAYED = 128


class Replay(EventStore):
    """The last messages of one session, on all of its streams."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, StreamId, JSONRPCMessage | None]] = deque(maxlen=MAX_REPLAYED)
        self._next = 1

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        number, self._next = self._next, self._next + 1
        self._events.append((number, stream_id, message))
        return str(number)

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        events = {str(number): (number, stream) for number, stream, _ in self._events}
        if last_event_id not in events:
            return None
        last, stream = events[last_event_id]
        for number, its_stream, message in list(self._events):
            if number > last and its_stream == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class SessionManager(StreamableHTTPSessionManager):
    """Gives each session its own event store.

    The library shares one among all, though sessions name their streams alike: clients would get others' messages.
    """

    @property
    def event_store(self) -> EventStore | None:
        """A new event store; requested once by each new session."""
        return Replay()

    @event_store.setter
    def event_store(self, _: EventStore | None) -> None:
        """Ignore the library's."""


BODY_LIMIT = 8 * 2**20
"""The same as over HTTP."""

IDLE_S = 1800.0
"""Seconds without a request after which a session of the older era ends."""

RETRY_MS = 500
"""Milliseconds after which a client of the older era should resume a broken stream."""


@asynccontextmanager
async def open_endpoint(bridge: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[ASGIApp]:
    """Open the endpoint; the arguments are those of `mount`."""
    bus, sessions, ends = InMemorySubscriptionBus(), McpSessions(), SessionEnds(bridge)
    listeners = ListenHandler(bus)
    async with endpoint(build_server(bridge, listeners, sessions, ends), hosts, origins, ends) as app:
        telling = asyncio.create_task(publish_changes(bridge, bus, sessions), name="mcp news")
        try:
            yield app
        finally:
            telling.cancel()
            listeners.close()
            await asyncio.gather(telling, return_exceptions=True)


@asynccontextmanager
async def endpoint(
    server: Server[Any], hosts: Collection[str], origins: Collection[str], ends: SessionEnds | None = None
) -> AsyncIterator[ASGIApp]:
    manager = SessionManager(
        server,
        security_settings=TransportSecuritySettings(allowed_hosts=sorted(hosts), allowed_origins=sorted(origins)),
        retry_interval=RETRY_MS,
        session_idle_timeout=IDLE_S,
        max_request_body_size=BODY_LIMIT,
    )
    ids = RequestIds()
    server.middleware.append(ids.hold)
    app = ids.guard(manager.asgi_app)
    async with manager.run():
        yield identify_caller(app if ends is None else follow_sessions(app, ends))


def follow_sessions(app: ASGIApp, ends: SessionEnds) -> ASGIApp:
    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        match scope.get("method"):
            case "DELETE":
                await ends.delete(app, scope, receive, send)
            case "GET":
                async with ends.stream(Request(scope)):
                    await app(scope, receive, send)
            case _:
                await app(scope, receive, send)

    return call


def identify_caller(app: ASGIApp) -> ASGIApp:
    """Give the library the caller's identity, so that a session answers only the client that opened it."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            REQUEST.set(Request(scope))
            principal = scope["state"]["principal"]
            token = AccessToken(token="", client_id=principal.name, scopes=sorted(principal.scopes))
            scope["user"] = AuthenticatedUser(token)
        await app(scope, receive, send)

    return call
