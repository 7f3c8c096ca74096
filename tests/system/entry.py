"""`vaultside mcp` as an agent uses it: a process that reads and writes lines of JSON."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.mcp.client import Era
from tests.system.sidecar import COMMAND, PATIENCE_S

OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

LINE_LIMIT = 2**24


@dataclass(slots=True)
class Entry:
    """A started entry."""

    process: asyncio.subprocess.Process
    heard: list[dict[str, Any]] = field(default_factory=list)
    """Notifications that arrived while something else was awaited."""

    async def say(self, message: dict[str, Any] | bytes) -> None:
        """Send a message, or bytes that stand for one."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def hear(self) -> dict[str, Any]:
        """Wait for a message, which must be a complete line of JSON."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = await self.process.stdout.readline()
        message: dict[str, Any] = json.loads(line)
        return message

    async def answer(self, id_: object) -> dict[str, Any]:
        """Wait for the answer to a request."""
        while (message := await self.hear()).get("id") != id_ or "method" in message:
            self.heard.append(message)
        return message

    async def ask(self, id_: object, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        await self.say({"id": id_, "method": method, "params": params})
        return await self.answer(id_)

    async def told(self, method: str) -> dict[str, Any]:
        """Wait for a notification, unless it has already arrived."""
        while not (found := [message for message in self.heard if message.get("method") == method]):
            self.heard.append(await self.hear())
        return found[0]

    async def open(self) -> None:
        """Perform the handshake of the older era."""
        await self.ask("opening", "initialize", **OPENING)
        await self.say({"method": "notifications/initialized"})

    async def ended(self) -> tuple[int, str]:
        """Wait for the exit; return the status and standard error."""
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            said = await self.process.stderr.read()
            return await self.process.wait(), said.decode()


def words(vault: Path | str | None, data: Path, *more: str) -> list[str]:
    """Return the command line; without a model, so that nothing is embedded."""
    folders = ["--data-dir", str(data), "--models-dir", str(data.with_name("no models"))]
    return [str(COMMAND), "mcp", *([] if vault is None else [str(vault)]), *folders, *more]


@asynccontextmanager
async def entered(vault: Path | str | None, data: Path, *more: str) -> AsyncIterator[Entry]:
    """Start an entry for a block."""
    process = await asyncio.create_subprocess_exec(
        *words(vault, data, *more),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_LIMIT,
        cwd=data.parent,
    )
    try:
        yield Entry(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def client(vault: Path, data: Path, era: Era, *more: str, **options: Any) -> AsyncIterator[Client]:
    """Connect the library's own client."""
    command, *arguments = words(vault, data, *more)
    async with Client(StdioServerParameters(command=command, args=arguments), mode=era, **options) as connected:
        yield connected
