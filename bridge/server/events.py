"""Events as a stream that a client can leave and resume."""

import asyncio
import contextlib

import orjson
from aiohttp import web
from msgspec import to_builtins

from bridge.events import Events, Message

HEARTBEAT_S = 15.0
"""Seconds of silence after which a comment shows each end that the other is still there."""

CLOSING = web.AppKey("CLOSING", asyncio.Event)
"""Set when the server shuts down, so that open streams end."""


async def stream_events(request: web.Request, events: Events) -> web.StreamResponse:
    """Send missed events, then each new one, until either side disconnects."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}
    )
    closing = request.app[CLOSING]
    with events.subscribe() as queue, contextlib.suppress(ConnectionError):
        missed = events.since(last_event_id(request)) if "Last-Event-ID" in request.headers else []
        await response.prepare(request)
        await response.write(b"retry: 2000\n\n" + b"".join(map(encode_event, missed)))
        while True:
            event = await next_event(queue, closing)
            if closing.is_set():
                break
            await response.write(encode_event(event) if event is not None else b":\n\n")
    return response


def last_event_id(request: web.Request) -> int:
    """Return the id of the last event the client saw; -1, an unknown id, if the header is not a number."""
    sent = request.headers["Last-Event-ID"].strip()
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 19 else -1


async def next_event(queue: asyncio.Queue[Message], closing: asyncio.Event) -> Message | None:
    """Wait for an event; None after some silence, or when the server shuts down."""
    waiting = {asyncio.ensure_future(queue.get()), asyncio.ensure_future(closing.wait())}
    try:
        done, _ = await asyncio.wait(waiting, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
    results = [task.result() for task in done]
    return next((result for result in results if isinstance(result, Message)), None)


def encode_event(message: Message) -> bytes:
    data = orjson.dumps({"vault": message.vault, **to_builtins(message.event)})
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (message.id, message.event.kind.encode(), data)
