"""Refuses a request whose id another one of its session still uses."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import INVALID_REQUEST
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridge.mcp.session_end import MCP_SESSION

SETTLE_S = 1.0
"""Seconds to wait for the end of a request that the client may already have the answer to."""

REPEATED = "This session has a request with this id that is not answered yet. Give each request an id of its own."

Key = tuple[str, str]
"""A session of the older era, and an id as the library distinguishes ids."""


class RequestIds:
    """The ids in use: the library sends an answer to the latest request of its id, whichever it belongs to."""

    def __init__(self) -> None:
        self._uses: dict[Key, set[asyncio.Event]] = {}

    def guard(self, app: ASGIApp) -> ASGIApp:
        """Wrap an app; requests of the newer era have no session, and share no ids."""

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            session = Request(scope).headers.get(MCP_SESSION) if scope.get("method") == "POST" else None
            if session is None:
                await app(scope, receive, send)
                return
            messages = [await receive()]
            id_ = request_id(messages[0].get("body", b""))

            async def receive_again() -> Message:
                return messages.pop() if messages else await receive()

            if id_ is None:
                await app(scope, receive_again, send)
            elif await self._is_free((session, str(id_))):
                with self._use((session, str(id_))):
                    await app(scope, receive_again, send)
            else:
                error = {"jsonrpc": "2.0", "id": id_, "error": {"code": INVALID_REQUEST, "message": REPEATED}}
                await JSONResponse(error, HTTPStatus.CONFLICT)(scope, receive, send)

        return call

    async def hold(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Keep an id in use until its request is answered, even if the client has disconnected."""
        session = ctx.request.headers.get(MCP_SESSION) if ctx.request is not None else None
        if session is None or ctx.request_id is None:
            return await call_next(ctx)
        with self._use((session, str(ctx.request_id))):
            return await call_next(ctx)

    @contextmanager
    def _use(self, key: Key) -> Iterator[None]:
        ended = asyncio.Event()
        self._uses.setdefault(key, set()).add(ended)
        try:
            yield
        finally:
            ended.set()
            self._uses[key].discard(ended)
            if not self._uses[key]:
                del self._uses[key]

    async def _is_free(self, key: Key) -> bool:
        try:
            async with asyncio.timeout(SETTLE_S):
                while uses := self._uses.get(key):
                    await next(iter(uses)).wait()
        except TimeoutError:
            return False
        return True


def request_id(body: bytes) -> str | int | None:
    try:
        match from_json(body):
            case {"id": str() | int() as id_, "method": str()}:
                return id_
    except ValueError:
        pass
    return None
