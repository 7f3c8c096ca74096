"""Finds the bridge of one vault, wherever it currently listens, and starts one if there is none."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bridge.cli.stdio.launch import BridgeStarter, PrivateBridge, SharedBridge
from bridge.errors import BridgeError, Busy, DiskFull, ReadOnly
from bridge.server.runtime_file import Runtime, read_runtime

log = logging.getLogger(__name__)

FALLBACK_CODES = frozenset({Busy.code, ReadOnly.code, DiskFull.code})
"""Errors after which a private bridge is started, since no shared one can be."""

LOOK_EVERY_S = 0.01

RESTART_S = 2.0
"""Seconds to wait for a bridge that was running to come back: the user who stopped it may be about to restart it."""

AGAIN_S = 1.0
"""Seconds before a start is tried again while another process holds the vault."""

PATIENCE_S = 10.0
"""Seconds to wait for another process to serve the vault or release it."""

START_S = 60.0
"""Seconds to wait for a starting bridge; on an idle machine it needs about one."""


class BridgeUnavailable(BridgeError):
    """No bridge answers for this vault, and none could be started in time."""

    code = "not_ready"
    hint = "Run `vault-bridge serve` with the vault in a terminal: it says what is in the way."


class BridgeFinder:
    """Looks for the bridge, once for all simultaneous requests."""

    def __init__(
        self, runtime_file: Path, listens: Callable[[Runtime], Awaitable[bool]], starter: BridgeStarter
    ) -> None:
        """Defer looking for the bridge."""
        self._file = runtime_file
        self._listens = listens
        self._starter = starter
        self._own: PrivateBridge | None = None
        self._seen = False
        self._looking: asyncio.Task[Runtime] | None = None

    def now(self) -> Runtime | None:
        """Return where the bridge listens, a shared one before a private one; None if there is none."""
        shared = read_runtime(self._file)
        if self._own is None:
            return shared
        if shared is not None or self._own.process.poll() is not None:
            self._own.end()
            self._own = None
            return shared
        return self._own.runtime.result() if self._own.runtime.done() else None

    def begin(self) -> asyncio.Task[Runtime]:
        """Start looking for the bridge, also before any request."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="looking")
            # Requests that wait get the error; without any, it does not matter.
            self._looking.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._looking

    def give_up(self) -> None:
        """Stop looking, and end the private bridge."""
        if self._looking is not None:
            self._looking.cancel()
        if self._own is not None:
            self._own.end()

    async def found(self, refused: Runtime | None = None) -> Runtime:
        """Return a bridge that listens; one is started if there is none."""
        now = self.now()
        if now is not None and now != refused:
            self._seen = True
            return now
        return await asyncio.shield(self.begin())

    async def _look(self) -> Runtime:
        try:
            return await self._shared()
        except BridgeError as error:
            if error.code not in FALLBACK_CODES:
                raise
            log.warning("%s This client gets a bridge of its own, which only reads, and finds words alone.", error)
            self._own = self._starter.start_own()
            return await asyncio.wait_for(asyncio.shield(self._own.runtime), START_S)

    async def _shared(self) -> Runtime:
        """Look for a shared bridge, starting one if needed, until one listens or the time is up."""
        reason: BridgeError = BridgeUnavailable()
        began = time.monotonic()
        start_at = began + (RESTART_S if self._seen else 0.0)
        started: SharedBridge | None = None
        while time.monotonic() < began + (START_S if started is not None else PATIENCE_S):
            now = self.now()
            if now is not None and await self._listens(now):
                self._seen = True
                return now
            if started is not None and started.has_ended:
                reason = started.reason()
                if reason.code != Busy.code:
                    raise reason
                # The process that holds the vault will soon serve it or release it.
                started, start_at = None, time.monotonic() + AGAIN_S
            if started is None and time.monotonic() >= start_at:
                started = self._starter.start()
            await asyncio.sleep(LOOK_EVERY_S)
        raise reason
