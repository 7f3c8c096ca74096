"""A server that returns one file, correctly or with a chosen fault, request by request."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(slots=True)
class Hub:
    """The server's behaviour; each request takes the next of `moods`, and the last one stays.

    Moods: `good`, `cut:N` (N bytes of the body, then the connection stalls), `whole` (ignores ranges), `bare`
    (no length given), `wrong-part`, `status:N`, `elsewhere` (redirects to another address).
    """

    data: bytes
    moods: list[str] = field(default_factory=lambda: ["good"])
    etag: str = '"one"'
    linked_etag: str = ""
    location: str = "/file"
    ranges: list[str | None] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer according to the next mood."""
        mood, _, number = (self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]).partition(":")
        wanted = request.headers.get("Range")
        self.ranges.append(wanted)
        if mood == "status":
            return web.Response(status=int(number))
        if mood == "elsewhere":
            return web.Response(status=302, headers={"Location": self.location, "X-Linked-ETag": self.linked_etag})
        start = 0
        if wanted and mood != "whole" and request.headers.get("If-Range") == self.etag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if start and start >= len(self.data):
            return web.Response(status=416)
        response = web.StreamResponse(status=206 if start else 200, headers={"ETag": self.etag})
        if start:
            told = start + 1 if mood == "wrong-part" else start
            response.headers["Content-Range"] = f"bytes {told}-{len(self.data) - 1}/{len(self.data)}"
        body = self.data[start:]
        if mood != "bare":
            response.content_length = len(body)
        await response.prepare(request)
        if mood == "cut":
            await response.write(body[: int(number)])
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(body)
        await response.write_eof()
        return response


@contextlib.contextmanager
def serving(hub: Hub, tls: ssl.SSLContext | None = None) -> Iterator[Hub]:
    """Serve on a free loopback port in a thread, for a client that has an event loop of its own."""
    loop, up = asyncio.new_event_loop(), threading.Event()
    over = asyncio.Event()

    async def serve() -> None:
        app = web.Application()
        app.router.add_get("/{name:.*}", hub.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
        await site.start()
        port = runner.addresses[0][1]
        hub.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}/model.gguf"
        up.set()
        await over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    up.wait()
    try:
        yield hub
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
