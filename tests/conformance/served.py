"""The pack, and our own tools, behind the guard, the adapter and the transport that serve a vault."""

import tempfile
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.engine.bridge import Bridge
from bridge.mcp.endpoint import endpoint
from bridge.mcp.mount import mount as ours
from bridge.server.asgi import Mount
from tests.conformance.server import build
from tests.features.served import serving, write_vault

__all__ = ["Served", "ours", "pack", "served"]


@dataclass(frozen=True, slots=True)
class Served:
    """Where it is and how to get in."""

    url: str
    runtime: Path
    """The runtime file, which holds the token."""


@asynccontextmanager
async def pack(_: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the pack in place of our own tools."""
    async with endpoint(build(), hosts, origins) as app:
        yield app


@asynccontextmanager
async def served(mount: Mount) -> AsyncIterator[Served]:
    """Serve a vault of one note for a block, with this at /mcp."""
    with tempfile.TemporaryDirectory(prefix="vault-bridge-conformance-") as name:
        folder = Path(name)
        vault = write_vault(folder / "vault", {"Note.md": "# Note\n"})
        async with serving([vault], folder / "data", folder / "models", mount) as running:
            (runtime,) = (folder / "data" / "run").glob("*.json")
            yield Served(f"{running.runtime.url}/mcp", runtime)
