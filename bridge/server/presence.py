"""Tracks whether a client is there, for a bridge that shuts down when none is."""

import asyncio
import time
from collections.abc import Callable
from weakref import WeakSet

from aiohttp import web

from bridge.engine.bridge import Bridge
from bridge.engine.progress import Progress

LOOK_EVERY_S = 0.5

MAX_INDEXING_S = 1800.0
"""Most seconds that a bridge without clients gets to finish its index: the next client would have to wait for it, but
nobody should find an unknown process at work hours later."""


class IdleTimer:
    """Tracks clients: while a connection on which a client called is open, that client is there."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start as if a client had just been there."""
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
