"""The library's own client, used as any program would."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal
from urllib.parse import urlencode

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.features.served import PATIENCE_S, Served

Era = Literal["legacy", "auto"]
ERAS: tuple[Era, ...] = ("legacy", "auto")


@asynccontextmanager
async def connected(
    served: Served,
    era: Era = "auto",
    *,
    preset: str | None = None,
    vault: str | None = None,
    token: str | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """Connect for a block.

    Args:
        served: The bridge.
        era: The handshake of 2025, or the newest protocol.
        preset: The preset in the address.
        vault: The vault in the address.
        token: The token; by default the runtime file's.
        options: Further options of the client.
    """
    asked = {"preset": preset, "vault": vault}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    url = f"{served.runtime.url}/mcp?{query}"
    headers = {"Authorization": f"Bearer {token or served.runtime.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **options) as client,
    ):
        yield client


def text_of(result: Any) -> str:
    """Return the text of a tool's result, which is its only content."""
    (content,) = result.content
    text: str = content.text
    return text
