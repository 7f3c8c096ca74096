"""Mounts an ASGI app on one route: complete requests in, streams out."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from aiohttp import web

from bridge.api.dispatch import internal_error
from bridge.engine.bridge import Bridge
from bridge.server.auth import allowed_hosts, allowed_origins
from bridge.server.routes import PRINCIPAL, read_body

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

Mount = Callable[[Bridge, Collection[str], Collection[str]], AbstractAsyncContextManager[App]]
"""Opens an app; takes the allowed hosts and origins, so that the app checks them again."""

SHUTDOWN_S = 0.5
"""Seconds that running calls get when the server shuts down."""

HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade"})


def mount_all(app: web.Application, bridge: Bridge, port: int, mounts: Mapping[str, Mount]) -> Sequence["MountedApp"]:
    """Mount each app on its path; none is opened yet."""
    mounted = []
    for path, mount in mounts.items():
        one = MountedApp(mount(bridge, allowed_hosts(port), allowed_origins(port)))
        for method in ("GET", "POST", "DELETE"):
            app.router.add_route(method, path, one.handle)
        app.on_shutdown.append(one.close)
        mounted.append(one)
    return mounted


class MountedApp:
    """One ASGI app, opened by its first request: until then, it needs neither time nor memory."""

    def __init__(self, opening: AbstractAsyncContextManager[App]) -> None:
        self._opening = opening
        self._wanted, self._leaving = asyncio.Event(), asyncio.Event()
        self._running: dict[asyncio.Task[None], Exchange] = {}
        self._app: asyncio.Future[App] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Open the app once it is asked for."""
        # A task of its own: the app's scopes must be exited by the task that entered them.
        self._task = asyncio.create_task(self._hold(), name="mounted")

    async def close(self, _: web.Application) -> None:
        """Let the app end its streams, then report to running calls that their clients have disconnected."""
        self._leaving.set()
        if self._task is not None:
            if not self._app.done():
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._app.cancel()
        for exchange in self._running.values():
            exchange.leave()
        if self._running:
            await asyncio.wait(self._running, timeout=SHUTDOWN_S)

    async def _hold(self) -> None:
        await self._wanted.wait()
        try:
            async with self._opening as app:
                self._app.set_result(app)
                await self._leaving.wait()
        except Exception as error:  # noqa: BLE001  # the top of a task: anything else is a bug
            error_page = internal_error(error)
            if not self._app.done():
                self._app.set_exception(error_page)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self._wanted.set()
        app = await asyncio.shield(self._app)
        exchange = Exchange(request, await read_body(request))
        running: asyncio.Task[None] = asyncio.ensure_future(app(asgi_scope(request), exchange.receive, exchange.send))
        self._running[running] = exchange
        running.add_done_callback(self._remove_call)
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            # aiohttp cancels this call when the client disconnects, even after its answer. The app is notified and not
            # cancelled: what it has just opened, such as a session, must stay.
            exchange.leave()
            raise
        except Exception as error:
            if not exchange.response.prepared:
                raise
            internal_error(error)
            # Too late for another response; an aborted one is not mistaken for a complete one.
            raise ConnectionAbortedError from None
        return exchange.response

    def _remove_call(self, running: asyncio.Task[None]) -> None:
        """Remove a finished call; one that failed after its client left is only logged."""
        exchange = self._running.pop(running)
        if exchange.has_left and not running.cancelled() and (error := running.exception()) is not None:
            log.warning("%s after the client left", type(error).__name__)


class Exchange:
    """One request and its response, as ASGI sees them."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self.response = web.StreamResponse(status=500)
        self._request = request
        self._body: bytes | None = body
        self._gone = asyncio.Event()

    @property
    def has_left(self) -> bool:
        return self._gone.is_set()

    def leave(self) -> None:
        """Report to the app that the client has disconnected."""
        self._gone.set()

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send a part of the response; after the client has disconnected it is dropped, as ASGI requires."""
        if message["type"] == "http.response.start":
            self.response.set_status(message["status"])
            for name, value in message.get("headers", ()):
                if name.lower() not in HOP_BY_HOP:
                    self.response.headers.add(name.decode("latin-1"), value.decode("latin-1"))
            return
        if self.has_left:
            return
        with contextlib.suppress(ConnectionError):
            if not self.response.prepared:
                await self.response.prepare(self._request)
            if body := message.get("body"):
                await self.response.write(body)
            if not message.get("more_body"):
                await self.response.write_eof()


def asgi_scope(request: web.Request) -> Message:
    """Describe a request as ASGI does; its state holds the caller."""
    transport = request.transport
    peer = transport.get_extra_info("peername") if transport else None
    return {
        "type": "http",
        # Below 2.4, `receive` reports a disconnected client and `send` need not.
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.rel_url.raw_path.encode("ascii"),
        "query_string": request.rel_url.raw_query_string.encode("ascii"),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": tuple(peer[:2]) if peer else None,
        "server": None,
        "state": {"principal": request[PRINCIPAL]},
    }
