"""The endpoint: the library's own streamable HTTP, in both eras of the protocol, for as long as it is open."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge.mcp.caller import REQUEST
from bridge.mcp.news import Sessions, tell
from bridge.mcp.replay import SessionManager
from bridge.mcp.server import build

if TYPE_CHECKING:
    from bridge.engine import Bridge

BODY_LIMIT = 8 * 2**20
"""As over HTTP."""

IDLE_S = 1800.0
"""Seconds after which a session of the older era ends that asked nothing."""

RETRY_MS = 500
"""When a client of the older era is to take up a broken stream again."""


@asynccontextmanager
async def opened(bridge: "Bridge", hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[ASGIApp]:
    """Open the endpoint; the arguments are those of `mount`."""
    bus, sessions = InMemorySubscriptionBus(), Sessions()
    listeners = ListenHandler(bus)
    async with endpoint(build(bridge, listeners, sessions), hosts, origins) as app:
        telling = asyncio.create_task(tell(bridge, bus, sessions), name="mcp news")
        try:
            yield app
        finally:
            telling.cancel()
            listeners.close()
            await asyncio.gather(telling, return_exceptions=True)


@asynccontextmanager
async def endpoint(server: Server[Any], hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[ASGIApp]:
    """Serve any server of the library the way ours is."""
    manager = SessionManager(
        server,
        security_settings=TransportSecuritySettings(allowed_hosts=sorted(hosts), allowed_origins=sorted(origins)),
        retry_interval=RETRY_MS,
        session_idle_timeout=IDLE_S,
        max_request_body_size=BODY_LIMIT,
    )
    async with manager.run():
        yield identified(manager.asgi_app)


def identified(app: ASGIApp) -> ASGIApp:
    """Tell the library who calls, so that a session answers only to whoever opened it."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            REQUEST.set(Request(scope))
            principal = scope["state"]["principal"]
            token = AccessToken(token="", client_id=principal.name, scopes=sorted(principal.scopes))
            scope["user"] = AuthenticatedUser(token)
        await app(scope, receive, send)

    return call
