"""Who may come in: the Host and Origin of a request, and the token it carries."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from bridge.access.token_file import Client
from bridge.access.tokens import Tokens, token_digest
from bridge.api.call import OWNER, RUNTIME, Principal
from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.server.half_open import HalfOpenConnections
from bridge.server.presence import IdleTimer
from bridge.server.rate_limits import RateLimits
from bridge.types import Digest

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

OBSIDIAN_ORIGIN = "app://obsidian.md"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BODY_LIMIT = 8 * 2**20

CLIENT_HEADER = "X-Vault-Bridge-Client"
"""Names the client that a program with the runtime token calls for: it then may no more than that client."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who calls."""

    principal: Principal
    client: Client | None = None
    """The client whose token, or whose name beside the runtime token, says what it may do."""
    paced: bool = False
    """Whether it may call only so often."""


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Lets requests in; made once the port is known."""

    port: int
    runtime: Digest
    """The digest of the token in the runtime file."""
    tokens: Tokens
    owner: Principal = RUNTIME
    """Who holds that token."""
    key: Digest | None = None
    """The digest of the token in the owner's file, which agents are never handed."""

    def check_host(self, headers: "CIMultiDictProxy[str]") -> None:
        """Let only requests pass that were sent to this machine by name: a rebound DNS name is refused.

        Raises:
            BadHost: They were not.
        """
        named = headers.getall("Host", [])
        if len(named) != 1 or named[0].lower() not in allowed_hosts(self.port):
            raise BadHost

    def check_origin(self, headers: "CIMultiDictProxy[str]") -> str | None:
        """Let only our own pages and Obsidian pass, and whatever is no browser.

        Returns:
            The origin, which a browser wants to see allowed; None when there is none.

        Raises:
            Forbidden: Another page sent the request.
        """
        sent = headers.getall("Origin", [])
        if not sent:
            return None
        if len(sent) != 1 or sent[0] not in allowed_origins(self.port):
            raise Forbidden("This origin is not allowed.", hint="Call from Obsidian or from outside a browser.")
        return sent[0]

    def visitor(self, headers: "CIMultiDictProxy[str]") -> Identity:
        """Find who holds the request's token.

        Raises:
            Unauthorized: There is no token, nobody holds it, or the client it is used for lost its own.
        """
        sent = headers.getall("Authorization", [])
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise Unauthorized
        token = token.strip()
        if hmac.compare_digest(token_digest(token), self.runtime):
            return self.local(headers.getall(CLIENT_HEADER, []), self.owner)
        if self.key is not None and hmac.compare_digest(token_digest(token), self.key):
            return self.local(headers.getall(CLIENT_HEADER, []), OWNER)
        client = self.tokens.holder(token)
        if client is None:
            raise Unauthorized
        return Identity(Principal(client.name, client.scopes, client.preset), client, paced=True)

    def local(self, names: Sequence[str], holder: Principal) -> Identity:
        """Find as whom a program of the user calls.

        Args:
            names: The clients it names; one that has no token of its own changes nothing.
            holder: Who holds the token that it sent.
        """
        for name in names:
            if self.tokens.is_revoked(name):
                raise Unauthorized(
                    "The token of this client was revoked.", hint="Give it one with `vault-bridge tokens create`."
                )
            client = self.tokens.named(name)
            if client is not None:
                return Identity(Principal(client.name, client.scopes & holder.scopes, client.preset), client)
        return Identity(holder)


def allowed_hosts(port: int) -> Collection[str]:
    """Return what a Host header may say: this machine by name."""
    return [f"{name}:{port}" for name in LOOPBACK]


def allowed_origins(port: int) -> Collection[str]:
    """Return the origins that may call."""
    return [OBSIDIAN_ORIGIN, *(f"http://{host}" for host in allowed_hosts(port))]


LOOK_S = 0.5
"""Seconds between looks at the tokens while a client has something open."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MALFORMED_STATUSES = frozenset({400, 405, 406, 411, 413, 415, 422})
"""Answers to requests that cannot be understood."""

LONGEST_WAIT_S = 2.0
"""Seconds that the answer to a request that could not be understood is held back at most."""

RATE_LIMITED_CLIENT = web.RequestKey("PACED", Client)
"""Where the guard leaves the client whose calls are counted."""


class Connections:
    """Knows who is inside."""

    def __init__(self, guard: Authenticator, limits: RateLimits, per_second: Callable[[], int]) -> None:
        """Let nobody in yet.

        Args:
            guard: Knows who holds which token.
            limits: Knows who called how often.
            per_second: Tells how many calls a second a client may make.
        """
        self._guard = guard
        self._limits = limits
        self._per_second = per_second
        self.presence = IdleTimer()
        self.half_open = HalfOpenConnections()
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
        client = request.get(RATE_LIMITED_CLIENT)
        if response.status in MALFORMED_STATUSES and client is not None:
            wait = self._limits.malformed(client, self._per_second())
            await asyncio.sleep(min(wait, LONGEST_WAIT_S))
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
                # The server cancels what it runs for a connection that is gone.
                connection.close()
