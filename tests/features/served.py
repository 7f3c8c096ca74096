"""A bridge that serves in this process, called over HTTP and by the command line."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from bridge.access.tokens import Tokens
from bridge.api.registry import OPERATIONS, installed_hooks
from bridge.cli.serve import mount
from bridge.engine.bridge import Bridge
from bridge.server.asgi import Mount
from bridge.server.runtime_file import Runtime
from bridge.server.serve import serve

PATIENCE_S = 300.0
"""Long, since embedding yields to everything else that runs on a machine."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def code(self) -> str:
        """The error's code."""
        code: str = self.json["error"]["code"]
        return code


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return orjson.loads(self.out)


@dataclass(frozen=True, slots=True)
class Served:
    """A serving bridge."""

    bridge: Bridge
    runtime: Runtime
    models: Path
    session: aiohttp.ClientSession
    """Keeps connections: to connect takes longer than most answers."""

    async def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, data: bytes | None = None
    ) -> Answer:
        """Send a request with the token, unless other headers are given."""
        sent = {"Authorization": f"Bearer {self.runtime.token}"} if headers is None else headers
        async with self.session.request(method, self.runtime.url + path, headers=sent, data=data) as response:
            return Answer(response.status, dict(response.headers), await response.read())

    async def call(self, operation: str, /, **arguments: Any) -> Answer:
        """Call an operation; one that waits for the index waits long enough."""
        if operation == "wait_until_indexed":
            arguments = {"timeout": PATIENCE_S, **arguments}
        return await self.request("POST", f"/api/{operation}", data=orjson.dumps(arguments))

    async def result(self, operation: str, /, **arguments: Any) -> Any:
        """Call an operation, which must succeed, and return its result."""
        answer = await self.call(operation, **arguments)
        assert answer.status == 200, answer.body
        return answer.json

    async def call_as(self, client: str, operation: str, /, **arguments: Any) -> Answer:
        """Call an operation as a client whose changes are proposals."""
        tokens = Tokens(self.bridge.folders.tokens)
        if tokens.find_client(client) is None:
            tokens.create(client, ["read", "write"])
        headers = {"Authorization": f"Bearer {self.runtime.token}", "X-Vaultside-Client": client}
        return await self.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))

    async def settle(self, job_id: str) -> None:
        """Wait for a job."""
        async with asyncio.timeout(PATIENCE_S):
            while (await self.call("job_status", job_id=job_id)).json["state"] == "running":
                await asyncio.sleep(0.01)

    async def command(
        self, *words: str, stdin: bytes = b"", cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Ran:
        """Run the command with this bridge's folders."""
        return await command(*words, data=self.bridge.data_dir, models=self.models, stdin=stdin, cwd=cwd, env=env)


async def command(
    *words: str,
    data: Path,
    models: Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run the command and wait for it to exit."""
    root = Path(__file__).resolve().parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bridge.cli", *words, "--data-dir", str(data), "--models-dir", str(models)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd or data.parent,
        env={**os.environ, "PYTHONPATH": str(root), **(env or {})},
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def serving(vaults: Sequence[Path], data: Path, models: Path, mcp: Mount = mount) -> AsyncIterator[Served]:
    """Serve vaults for a block, from when keyword search is ready; `mcp` answers at /mcp."""
    stop, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
    bridge = Bridge(data, models, vaults, installed_hooks())
    task = asyncio.create_task(serve(bridge, 0, stop, listening.set_result, {"/mcp": mcp}))
    done, _ = await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
    if task in done:
        task.result()
    async with aiohttp.ClientSession() as session:
        served = Served(bridge, listening.result(), models, session)
        try:
            if "status" in OPERATIONS:
                await readable(served)
            yield served
        finally:
            stop.set()
            await task


async def readable(served: Served, *, meaning: bool = False) -> None:
    """Wait until everything is indexed."""
    async with asyncio.timeout(PATIENCE_S):
        while not all(settled(vault, meaning=meaning) for vault in (await served.call("status")).json["vaults"]):
            await asyncio.sleep(0.2 if meaning else 0.02)  # embedding takes long, and each question takes time from it


def settled(vault: Mapping[str, Any], *, meaning: bool) -> bool:
    """Say whether indexing is complete."""
    words = vault["ready"]["keyword"] and not vault["pending"]["keyword"]
    vectors = vault["ready"]["semantic"] and not vault["pending"]["vectors"]
    return bool(words and (vectors or not meaning))


def write_vault(root: Path, notes: Mapping[str, str]) -> Path:
    """Write a vault."""
    (root / ".obsidian").mkdir(parents=True)
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
