"""Sends requests to the bridge's MCP endpoint, wherever the bridge currently listens."""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus

import aiohttp

from bridge.cli.stdio.find import BridgeFinder, BridgeUnavailable
from bridge.errors import BridgeError
from bridge.server.runtime_file import Runtime

CONNECT_S = 5.0
TRIES = 5

KEPT_OPEN_S = 3600.0
"""Seconds that an idle connection stays open, which shows the bridge that the client is still there."""

LIMITED_HEADER = "X-Vaultside-Limited-To"
SESSION_HEADER = "X-Vaultside-Session"


class ConnectionLost(BridgeError):
    """The bridge went away during this call, which may or may not have been carried out."""

    code = "not_ready"
    hint = "Look whether it was, then call again."


class NotSent(Exception):
    """Nothing listens at the bridge's address."""


def http_session() -> aiohttp.ClientSession:
    """Return a session that connects directly and without a limit, since streams stay open for hours."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_OPEN_S),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


class Endpoint:
    """Sends requests to `/mcp`."""

    def __init__(
        self, http: aiohttp.ClientSession, finder: BridgeFinder, query: Mapping[str, str], client: str | None
    ) -> None:
        """Send nothing yet."""
        self._http = http
        self._finder = finder
        self._query = query
        # One process is one session, even if the bridge is restarted.
        self._named = {SESSION_HEADER: secrets.token_hex(6), **({LIMITED_HEADER: client} if client is not None else {})}

    @asynccontextmanager
    async def post(self, body: bytes, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a message to the bridge, starting one if there is none; a message that was sent is never sent again."""
        refused = None
        content = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        for _ in range(TRIES):
            runtime = await self._finder.find(refused)
            try:
                async with self._send("POST", runtime, {**headers, **content}, body) as response:
                    # Another bridge may have replaced the one that this token belongs to.
                    if response.status != HTTPStatus.UNAUTHORIZED or self._finder.now() == runtime:
                        yield response
                        return
            except NotSent:
                refused = runtime
        raise BridgeUnavailable

    @asynccontextmanager
    async def listen(self, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open the stream of the bridge's unsolicited messages; starts no bridge."""
        runtime = self._finder.now()
        if runtime is None:
            raise ConnectionLost
        try:
            async with self._send("GET", runtime, {**headers, "Accept": "text/event-stream"}) as response:
                yield response
        except NotSent:
            raise ConnectionLost from None

    async def end(self, headers: Mapping[str, str]) -> None:
        """End a session, if a bridge is there to receive it."""
        runtime = self._finder.now()
        if runtime is not None:
            async with self._send("DELETE", runtime, headers):
                pass

    @asynccontextmanager
    async def _send(
        self, method: str, runtime: Runtime, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        known = {"Authorization": f"Bearer {runtime.token}", **self._named}
        try:
            async with self._http.request(
                method,
                f"{runtime.url}/mcp",
                params=self._query,
                headers={**headers, **known},
                data=body,
                allow_redirects=False,
            ) as response:
                yield response
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            raise NotSent from None
        except (aiohttp.ClientError, TimeoutError):
            raise ConnectionLost from None
