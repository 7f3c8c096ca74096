"""Whether a client is there, for a bridge that leaves when none is."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakSet

from aiohttp import web

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge
    from bridge.engine.progress import Progress

LOOK_EVERY_S = 0.5

MAX_INDEXING_S = 1800.0
"""Seconds that a bridge without clients gets to finish its index: whoever comes next would have to wait for it, but
nobody should find a stranger at work hours later."""


class IdleTimer:
    """Remembers who called: as long as a connection on which a client called is open, the client is there."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin as if a client had just been there.

        Args:
            now: Tells the time in seconds.
        """
        self._now = now
        self._connections: WeakSet[asyncio.BaseTransport] = WeakSet()
        self._last = now()

    def saw(self, connection: asyncio.BaseTransport | None) -> None:
        """Take in that a client called."""
        self._last = self._now()
        if connection is not None:
            self._connections.add(connection)

    def alone_s(self) -> float:
        """Return for how many seconds no client was there, as far as was looked."""
        if not all(connection.is_closing() for connection in self._connections):
            self._last = self._now()
        return self._now() - self._last


IDLE_TIMER = web.AppKey("PRESENCE", IdleTimer)


async def shut_down_when_idle(presence: IdleTimer, bridge: "Bridge", after: float, stop: asyncio.Event) -> None:
    """Say stop when no client was there for a while and nothing is being indexed.

    Args:
        presence: Knows who is there.
        bridge: What may still be indexing.
        after: Seconds.
        stop: Set at the end.
    """
    while not stop.is_set():
        await asyncio.sleep(LOOK_EVERY_S)
        alone = presence.alone_s()
        if alone > after + MAX_INDEXING_S or (alone > after and not is_indexing(bridge)):
            stop.set()


def is_indexing(bridge: "Bridge") -> bool:
    """Say whether something is being indexed that can be."""
    return any(is_busy(engine.progress()) for engine in bridge.vaults.values())


def is_busy(now: "Progress") -> bool:
    """Say whether a vault's index is on its way to be complete."""
    words = not now.ready_keyword or now.pending_keyword > 0
    vectors = now.pending_vectors > 0 and now.model is not None and not now.paused
    return now.trouble is None and (words or vectors)
