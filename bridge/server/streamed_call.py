"""Answers a call with a stream of events: the parts of the result as they are known, then the whole result."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aiohttp import web

from bridge.api.call import Call
from bridge.api.dispatch import dispatch_call
from bridge.api.encode import encode
from bridge.api.registry import Operation
from bridge.api.stream import StreamEvent
from bridge.errors import BridgeError

EVENT_STREAM = "text/event-stream"
"""The media type by which a caller asks for a stream."""

DONE, ERROR = "done", "error"
"""The kinds of the last event: the result as without a stream, or the error."""


async def stream_call(
    request: web.Request, operation: Operation, call: Call, arguments: Mapping[str, Any]
) -> web.StreamResponse:
    """Run an operation and send what it says; a caller that leaves cancels it."""
    parts: asyncio.Queue[bytes | None] = asyncio.Queue()

    def say(event: StreamEvent) -> None:
        parts.put_nowait(encode_part(event.kind, encode(event.data)))

    running = asyncio.create_task(dispatch_call(operation, replace(call, say=say), arguments, encode))
    running.add_done_callback(lambda _: parts.put_nowait(None))
    response = web.StreamResponse(headers={"Content-Type": f"{EVENT_STREAM}; charset=utf-8", "X-Accel-Buffering": "no"})
    try:
        part = await parts.get()
        if part is None:
            # Nothing is sent yet: an error can still be the status of the response.
            await running
        await response.prepare(request)
        while part is not None:
            await response.write(part)
            part = await parts.get()
        await response.write(await _last_part(running))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return response


async def _last_part(running: asyncio.Task[bytes]) -> bytes:
    try:
        return encode_part(DONE, await running)
    except BridgeError as error:
        return encode_part(ERROR, encode(error.wire()))


def encode_part(kind: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)
