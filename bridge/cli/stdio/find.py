"""Finds the bridge of one vault, wherever it is just now, and has one started when there is none."""

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
"""Why a bridge for all cannot be started where one of our own can."""

LOOK_EVERY_S = 0.05

RESTART_S = 2.0
"""Seconds that a bridge which was there gets to come back: whoever stopped it may be about to start it again."""

AGAIN_S = 1.0
"""Seconds before a start is tried again while another process holds the vault."""

PATIENCE_S = 10.0
"""Seconds that is waited for somebody else to serve the vault or to let go of it."""

START_S = 60.0
"""Seconds for a bridge that is on its way; on an idle machine it needs about one."""


class BridgeUnavailable(BridgeError):
    """No bridge answers for this vault, and none could be started in time."""

    code = "not_ready"
    hint = "Run `vault-bridge serve` with the vault in a terminal: it says what is in the way."


class BridgeFinder:
    """Looks for the bridge, once for all who ask at the same time."""

    def __init__(
        self, runtime_file: Path, listens: Callable[[Runtime], Awaitable[bool]], starter: BridgeStarter
    ) -> None:
        """Look for nothing yet.

        Args:
            runtime_file: Where the bridge says that it is.
            listens: Tells whether it is.
            starter: Starts one.
        """
        self._file = runtime_file
        self._listens = listens
        self._starter = starter
        self._own: PrivateBridge | None = None
        self._seen = False
        self._looking: asyncio.Task[Runtime] | None = None

    def now(self) -> Runtime | None:
        """Return where the bridge is, one for all before one of our own; None when there is none."""
        shared = read_runtime(self._file)
        if self._own is None:
            return shared
        if shared is not None or self._own.process.poll() is not None:
            self._own.end()
            self._own = None
            return shared
        return self._own.runtime.result() if self._own.runtime.done() else None

    def begin(self) -> asyncio.Task[Runtime]:
        """Begin to look, also before anybody asks."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="looking")
            # Whoever asks is told what went wrong; when nobody does, it matters to nobody.
            self._looking.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._looking

    def give_up(self) -> None:
        """Look no longer, and let go of what is our own."""
        if self._looking is not None:
            self._looking.cancel()
        if self._own is not None:
            self._own.end()

    async def found(self, refused: Runtime | None = None) -> Runtime:
        """Return a bridge that listens; one is started when there is none.

        Args:
            refused: What was found before and did not listen.

        Raises:
            BridgeError: There is none to be had.
        """
        now = self.now()
        if now is not None and now != refused:
            self._seen = True
            return now
        return await asyncio.shield(self.begin())

    async def _look(self) -> Runtime:
        """Look for a bridge for all; where there can be none, start one of our own."""
        try:
            return await self._shared()
        except BridgeError as error:
            if error.code not in FALLBACK_CODES:
                raise
            log.warning("%s This client gets a bridge of its own, which only reads, and finds words alone.", error)
            self._own = self._starter.start_own()
            return await asyncio.wait_for(asyncio.shield(self._own.runtime), START_S)

    async def _shared(self) -> Runtime:
        """Look until there is one, or patience is over."""
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
                # Whoever holds the vault will serve it soon, or let go of it.
                started, start_at = None, time.monotonic() + AGAIN_S
            if started is None and time.monotonic() >= start_at:
                started = self._starter.start()
            await asyncio.sleep(LOOK_EVERY_S)
        raise reason
