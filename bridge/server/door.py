"""Lets callers in, each at their pace, and ends what clients have open when their token is revoked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from bridge.access import Client
from bridge.errors import Unauthorized
from bridge.operations import Principal
from bridge.server.guard import Guard, Visitor
from bridge.server.half_open import HalfOpen
from bridge.server.limits import Limits
from bridge.server.presence import Presence

LOOK_S = 0.5
"""Seconds between looks at the tokens while a client has something open."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MALFORMED = frozenset({400, 405, 406, 411, 413, 415, 422})
"""Answers to requests that cannot be understood."""

LONGEST_WAIT_S = 2.0
"""Seconds that the answer to a request that could not be understood is held back at most."""

PACED = web.RequestKey("PACED", Client)
"""Where the guard leaves the client whose calls are counted."""


class Door:
    """Knows who is inside."""

    def __init__(self, guard: Guard, limits: Limits, per_second: Callable[[], int]) -> None:
        """Let nobody in yet.

        Args:
            guard: Knows who holds which token.
            limits: Knows who called how often.
            per_second: Tells how many calls a second a client may make.
        """
        self._guard = guard
        self._limits = limits
        self._per_second = per_second
        self.presence = Presence()
        self.half_open = HalfOpen()
        self._inside: dict[asyncio.Transport, str] = {}

    @asynccontextmanager
    async def entered(self, request: web.Request) -> AsyncIterator[Principal]:
        """Let a caller in for a block.

        Raises:
            Unauthorized: It holds no token.
            RateLimited: It calls too often.
        """
        visitor = self._admit(request)
        client, connection = visitor.client, request.transport
        self.presence.saw(connection)
        if client is None or connection is None:
            yield visitor.principal
            return
        if not self._guard.tokens.is_noted(client):
            await asyncio.to_thread(self._guard.tokens.note_use, client)
        self._inside[connection] = client.id
        try:
            yield visitor.principal
        finally:
            del self._inside[connection]

    async def watching(self, _: web.Application) -> AsyncIterator[None]:
        """Watch as long as the application runs."""
        task = asyncio.create_task(self._watch(), name="revoked tokens")
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, and count apart one that could not be understood; many of them get their answers late.

        The call is given back: a program that shares its token with one gone wrong must not be locked out with it.
        """
        self.half_open.note(request)
        response = await handler(request)
        client = request.get(PACED)
        if response.status in MALFORMED and client is not None:
            wait = self._limits.malformed(client, self._per_second())
            await asyncio.sleep(min(wait, LONGEST_WAIT_S))
        return response

    def _admit(self, request: web.Request) -> Visitor:
        try:
            visitor = self._guard.visitor(request.headers)
        except Unauthorized:
            self._limits.stranger()
            raise
        if visitor.client is not None and visitor.paced:
            self._limits.client(visitor.client, self._per_second())
            request[PACED] = visitor.client
        return visitor

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            valid = {client.id for client in self._guard.tokens.clients()} if self._inside else set()
            for connection in [where for where, id_ in self._inside.items() if id_ not in valid]:
                # The server cancels what it runs for a connection that is gone.
                connection.close()
