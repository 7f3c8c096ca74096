"""Listens, publishes the address, answers every error in the one JSON form, and cleans up when it stops.

No note content and no stack trace leaves.
"""

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from aiohttp import log as web_log
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

import bridge as program
from bridge.access.tokens import Pairing, Tokens, token_digest
from bridge.api.call import READER, RUNTIME, Principal
from bridge.api.dispatch import internal_error
from bridge.api.schemas import encode
from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError, Busy, InvalidArguments, NoSuchOperation, RateLimited, TooLarge
from bridge.server import runtime_file
from bridge.server.asgi import SHUTDOWN_S, Mount, mount_all
from bridge.server.auth import BODY_LIMIT, Authenticator
from bridge.server.connections import IDLE_TIMER, Connections, Handler, RateLimits, shut_down_when_idle
from bridge.server.routes import BRIDGE, CLOSING_EVENT, HALF_OPEN, LIMITS, PAIRING, PRINCIPAL, ROUTES, TOKENS
from bridge.server.runtime_file import Runtime

QUIET_S: Final = 60.0
"""Seconds between two log lines about requests that are not HTTP."""


def error_response(error: BridgeError) -> web.Response:
    response = web.Response(status=error.status, body=encode(error.wire()), content_type="application/json")
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="vaultside"'
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.facts["retry_after_s"])
    return response


def http_error_response(error: web.HTTPException, path: str) -> web.Response:
    """Convert aiohttp's own errors to the same form."""
    match error:
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            response = error_response(InvalidArguments(f"{error.method} is not allowed here.", hint=f"Use {allowed}."))
            response.set_status(error.status)
            response.headers["Allow"] = allowed
            return response
        case web.HTTPRequestEntityTooLarge():
            response = error_response(TooLarge("The request is over 8 MiB."))
            # The rest of the body is not read.
            response.force_close()
            return response
        case web.HTTPNotFound():
            return error_response(NoSuchOperation(f"There is no endpoint `{path[:100]}`."))
        case _:
            refused = InvalidArguments(error.reason or "The request cannot be understood.")
            response = error_response(refused)
            response.set_status(error.status)
            return response


def body_error_response() -> web.Response:
    response = error_response(InvalidArguments("The body does not match its headers.", hint="Send it uncompressed."))
    # The start of the next request is not known.
    response.force_close()
    return response


class RedactingFilter(logging.Filter):
    """Shortens the server's log records, which quote input that it does not understand, every time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start by passing the first record."""
        super().__init__()
        self._clock = clock
        self._next = clock()
        self._suppressed = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Reduce an exception to its type; of requests that are not HTTP, pass one record a minute."""
        if not record.exc_info or (error := record.exc_info[1]) is None:
            return True
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
        record.exc_info = None
        if not isinstance(error, HttpProcessingError):
            return True
        if self._clock() < self._next:
            self._suppressed += 1
            return False
        if self._suppressed:
            record.msg += f" (and {self._suppressed} more since the last line)"
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        self._next, self._suppressed = self._clock() + QUIET_S, 0
        return True


REDACTING_FILTER: Final = RedactingFilter()


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
                async with door.enter(request) as request[PRINCIPAL]:
                    response = await handler(request)
        except BridgeError as error:
            response = error_response(error)
        except web.HTTPException as error:
            response = http_error_response(error, request.path)
        except web.RequestPayloadError:
            response = body_error_response()
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # the top of a call: anything else is a bug
            response = error_response(internal_error(error))
        return response

    app = web.Application(middlewares=[door.count, let_in], client_max_size=BODY_LIMIT)
    app[BRIDGE] = bridge
    app[TOKENS], app[PAIRING], app[LIMITS] = tokens, bridge.pairing, limits
    app[HALF_OPEN] = door.half_open
    app[CLOSING_EVENT], app[IDLE_TIMER] = asyncio.Event(), door.presence
    app.add_routes(ROUTES)
    app.on_response_prepare.append(harden)
    app.cleanup_ctx.append(door.watch_tokens)
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
    app[CLOSING_EVENT].set()


IDLE_S = 75.0
"""Seconds that a connection may be idle between two requests."""


# Long: what is opened, step by step, is closed in one place, whatever fails.
async def serve(
    bridge: Bridge,
    port: int,
    stop: asyncio.Event,
    ready: Callable[[Runtime], None],
    mounts: Mapping[str, Mount],
    leave_after: float | None = None,
    *,
    reads_only: bool = False,
) -> None:
    """Serve a bridge until told to stop."""
    await bridge.hold()
    runner = None
    tasks: list[asyncio.Task[None]] = []
    files: list[Path] = []
    keys: list[Path] = []
    try:
        listening = listen(port)
        token = secrets.token_urlsafe(32)
        key = None if reads_only else secrets.token_urlsafe(32)
        port = listening.getsockname()[1]
        app = build_application(bridge, port, token, READER if reads_only else RUNTIME, key)
        mounted = mount_all(app, bridge, port, mounts)
        web_log.server_logger.addFilter(REDACTING_FILTER)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            handler_cancellation=True,
            shutdown_timeout=SHUTDOWN_S,
            keepalive_timeout=IDLE_S,
            auto_decompress=False,
        )
        await runner.setup()
        await web.SockSite(runner, listening).start()
        tasks.append(asyncio.create_task(app[HALF_OPEN].watch(runner), name="half-open connections"))
        here = Runtime(f"http://127.0.0.1:{port}", token, os.getpid(), program.__version__)
        bridge.url = here.url
        for vault in bridge.vaults:
            if key is not None:
                keys.append(bridge.folders.owner(vault))
                runtime_file.write_owner_file(keys[-1], here.url, key)
            files.append(bridge.folders.runtime(vault))
            runtime_file.write_runtime(files[-1], here)
        ready(here)
        # Only now: opening an index imports heavy libraries, which must not delay the first requests.
        bridge.begin()
        for one in mounted:
            one.open()
        if leave_after is not None:
            leaving = shut_down_when_idle(app[IDLE_TIMER], bridge, leave_after, stop)
            tasks.append(asyncio.create_task(leaving, name="leaving"))
        await stop.wait()
    finally:
        for task in tasks:
            task.cancel()
        for file in files:
            runtime_file.remove_runtime(file)
        for file in keys:
            # The process that writes it holds the vault, so it is ours.
            file.unlink(missing_ok=True)
        if runner is not None:
            await runner.cleanup()
        await bridge.stop()


def listen(port: int) -> Any:
    """Open the socket, on loopback only."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise Busy(
            f"Port {port} cannot be used: {error.strerror}.", hint="Choose another port, or 0 for a free one."
        ) from None
    listening.setblocking(False)
    return listening
