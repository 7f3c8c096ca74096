"""The aiohttp application: authentication in front, the routes behind it."""

import asyncio
from http import HTTPStatus

from aiohttp import web

from bridge.access.pairing import Pairing
from bridge.access.tokens import Tokens, token_digest
from bridge.api.call import RUNTIME, Principal
from bridge.api.dispatch import internal_error
from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError
from bridge.server import errors
from bridge.server.auth import BODY_LIMIT, Authenticator, Connections, Handler
from bridge.server.events import CLOSING
from bridge.server.presence import IDLE_TIMER
from bridge.server.rate_limits import RateLimits
from bridge.server.routes import BRIDGE, HALF_OPEN, LIMITS, PAIRING, PRINCIPAL, ROUTES, TOKENS

PUBLIC_PATHS = frozenset({"/healthz", "/api/pair"})
"""Paths that need no token."""

ORIGIN = web.RequestKey("ORIGIN", str)
"""The request's origin, which a browser expects in the response."""

PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID, "
    "MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
    "Access-Control-Allow-Private-Network": "true",
    "Access-Control-Max-Age": "600",
}


def build_application(
    bridge: Bridge, port: int, token: str, owner: Principal = RUNTIME, key: str | None = None
) -> web.Application:
    tokens, limits = Tokens(bridge.folders.tokens), RateLimits()
    guard = Authenticator(port, token_digest(token), tokens, owner, None if key is None else token_digest(key))
    door = Connections(guard, limits, lambda: bridge.settings.rate_limit_per_s)
    # Only a bridge that listens offers pairing.
    bridge.pairing = Pairing()

    @web.middleware
    async def let_in(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            guard.check_host(request.headers)
            origin = guard.check_origin(request.headers)
            if origin is not None:
                request[ORIGIN] = origin
            if request.method == "OPTIONS" and origin is not None:
                response: web.StreamResponse = web.Response(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)
            elif request.path in PUBLIC_PATHS:
                response = await handler(request)
            else:
                async with door.entered(request) as request[PRINCIPAL]:
                    response = await handler(request)
        except BridgeError as error:
            response = errors.error_response(error)
        except web.HTTPException as error:
            response = errors.http_error_response(error, request.path)
        except web.RequestPayloadError:
            response = errors.body_error_response()
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # the top of a call: anything else is a bug
            response = errors.error_response(internal_error(error))
        return response

    app = web.Application(middlewares=[door.count, let_in], client_max_size=BODY_LIMIT)
    app[BRIDGE] = bridge
    app[TOKENS], app[PAIRING], app[LIMITS] = tokens, bridge.pairing, limits
    app[HALF_OPEN] = door.half_open
    app[CLOSING], app[IDLE_TIMER] = asyncio.Event(), door.presence
    app.add_routes(ROUTES)
    app.on_response_prepare.append(harden)
    app.cleanup_ctx.append(door.watching)
    app.on_shutdown.append(close_streams)
    return app


async def harden(request: web.Request, response: web.StreamResponse) -> None:
    """Prevent caching and content sniffing, and let an allowed page read the response."""
    if ORIGIN in request:
        response.headers["Access-Control-Allow-Origin"] = request[ORIGIN]
        response.headers["Access-Control-Expose-Headers"] = "Mcp-Session-Id"
        response.headers["Vary"] = "Origin"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"


async def close_streams(app: web.Application) -> None:
    app[CLOSING].set()
