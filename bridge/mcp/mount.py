"""The entry point of this package: opens the endpoint without blocking the event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from bridge.engine.bridge import Bridge
from bridge.index.background import pause_gc

OpenEndpoint = Callable[["Bridge", Collection[str], Collection[str]], AbstractAsyncContextManager[Any]]


@asynccontextmanager
async def mount(bridge: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the endpoint as an ASGI app; the state of its requests holds the caller as `principal`."""
    opened = await asyncio.to_thread(load_endpoint)
    async with opened(bridge, hosts, origins) as app:
        yield app


def load_endpoint() -> OpenEndpoint:
    with pause_gc():
        from bridge.mcp.endpoint import open_endpoint

    return open_endpoint
