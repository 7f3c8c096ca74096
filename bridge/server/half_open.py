"""Closes connections on which no complete request arrives, so that they cannot use up the process's open files."""

import asyncio
from weakref import ReferenceType, WeakKeyDictionary, ref

from aiohttp import web

MAX_REQUEST_S = 5.0
"""Most seconds that the head of a connection's first request, or the body of any, may take."""

LOOK_S = 1.0
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
            await asyncio.sleep(LOOK_S)
            server = runner.server
            for connection in [each.transport for each in server.connections] if server is not None else ():
                if connection is None or self._is_complete(connection):
                    continue
                # Looks, not time: while the process is busy, what was sent waits to be read.
                self._looks[connection] = looks = self._looks.get(connection, 0) + 1
                if looks * LOOK_S > MAX_REQUEST_S:
                    connection.abort()

    def _is_complete(self, connection: asyncio.BaseTransport) -> bool:
        latest = self._latest.get(connection)
        request = None if latest is None else latest()
        return latest is not None and (request is None or request.content.is_eof())
