"""The handlers of each address."""

import asyncio
import contextlib
import zlib
from collections.abc import Mapping
from typing import Any, Final

import orjson
from aiohttp import web
from msgspec import to_builtins
from msgspec.structs import replace

import bridge as program
from bridge.access.tokens import Pairing, Tokens, check_name
from bridge.api.arguments import pop_vault
from bridge.api.call import SESSION, Call, Principal, StreamEvent
from bridge.api.dispatch import dispatch_call, dispatch_viewed
from bridge.api.operation import Operation
from bridge.api.schemas import encode
from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError, InvalidArguments
from bridge.events import Events, SentEvent, SettingsChanged
from bridge.export.catalogue import catalogue
from bridge.export.openapi import openapi
from bridge.features import get_operation
from bridge.features.history.public import editor_session
from bridge.server.auth import BODY_LIMIT, CLIENT_HEADER
from bridge.server.connections import HalfOpenConnections, RateLimits
from bridge.server.runtime_file import VIEW
from bridge.types import Scope

EVENT_STREAM = "text/event-stream"
"""The media type by which a caller asks for a stream."""

STREAM_HEADERS = {"Content-Type": f"{EVENT_STREAM}; charset=utf-8", "X-Accel-Buffering": "no"}

HEARTBEAT_S = 15.0
"""Seconds of silence after which a comment shows each end that the other is still there."""

CLOSING_EVENT = web.AppKey("CLOSING", asyncio.Event)
"""Set when the server shuts down, so that open streams end."""


async def stream_events(request: web.Request, events: Events) -> web.StreamResponse:
    """Send missed events, then each new one, until either side disconnects."""
    response = web.StreamResponse(headers=STREAM_HEADERS)
    closing = request.app[CLOSING_EVENT]
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


async def next_event(queue: asyncio.Queue[SentEvent], closing: asyncio.Event) -> SentEvent | None:
    """Wait for an event; None after some silence, or when the server shuts down."""
    waiting = {asyncio.ensure_future(queue.get()), asyncio.ensure_future(closing.wait())}
    try:
        done, _ = await asyncio.wait(waiting, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
    results = [task.result() for task in done]
    return next((result for result in results if isinstance(result, SentEvent)), None)


def encode_event(message: SentEvent) -> bytes:
    data = orjson.dumps({"vault": message.vault, **to_builtins(message.event)})
    return b"id: %d\n" % message.id + encode_part(message.event.kind, data)


DONE_KIND, ERROR_KIND = "done", "error"
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
    response = web.StreamResponse(headers=STREAM_HEADERS)
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
        return encode_part(DONE_KIND, await running)
    except BridgeError as error:
        return encode_part(ERROR_KIND, encode(error.wire()))


def encode_part(kind: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)


BRIDGE = web.AppKey("BRIDGE", Bridge)
PRINCIPAL = web.RequestKey("PRINCIPAL", Principal)
"""The authenticated caller of a request."""

TOKENS = web.AppKey("TOKENS", Tokens)
PAIRING = web.AppKey("PAIRING", Pairing)
LIMITS = web.AppKey("LIMITS", RateLimits)
HALF_OPEN = web.AppKey("HALF_OPEN", HalfOpenConnections)

APPLIES_FIELD = "applies"
"""The parameter that names the vault whose changes the reader of a stream applies."""

PAIRED_SCOPES: tuple[Scope, ...] = ("read", "write")
"""The scopes of a client that paired."""


async def health(_: web.Request) -> web.Response:
    """Say that the bridge is up; needs no token."""
    return json_response({"status": "ok", "version": program.__version__})


async def run_operation(request: web.Request) -> web.StreamResponse:
    operation = get_operation(request.match_info["operation"])
    arguments = parse_arguments(await read_body(request))
    vault = pop_vault(arguments)
    call = Call(
        bridge=request.app[BRIDGE],
        principal=request[PRINCIPAL],
        vault_name=vault,
        client=client_of(request),
        session=request.headers.get(SESSION) or None,
        transport="http",
    )
    if operation.streams and request.headers.get("Accept") == EVENT_STREAM:
        return await stream_call(request, operation, call, arguments)
    if request.headers.get("Accept") == VIEW:
        return web.Response(body=await dispatch_viewed(operation, call, arguments), content_type=VIEW)
    answer = await dispatch_call(operation, call, arguments, encode)
    return web.Response(body=answer, content_type="application/json")


def client_of(request: web.Request) -> str | None:
    """Return the program that the caller claims to be: from our header, else the first product of its user agent."""
    return request.headers.get(CLIENT_HEADER) or next(iter(request.headers.get("User-Agent", "").split()), None)


async def pair(request: web.Request) -> web.Response:
    """Give a client that knows the code a token of its own; this needs no other token."""
    request.app[LIMITS].pairing()
    match parse_arguments(await read_body(request)):
        case {"code": str(code), "client": str(name), **rest} if not rest:
            check_name(name)
        case _:
            raise InvalidArguments("Pairing takes `code`, six digits as text, and `client`, a name.")
    request.app[PAIRING].enter(code)
    client, token = await asyncio.to_thread(request.app[TOKENS].create, name, PAIRED_SCOPES, numbered=True)
    # The settings show the clients that have tokens.
    request.app[BRIDGE].events.publish(SettingsChanged())
    return json_response({"token": token, "scopes": PAIRED_SCOPES, "client": client.name})


_GZIP_OR_ZLIB: Final = 32 + zlib.MAX_WBITS


async def read_body(request: web.Request) -> bytes:
    """Return the body, decompressed as far as the limit; aiohttp would also decompress what nobody reads."""
    body = await request.read()
    match request.headers.get("Content-Encoding", "identity").strip().lower():
        case "" | "identity":
            return body
        case "gzip" | "deflate":
            inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
            with contextlib.suppress(zlib.error):
                whole = inflater.decompress(body, BODY_LIMIT + 1)
                if len(whole) > BODY_LIMIT:
                    raise web.HTTPRequestEntityTooLarge(BODY_LIMIT, len(whole))
                if inflater.eof:
                    return whole
    raise web.RequestPayloadError


def parse_arguments(body: bytes) -> dict[str, Any]:
    """Parse the arguments; an empty body means none."""
    if not body.strip():
        return {}
    try:
        arguments = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidArguments(f"The body is not JSON: {error.msg} at {error.pos}.") from None
    if not isinstance(arguments, dict):
        raise InvalidArguments("The body must be a JSON object with the arguments.")
    return arguments


async def operations(_: web.Request) -> web.Response:
    return json_response({"operations": await asyncio.to_thread(catalogue)})


async def description(_: web.Request) -> web.Response:
    return json_response(await asyncio.to_thread(openapi))


async def events(request: web.Request) -> web.StreamResponse:
    """Stream events; with `applies`, the reader applies changes of a vault while the stream is open."""
    bridge, principal = request.app[BRIDGE], request[PRINCIPAL]
    principal.require("read")
    vault = request.query.get(APPLIES_FIELD)
    present = editor_session(Call(bridge, principal, vault)) if vault is not None else contextlib.nullcontext()
    with present:
        return await stream_events(request, bridge.events)


def json_response(value: Mapping[str, Any] | Any) -> web.Response:
    return web.Response(body=encode(value), content_type="application/json")


ROUTES = (
    web.get("/healthz", health, allow_head=False),
    web.get("/openapi.json", description, allow_head=False),
    web.get("/api/operations", operations, allow_head=False),
    web.get("/api/events", events, allow_head=False),
    web.post("/api/pair", pair),
    web.post("/api/{operation}", run_operation),
)
