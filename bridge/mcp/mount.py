"""The door of this package: opens the endpoint without holding up whoever waits to be heard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge

OpenEndpoint = Callable[["Bridge", Collection[str], Collection[str]], AbstractAsyncContextManager[Any]]


@asynccontextmanager
async def mount(bridge: "Bridge", hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the endpoint as an ASGI app; its requests carry who calls in their state, as `principal`.

    Args:
        bridge: What answers.
        hosts: What a Host header may say.
        origins: What an Origin header may say.
    """
    opened = await asyncio.to_thread(load_endpoint)
    async with opened(bridge, hosts, origins) as app:
        yield app


def load_endpoint() -> OpenEndpoint:
    """Load the MCP library, which takes half a second."""
    from bridge.mcp.endpoint import open_endpoint

    return open_endpoint
