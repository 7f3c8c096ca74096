"""Lightweight clients of a bridge: over HTTP, over MCP in both eras, and through the stdio entry."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, Protocol

import aiohttp

Era = Literal["2025-11-25", "2026-07-28"]
ERAS: tuple[Era, Era] = ("2025-11-25", "2026-07-28")

LINE_LIMIT = 2**24
"""Longest line in bytes that may be returned."""

WHO = {"name": "agents", "version": "1"}
META = "io.modelcontextprotocol"
ENVELOPE = {
    f"{META}/protocolVersion": "2026-07-28",
    f"{META}/clientInfo": WHO,
    f"{META}/clientCapabilities": {},
}


class Failed(Exception):
    """The bridge answered with an error."""


class Caller(Protocol):
    """A client that can run operations."""

    async def call(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        """Run an operation.

        Raises:
            Failed: It was refused or failed.
        """


class Wire(Protocol):
    """Transports JSON-RPC messages."""

    async def send(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Send a message and return its answer; a notification has none."""


@dataclass(slots=True)
class Plain:
    """Calls over HTTP."""

    session: aiohttp.ClientSession

    async def call(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        """Run an operation."""
        async with self.session.post(f"/api/{operation}", json=arguments) as response:
            answer = await response.json()
        if not response.ok:
            raise Failed(f"{operation}: {answer}")
        return answer


@dataclass(slots=True)
class Agent:
    """Calls tools over MCP."""

    wire: Wire
    era: Era
    numbers: Any = field(default_factory=count)

    async def greet(self) -> None:
        """Open a session, if the era has them."""
        if self.era == "2025-11-25":
            await self.ask("initialize", {"protocolVersion": self.era, "capabilities": {}, "clientInfo": WHO})
            await self.wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its result.

        Raises:
            Failed: It was refused.
        """
        given = {**params, "_meta": ENVELOPE} if self.era == "2026-07-28" else params
        message = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": given}
        answer = await self.wire.send(message)
        if answer is None or "result" not in answer:
            raise Failed(f"{method}: {answer}")
        result: dict[str, Any] = answer["result"]
        return result

    async def call(self, operation: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return its text."""
        result = await self.ask("tools/call", {"name": operation, "arguments": arguments})
        text: str = result["content"][0]["text"]
        if result.get("isError"):
            raise Failed(f"{operation}: {text}")
        return text


@dataclass(slots=True)
class Posts:
    """One HTTP request for each message."""

    session: aiohttp.ClientSession
    own: dict[str, str] = field(default_factory=dict)
    """Headers of the session, if the era has them."""

    async def send(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Post a message; the answer is an event of a stream, or the body."""
        headers = {"Accept": "application/json, text/event-stream", **self.own}
        if "_meta" in message.get("params", {}):
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
            if name := message["params"].get("name"):
                headers["Mcp-Name"] = name
        async with self.session.post("/mcp", json=message, headers=headers) as response:
            if session := response.headers.get("Mcp-Session-Id"):
                self.own = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
            if response.content_type != "text/event-stream":
                body = await response.read()
                return json.loads(body) if body else None
            async for line in response.content:
                if line.startswith(b"data: {"):
                    event: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
                    if event.get("id") == message["id"]:
                        return event
        return None


@dataclass(slots=True)
class Lines:
    """A process that exchanges one message per line."""

    process: asyncio.subprocess.Process

    async def send(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Write a message, and read until its answer arrives."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()
        while "id" in message and (line := await self.process.stdout.readline()):
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        return None


@asynccontextmanager
async def plain(url: str, token: str) -> AsyncIterator[Plain]:
    """Call over HTTP for a block."""
    async with connection(url, token) as session:
        yield Plain(session)


@asynccontextmanager
async def agent(url: str, token: str, era: Era) -> AsyncIterator[Agent]:
    """Call over MCP for a block."""
    async with connection(url, token) as session:
        caller = Agent(Posts(session), era)
        await caller.greet()
        yield caller


@asynccontextmanager
async def piped(command: list[str], era: Era) -> AsyncIterator[Agent]:
    """Call through a stdio entry for a block; closing its input ends it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LINE_LIMIT)
    try:
        caller = Agent(Lines(process), era)
        await caller.greet()
        yield caller
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def connection(url: str, token: str) -> AbstractAsyncContextManager[aiohttp.ClientSession]:
    """Open an HTTP session that sends the token."""
    return aiohttp.ClientSession(url, headers={"Authorization": f"Bearer {token}"}, read_bufsize=LINE_LIMIT)
