"""The connections: who calls on them and how often, and when they are closed."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from math import ceil
from weakref import ReferenceType, WeakKeyDictionary, WeakSet, ref

from aiohttp import web

from bridge.access.tokens import Client
from bridge.api.call import Principal
from bridge.engine.bridge import Bridge
from bridge.engine.progress import Progress
from bridge.errors import RateLimited, Unauthorized
from bridge.server.auth import Authenticator, Identity

MAX_REQUEST_S = 5.0
"""Most seconds that the head of a connection's first request, or the body of any, may take."""

LOOK_FOR_REQUESTS_S = 1.0
"""Seconds between checks of the open connections."""


class HalfOpenConnections:
    """Tracks the connections on which a request has arrived."""

    def __init__(self) -> None:
        self._latest: WeakKeyDictionary[asyncio.BaseTransport, ReferenceType[web.Request]] = WeakKeyDictionary()
        self._looks: WeakKeyDictionary[asyncio.BaseTransport, int] = WeakKeyDictionary()

    def note(self, request: web.Request) -> None:
        """Record that the head of a request has arrived."""
        if request.transport is not None:
            self._latest[request.transport] = ref(request)
            self._looks.pop(request.transport, None)

    async def watch(self, runner: web.AppRunner) -> None:
        """Close the connections that wait too long for a request, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_FOR_REQUESTS_S)
            server = runner.server
            for connection in [each.transport for each in server.connections] if server is not None else ():
                if connection is None or self._is_complete(connection):
                    continue
                # Looks, not time: while the process is busy, what was sent waits to be read.
                self._looks[connection] = looks = self._looks.get(connection, 0) + 1
                if looks * LOOK_FOR_REQUESTS_S > MAX_REQUEST_S:
                    connection.abort()

    def _is_complete(self, connection: asyncio.BaseTransport) -> bool:
        latest = self._latest.get(connection)
        request = None if latest is None else latest()
        return latest is not None and (request is None or request.content.is_eof())


LOOK_EVERY_S = 0.5

MAX_INDEXING_S = 1800.0
"""Most seconds that a bridge without clients gets to finish its index: the next client would have to wait for it, but
nobody should find an unknown process at work hours later."""


class IdleTimer:
    """Tracks clients: while a connection on which a client called is open, that client is there."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._connections: WeakSet[asyncio.BaseTransport] = WeakSet()
        self._last = now()

    def saw(self, connection: asyncio.BaseTransport | None) -> None:
        self._last = self._now()
        if connection is not None:
            self._connections.add(connection)

    def alone_s(self) -> float:
        """Return the seconds since a client was last known to be there."""
        if not all(connection.is_closing() for connection in self._connections):
            self._last = self._now()
        return self._now() - self._last


IDLE_TIMER = web.AppKey("PRESENCE", IdleTimer)


async def shut_down_when_idle(presence: IdleTimer, bridge: Bridge, after: float, stop: asyncio.Event) -> None:
    """Set `stop` when no client was there for a while and nothing is being indexed."""
    while not stop.is_set():
        await asyncio.sleep(LOOK_EVERY_S)
        alone = presence.alone_s()
        if alone > after + MAX_INDEXING_S or (alone > after and not is_indexing(bridge)):
            stop.set()


def is_indexing(bridge: Bridge) -> bool:
    return any(is_busy(host.progress()) for host in bridge.vaults.values())


def is_busy(now: Progress) -> bool:
    words = not now.ready_keyword or now.pending_keyword > 0
    vectors = now.pending_vectors > 0 and now.model is not None and not now.paused
    return now.trouble is None and (words or vectors)


BURST_S = 5
"""The burst, in seconds' worth of calls."""

STRANGERS_PER_S = 5
PAIRING_PER_S = 1


class TokenBucket:
    """A bucket of calls that refills over time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock()
        self._spent = 0.0

    def take(self, per_second: float, burst: float) -> float:
        now = self._clock()
        self._spent = max(0.0, self._spent - (now - self._at) * per_second)
        self._at = now
        missing = self._spent + 1 - burst
        if missing > 0:
            return missing / per_second
        self._spent += 1
        return 0.0

    def give_back(self) -> None:
        self._spent = max(0.0, self._spent - 1)


class RateLimits:
    """The remaining calls of each client."""

    def __init__(self) -> None:
        self._clients: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._malformed: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._strangers = TokenBucket()
        self._pairing = TokenBucket()

    def client(self, client: Client, per_second: int) -> None:
        spend(self._clients[client.id], per_second)

    def charge_malformed(self, client: Client, per_second: int) -> float:
        """Return a client's malformed call to its bucket, and count it separately."""
        self._clients[client.id].give_back()
        return self._malformed[client.id].take(per_second, BURST_S * per_second)

    def stranger(self) -> None:
        """Count a call without a valid token.

        All callers without a token share one limit, since one machine cannot tell them apart. A valid token passes
        regardless, or any program could lock out all others; at 256 bits, guessing is hopeless even at full speed.
        """
        spend(self._strangers, STRANGERS_PER_S)

    def pairing(self) -> None:
        spend(self._pairing, PAIRING_PER_S)


def spend(pace: TokenBucket, per_second: int) -> None:
    wait = pace.take(per_second, BURST_S * per_second)
    if wait:
        raise RateLimited(retry_after_s=ceil(wait))


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
