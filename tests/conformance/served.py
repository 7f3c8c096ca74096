"""Serves the suite's tools, or our own, behind the authentication, adapter and transport that serve a vault."""

import tempfile
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.cli.serve import mount as ours
from bridge.engine.bridge import Bridge
from bridge.mcp.endpoint import endpoint
from bridge.server.asgi import Mount
from tests.conformance.server import build
from tests.features.served import serving, write_vault

__all__ = ["Served", "ours", "pack", "served"]


@dataclass(frozen=True, slots=True)
class Served:
    """The address of a server and its runtime file."""

    url: str
    runtime: Path
    """The runtime file, which holds the token."""


@asynccontextmanager
async def pack(_: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the suite's tools in place of our own."""
    async with endpoint(build(), hosts, origins) as app:
        yield app


@asynccontextmanager
async def served(mount: Mount) -> AsyncIterator[Served]:
    """Serve a vault of one note for a block, with this app at /mcp."""
    with tempfile.TemporaryDirectory(prefix="vaultside-conformance-") as name:
        folder = Path(name)
        vault = write_vault(folder / "vault", {"Note.md": "# Note\n"})
        async with serving([vault], folder / "data", folder / "models", mount) as running:
            (runtime,) = (folder / "data" / "run").glob("*.json")
            yield Served(f"{running.runtime.url}/mcp", runtime)
