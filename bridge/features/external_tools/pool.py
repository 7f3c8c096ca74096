"""Keeps the connections to the user's servers: started on demand, ended when idle, changed or with the bridge."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Literal

from bridge.data_folder import Folders
from bridge.errors import BridgeError, Forbidden, ServerFailed, ServerNotFound, SettingsUnreadable
from bridge.features.external_tools.connection import Connection, Timeouts
from bridge.features.external_tools.server_file import ExternalServer, read_secrets, read_servers
from bridge.features.external_tools.stdio import Launch, prepare_launch
from bridge.private_files import file_stamp
from bridge.records import Record

ServerState = Literal["off", "idle", "running", "waiting"]
"""Disabled; enabled and not started; running; failed, and not tried again for a while."""


class ServerHealth(Record):
    """How a server is, how often it failed since its last answer, and how at last since it was changed."""

    state: ServerState
    failures: int = 0
    last_error: str | None = None


class Slot:
    """One server's connection, and its failures."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.connection: Connection | None = None
        self.launch: Launch | None = None
        self.calls = 0
        self.used = time.monotonic()
        self.failures = 0
        self.retry_at = 0.0
        self.last_error: str | None = None

    @property
    def wait_s(self) -> float:
        """Seconds until the server may be tried again; 0 if now."""
        return max(0.0, self.retry_at - time.monotonic()) if self.failures else 0.0

    def record_failure(self, error: ServerFailed, timing: Timeouts) -> None:
        self.failures += 1
        self.last_error = error.message
        wait = timing.backoff_s * 2 ** min(self.failures - 1, 16)
        self.retry_at = time.monotonic() + min(wait, timing.most_backoff_s)

    def forget_failures(self) -> None:
        """Reset the count, as for a server that was never tried."""
        self.failures, self.retry_at, self.last_error = 0, 0.0, None


class ServerPool:
    """The servers of one bridge. Without `servers.toml` nothing is started or imported."""

    def __init__(self, folders: Folders, timing: Timeouts | None = None) -> None:
        self.timing = timing or Timeouts()
        self._folders = folders
        self._slots: dict[str, Slot] = {}
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    async def servers(self) -> Mapping[str, ExternalServer]:
        """Read the user's list of servers."""
        return await asyncio.to_thread(read_servers, self._folders.servers)

    async def find(self, name: str) -> ExternalServer:
        servers = await self.servers()
        if name not in servers:
            known = ", ".join(f"`{one}`" for one in servers) or "none"
            raise ServerNotFound(f"There is no server `{name[:40]}`.", hint=f"Servers: {known}.")
        if not servers[name].enabled:
            raise Forbidden(f"The server `{name}` is disabled.", hint="The user may enable it in `servers.toml`.")
        return servers[name]

    def health(self, server: ExternalServer) -> ServerHealth:
        """Return how a server is, without starting it."""
        slot = self._slots.get(server.name)
        if slot is None:
            return ServerHealth("idle" if server.enabled else "off")
        if not server.enabled:
            return ServerHealth("off", slot.failures, slot.last_error)
        is_open = slot.connection is not None and slot.connection.is_open
        state: ServerState = "running" if is_open else "waiting" if slot.wait_s else "idle"
        return ServerHealth(state, slot.failures, slot.last_error)

    @property
    def is_any_running(self) -> bool:
        return any(self.find_connection(name) is not None for name in self._slots)

    def find_connection(self, name: str) -> Connection | None:
        """Return the open connection to a server, if there is one."""
        slot = self._slots.get(name)
        return slot.connection if slot is not None and slot.connection is not None and slot.connection.is_open else None

    @asynccontextmanager
    async def connect(self, server: ExternalServer) -> AsyncIterator[Connection]:
        """Yield a connection to a server for a block, in which it does not count as idle."""
        secrets = await asyncio.to_thread(read_secrets, self._folders.secrets) if server.env else {}
        launch = prepare_launch(server, secrets)
        slot = self._slots.setdefault(server.name, Slot())
        slot.calls += 1
        try:
            async with slot.lock:
                connection = await self._open(slot, launch)
            yield connection
            slot.forget_failures()
        except ServerFailed as error:
            if slot.connection is not None:
                slot.last_error = error.message
                # A program that has ended is counted by its own end; one that listens is connected again.
                if launch.server.url is not None:
                    await slot.connection.close()
            raise
        finally:
            slot.calls -= 1
            slot.used = time.monotonic()

    async def _open(self, slot: Slot, launch: Launch) -> Connection:
        if slot.launch is not None and not slot.launch.has_same_process(launch):
            await self._end(slot)
            slot.forget_failures()
        slot.launch = launch
        if slot.connection is not None:
            if slot.connection.is_open:
                return slot.connection
            await self._end(slot)
        self._require_running()
        if wait := slot.wait_s:
            raise ServerFailed(
                f"`{launch.server.name}` failed, and is not tried again yet. {slot.last_error}",
                hint=f"It is tried again in {wait:.0f} s.",
                retry_after_s=round(wait, 1),
            )
        connection = Connection(launch, self.timing, lambda error: slot.record_failure(error, self.timing))
        await connection.open()
        try:
            self._require_running()
        except ServerFailed:
            await connection.close()
            raise
        slot.connection = connection
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._end_unused(), name="mcp servers")
        return connection

    def _require_running(self) -> None:
        if self._is_closed:
            raise ServerFailed("The bridge stops.", hint="Call again once it runs.")

    async def apply_changes(self) -> None:
        servers = await self.servers()
        try:
            secrets = await asyncio.to_thread(read_secrets, self._folders.secrets)
        except SettingsUnreadable:
            secrets = None
        ended = [
            slot
            for name, slot in self._slots.items()
            if slot.connection is not None and not is_current(slot.connection.launch, servers.get(name), secrets)
        ]
        await asyncio.gather(*map(self._end, ended))

    async def close(self) -> None:
        self._is_closed = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await asyncio.gather(*map(self._end, self._slots.values()))

    async def _end(self, slot: Slot) -> None:
        if (connection := slot.connection) is not None:
            slot.connection = None
            await connection.close()

    async def _end_unused(self) -> None:
        # A file may have changed while the first server started.
        seen, files = None, (self._folders.servers, self._folders.secrets)
        while any(slot.connection is not None for slot in self._slots.values()):
            await asyncio.sleep(self.timing.look_s)
            limit = time.monotonic() - self.timing.idle_s
            unused = [
                slot
                for slot in self._slots.values()
                if slot.connection is not None and not slot.calls and (slot.used < limit or not slot.connection.is_open)
            ]
            await asyncio.gather(*map(self._end, unused))
            if (stamp := await asyncio.to_thread(lambda: [*map(file_stamp, files)])) != seen:
                seen = stamp
                with contextlib.suppress(BridgeError):
                    await self.apply_changes()


def is_current(launch: Launch, server: ExternalServer | None, secrets: Mapping[str, str] | None) -> bool:
    if server is None or not server.enabled:
        return False
    if secrets is None:
        return True
    try:
        return launch.has_same_process(prepare_launch(server, secrets))
    except SettingsUnreadable:
        return False
