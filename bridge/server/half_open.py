"""Closes connections on which no whole request arrives, so that they cannot use up the files a process may open."""

import asyncio
import time
from weakref import WeakKeyDictionary, WeakSet

from aiohttp import web

LONGEST_S = 5.0
"""Seconds that the head of a connection's first request may take."""

LOOK_S = 1.0
"""Seconds between looks at the open connections."""


class HalfOpenConnections:
    """Knows on which connections a request arrived."""

    def __init__(self) -> None:
        self._used: WeakSet[asyncio.BaseTransport] = WeakSet()
        self._since: WeakKeyDictionary[asyncio.BaseTransport, float] = WeakKeyDictionary()

    def note(self, request: web.Request) -> None:
        """Take in that a request arrived."""
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
