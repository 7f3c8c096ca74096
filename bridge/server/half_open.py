"""Closes connections on which no complete request arrives, so that they cannot use up the process's open files."""

import asyncio
import time
from weakref import WeakKeyDictionary, WeakSet

from aiohttp import web

LONGEST_S = 5.0
"""Most seconds that the head of a connection's first request may take."""

LOOK_S = 1.0
"""Seconds between checks of the open connections."""


class HalfOpenConnections:
    """Tracks the connections on which a request has arrived."""

    def __init__(self) -> None:
        self._used: WeakSet[asyncio.BaseTransport] = WeakSet()
        self._since: WeakKeyDictionary[asyncio.BaseTransport, float] = WeakKeyDictionary()

    def note(self, request: web.Request) -> None:
        """Record that a request has arrived."""
        if request.transport is not None:
            self._used.add(request.transport)

    async def watch(self, runner: web.AppRunner) -> None:
        """Close the connections that wait too long for their first request, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            server = runner.server
            for connection in [each.transport for each in server.connections] if server is not None else ():
                if connection is None or connection in self._used:
                    continue
                if now - self._since.setdefault(connection, now) >= LONGEST_S:
                    connection.abort()
