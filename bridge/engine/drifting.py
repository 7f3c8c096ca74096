"""Keeps which notes programs read together lately; brought up to date beside the searches, never while one waits."""

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from bridge.errors import BridgeError
from bridge.retrieval import Drift, drifted
from bridge.settings import Settings
from bridge.store import DAY_S, Store

if TYPE_CHECKING:
    from bridge.index import Index

log = logging.getLogger(__name__)

LOOKED_AT_S = 35 * DAY_S
"""Seconds that are looked back: what is older says a thirtieth at most."""

MOST = 3_000
"""Readings that are looked at, the last ones: a tenth of a second of work even if all were in long sittings."""

EVERY_S = 30.0
"""Seconds for which what was found is true enough."""


class Drifting:
    """How near notes have drifted; belongs to one event loop."""

    def __init__(self, index: "Index", store: Store, settings: Settings) -> None:
        """Know of nothing that was read.

        Args:
            index: Holds the notes that there are and that may be seen.
            store: Remembers which calls read which notes.
            settings: Say what it counts.
        """
        self._index = index
        self._store = store
        self._asked = asyncio.Event()
        self._due = 0.0
        self.use(settings)

    @property
    def drift(self) -> Drift:
        """What was found last; that it is asked for has it brought up to date soon after."""
        if time.monotonic() >= self._due:
            self._asked.set()
        return self._drift

    def use(self, settings: Settings) -> None:
        """Take over changed settings, and forget what they may hide now."""
        self._drift = Drift(settings.read_together_percent / 100)
        self._asked.set()

    async def run(self) -> None:
        """Look whenever it is asked for and was not for a while."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            try:
                await self.look()
            except BridgeError as error:
                log.warning("Which notes were read together is not known now: %s", error.code)
            self._due = time.monotonic() + EVERY_S

    async def look(self) -> None:
        """Bring it up to date, unless it counts for nothing.

        Raises:
            BridgeError: The disk is in the way.
        """
        before = self._drift
        if not before.weight:
            return
        now = time.time()
        readings = await asyncio.to_thread(self._store.readings, now - LOOKED_AT_S, MOST)
        notes = self._index.notes
        beside = await asyncio.to_thread(drifted, [one for one in readings if one.path in notes], now)
        # Other settings meanwhile have it looked at again.
        if self._drift is before:
            self._drift = replace(before, beside=beside)
