"""Keeps small what grows by itself: ends what waited too long and makes the index compact, now and then."""

import asyncio
import logging
import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Never

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.review import ChangeReview
from bridge.errors import BridgeError, DiskFull, ReadOnly
from bridge.search.co_reading import CoReading, co_read_pairs
from bridge.settings.schema import Settings
from bridge.state.call_log import DAY_S
from bridge.state.graph_days import Size
from bridge.state.store import Store

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine
    from bridge.index.index import Index

log = logging.getLogger(__name__)

COMPACT_EVERY_S = 900.0


async def run_maintenance(review: ChangeReview, index: "Index") -> Never:
    """Tidy up until cancelled."""
    while True:
        await review.expire()
        await asyncio.sleep(COMPACT_EVERY_S)
        try:
            await index.optimise()
        except (DiskFull, ReadOnly) as error:
            log.warning("The index is not made compact now: %s", error.code)


RECORD_EVERY_S = 900.0
"""Seconds between looks at a graph."""


async def run_graph_recorder(engine: "VaultEngine") -> Never:
    """Remember the graph now and then, from the first time it is whole, until cancelled."""
    while True:
        while not engine.indexer.link_resolver.settled:
            await engine.signal.wait()
        try:
            await record_graph(engine)
        except BridgeError as error:
            log.warning("How the graph is today is not kept: %s", error.code)
        await asyncio.sleep(RECORD_EVERY_S)


async def record_graph(engine: "VaultEngine") -> None:
    """Keep the graph as that of today.

    Raises:
        NotReady: There is none yet.
        DiskFull: There is no room.
        ReadOnly: The data folder cannot be written.
    """
    rules = engine.vault.rules
    await asyncio.to_thread(save_graph_day, await engine.waiting.graph_snapshot(), engine.store)
    if engine.vault.rules.deny != rules.deny:
        engine.parts.eraser.erase_again()


def save_graph_day(graph_snapshot: GraphSnapshot, store: Store) -> None:
    """Write down what a graph is like; blocks."""
    from bridge.graph.census import census

    found = census(graph_snapshot.graph)
    joined = found.joined.tolist()
    today = datetime.now().astimezone().date().isoformat()
    size = Size(found.notes, found.links, found.stubs)
    store.keep_day(today, size, {path: joined[number] for number, path in graph_snapshot.graph.paths.items()})


LOOKED_AT_S = 35 * DAY_S
"""Seconds that are looked back: what is older says a thirtieth at most."""

MOST = 3_000
"""Readings that are looked at, the last ones: a tenth of a second of work even if all were in long sittings."""

REFRESH_EVERY_S = 30.0
"""Seconds for which what was found is true enough."""


class CoReadingTracker:
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
    def co_reading(self) -> CoReading:
        """What was found last; that it is asked for has it brought up to date soon after."""
        if time.monotonic() >= self._due:
            self._asked.set()
        return self._drift

    def use(self, settings: Settings) -> None:
        """Take over changed settings, and forget what they may hide now."""
        self._drift = CoReading(settings.read_together_percent / 100)
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
            self._due = time.monotonic() + REFRESH_EVERY_S

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
        beside = await asyncio.to_thread(co_read_pairs, [one for one in readings if one.path in notes], now)
        # Other settings meanwhile have it looked at again.
        if self._drift is before:
            self._drift = replace(before, beside=beside)
