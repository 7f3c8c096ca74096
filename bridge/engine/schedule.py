"""Runs periodic work: watches the index, expires proposals, and tracks which notes are read together."""

import asyncio
import logging
import time
from pathlib import Path
from typing import Never

from msgspec.structs import replace

from bridge.engine.review import ChangeReview
from bridge.errors import BridgeError, DiskFull, IndexUnusable, ReadOnly
from bridge.index.index import Index
from bridge.index.library import load_lancedb
from bridge.search.co_reading import CoReading, co_read_pairs
from bridge.settings.schema import Settings
from bridge.state.call_log import DAY_S
from bridge.state.store import Store

log = logging.getLogger(__name__)

INDEX_CHECK_S = 2.0
PARTS = ("", "notes.lance", "passages.lance")


async def watch_index(index: Index, folder: Path) -> Never:
    """Check an index periodically, until it becomes unusable."""
    opened = await asyncio.to_thread(folder_identity, folder)
    while True:
        await asyncio.sleep(INDEX_CHECK_S)
        # Now and not with the first change, which would be found later; it slows searches down for a second.
        if index.searches.is_pausing:
            await asyncio.to_thread(load_lancedb)
        if index.is_damaged:
            raise IndexUnusable(f"The index in `{folder}` is damaged.", hint="It is being rebuilt.")
        if await asyncio.to_thread(folder_identity, folder) != opened:
            raise IndexUnusable(f"The index in `{folder}` was deleted or replaced.", hint="It is being rebuilt.")


def folder_identity(folder: Path) -> tuple[int | None, ...]:
    return tuple(inode_of(folder / part) for part in PARTS)


def inode_of(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


COMPACT_EVERY_S = 900.0


async def run_maintenance(review: ChangeReview, index: Index) -> Never:
    while True:
        await review.expire()
        await asyncio.sleep(COMPACT_EVERY_S)
        try:
            await index.optimise()
        except (DiskFull, ReadOnly) as error:
            log.warning("The index is not made compact now: %s", error.code)


LOOKED_AT_S = 35 * DAY_S
"""Seconds looked back; older readings weigh a thirtieth at most."""

MAX_READINGS = 3_000
"""Most recent readings that are used: a tenth of a second of work even if all were in long sessions."""

REFRESH_EVERY_S = 30.0
"""Seconds before a result may be refreshed."""


class CoReadingTracker:
    """Which notes are read together; belongs to one event loop."""

    def __init__(self, index: Index, store: Store, settings: Settings) -> None:
        self._index = index
        self._store = store
        self._request = asyncio.Event()
        self._due = 0.0
        self.use(settings)

    @property
    def co_reading(self) -> CoReading:
        """The latest result. Reading it schedules a refresh."""
        if time.monotonic() >= self._due:
            self._request.set()
        return self._co_reading

    def use(self, settings: Settings) -> None:
        """Apply changed settings, and forget results that they may hide."""
        self._co_reading = CoReading(settings.read_together_percent / 100)
        self._request.set()

    async def run(self) -> None:
        """Refresh whenever a result was read and is old enough, until cancelled."""
        while True:
            await self._request.wait()
            self._request.clear()
            try:
                await self.look()
            except BridgeError as error:
                log.warning("Which notes were read together is not known now: %s", error.code)
            self._due = time.monotonic() + REFRESH_EVERY_S

    async def look(self) -> None:
        """Refresh the result, unless its weight is zero."""
        before = self._co_reading
        if not before.weight:
            return
        now = time.time()
        readings = await asyncio.to_thread(self._store.calls.readings, now - LOOKED_AT_S, MAX_READINGS)
        notes = self._index.notes
        beside = await asyncio.to_thread(co_read_pairs, [one for one in readings if one.path in notes], now)
        # Changed settings schedule another refresh.
        if self._co_reading is before:
            self._co_reading = replace(before, beside=beside)
