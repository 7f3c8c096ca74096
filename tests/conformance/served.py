"""The pack behind the guard, the adapter and the transport that serve a vault."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.engine import Bridge
from bridge.mcp.serving import endpoint
from bridge.server import serve
from tests.conformance.server import build


@dataclass(frozen=True, slots=True)
class Served:
    """Where it is and how to get in."""

    url: str
    runtime: Path
    """The runtime file, which holds the token."""


@asynccontextmanager
async def mount(_: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the pack in place of our own tools."""
    async with endpoint(build(), hosts, origins) as app:
        yield app


@asynccontextmanager
async def serving() -> AsyncIterator[Served]:
    """Serve an empty vault and the pack for a block."""
    with tempfile.TemporaryDirectory(prefix="vault-bridge-conformance-") as folder:
        data, vault = Path(folder, "data"), Path(folder, "vault")
        vault.mkdir()
        stop, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
        bridge = Bridge(data, Path(folder, "models"), [vault])
        task = asyncio.create_task(serve(bridge, 0, stop, listening.set_result, {"/mcp": mount}))
        await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        try:
            (runtime,) = (data / "run").glob("*.json")
            yield Served(f"{listening.result().url}/mcp", runtime)
        finally:
            stop.set()
            await task
