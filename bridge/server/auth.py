"""Authenticates requests: by Host, by Origin and by token."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager

from aiohttp import web
from multidict import CIMultiDictProxy

from bridge.access.tokens import Client, Tokens, token_digest
from bridge.api.call import OWNER, RUNTIME, Principal
from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.records import Record
from bridge.server.half_open import HalfOpenConnections
from bridge.server.presence import IdleTimer
from bridge.server.rate_limits import RateLimits
from bridge.types import Digest, Scope

OBSIDIAN_ORIGIN = "app://obsidian.md"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 8 * 2**20

CLIENT_HEADER = "X-Vaultside-Client"
"""Names the client for which a program with the runtime token calls; its rights are then limited to that client's. A
name without a token is only a label."""

LIMITED_HEADER = "X-Vaultside-Limited-To"
"""Names a client as `CLIENT_HEADER` does, but a name without a token may only read: its token may have been deleted."""

MAX_NAME_CHARS = 64

READ_ONLY: frozenset[Scope] = frozenset({"read"})


class Identity(Record):
    """The authenticated caller of a request."""

    principal: Principal
    client: Client | None = None
    """The client whose token, or whose name beside the runtime token, determines its rights."""
    paced: bool = False
    """Whether it is rate-limited."""


class Authenticator(Record):
    """Authenticates requests; created once the port is known."""

    port: int
    runtime: Digest
    """The digest of the token in the runtime file."""
    tokens: Tokens
    owner: Principal = RUNTIME
    """The principal that holds that token."""
    key: Digest | None = None
    """The digest of the token in the owner's file, which agents never get."""

    def check_host(self, headers: CIMultiDictProxy[str]) -> None:
        """Require a request addressed to this machine by name; a rebound DNS name is refused."""
        named = headers.getall("Host", [])
        if len(named) != 1 or named[0].lower() not in allowed_hosts(self.port):
            raise BadHost

    def check_origin(self, headers: CIMultiDictProxy[str]) -> str | None:
        """Require our own pages, Obsidian, or a caller that is not a browser."""
        sent = headers.getall("Origin", [])
        if not sent:
            return None
        if len(sent) != 1 or sent[0] not in allowed_origins(self.port):
            raise Forbidden("This origin is not allowed.", hint="Call from Obsidian or from outside a browser.")
        return sent[0]

    def visitor(self, headers: CIMultiDictProxy[str]) -> Identity:
        sent = headers.getall("Authorization", [])
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise Unauthorized
        token = token.strip()
        if hmac.compare_digest(token_digest(token), self.runtime):
            return self.local(headers, self.owner)
        if self.key is not None and hmac.compare_digest(token_digest(token), self.key):
            return self.local(headers, OWNER)
        client = self.tokens.holder(token)
        if client is None:
            raise Unauthorized
        return Identity(Principal(client.name, client.scopes, client.preset), client, paced=True)

    def local(self, headers: CIMultiDictProxy[str], holder: Principal) -> Identity:
        """Return the identity under which a program of the user calls."""
        limited = headers.getall(LIMITED_HEADER, [])
        for name in (*limited, *headers.getall(CLIENT_HEADER, [])):
            if self.tokens.is_revoked(name):
                raise Unauthorized(
                    "The token of this client was revoked.", hint="Give it one with `vaultside tokens create`."
                )
            client = self.tokens.find_client(name)
            if client is not None:
                return Identity(Principal(client.name, client.scopes & holder.scopes, client.preset), client)
        if limited:
            return Identity(Principal(limited[0][:MAX_NAME_CHARS], READ_ONLY & holder.scopes, None))
        return Identity(holder)


def allowed_hosts(port: int) -> Collection[str]:
    return [f"{name}:{port}" for name in LOOPBACK]


def allowed_origins(port: int) -> Collection[str]:
    return [OBSIDIAN_ORIGIN, *(f"http://{host}" for host in allowed_hosts(port))]


LOOK_S = 0.5
"""Seconds between checks of the tokens while a client has an open connection."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MALFORMED_STATUSES = frozenset({400, 405, 406, 411, 413, 415, 422})
"""Statuses of responses to malformed requests."""

MAX_WAIT_S = 2.0
"""Most seconds by which the response to a malformed request is delayed."""

RATE_LIMITED_CLIENT = web.RequestKey("PACED", Client)
"""The client whose calls are counted."""


class Connections:
    """Admits callers, and closes the connections of revoked clients."""

    def __init__(self, guard: Authenticator, limits: RateLimits, per_second: Callable[[], int]) -> None:
        """Start without connections."""
        self._guard = guard
        self._limits = limits
        self._per_second = per_second
        self.presence = IdleTimer()
        self.half_open = HalfOpenConnections()
        self._inside: dict[asyncio.Transport, str] = {}

    @asynccontextmanager
    async def enter(self, request: web.Request) -> AsyncIterator[Principal]:
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

    async def watch_tokens(self, _: web.Application) -> AsyncIterator[None]:
        """Watch for revoked tokens while the application runs."""
        task = asyncio.create_task(self._watch(), name="revoked tokens")
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle a request, and count malformed ones separately; after many, their responses are delayed.

        A malformed call is not charged, so that a broken program does not lock out another that shares its token.
        """
        self.half_open.note(request)
        response = await handler(request)
        client = request.get(RATE_LIMITED_CLIENT)
        if response.status in MALFORMED_STATUSES and client is not None:
            wait = self._limits.charge_malformed(client, self._per_second())
            await asyncio.sleep(min(wait, MAX_WAIT_S))
        return response

    def _admit(self, request: web.Request) -> Identity:
        try:
            visitor = self._guard.visitor(request.headers)
        except Unauthorized:
            self._limits.stranger()
            raise
        if visitor.client is not None and visitor.paced:
            self._limits.client(visitor.client, self._per_second())
            request[RATE_LIMITED_CLIENT] = visitor.client
        return visitor

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            valid = {client.id for client in self._guard.tokens.clients()} if self._inside else set()
            for connection in [where for where, id_ in self._inside.items() if id_ not in valid]:
                # The server cancels the calls of a closed connection.
                connection.close()
