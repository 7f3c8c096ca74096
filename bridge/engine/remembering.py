"""Keeps how the graph is today, so that one can later see how it grew."""

import asyncio
import logging
from datetime import datetime
from typing import TYPE_CHECKING, Never

from bridge.engine.atlas import Chart
from bridge.errors import BridgeError
from bridge.store import Size, Store

if TYPE_CHECKING:
    from bridge.engine.vault_engine import VaultEngine

log = logging.getLogger(__name__)

EVERY_S = 900.0
"""Seconds between looks at a graph."""


async def go_on_remembering(engine: "VaultEngine") -> Never:
    """Remember the graph now and then, from the first time it is whole, until cancelled."""
    while True:
        while not engine.following.weaving.settled:
            await engine.signal.wait()
        try:
            await remember(engine)
        except BridgeError as error:
            log.warning("How the graph is today is not kept: %s", error.code)
        await asyncio.sleep(EVERY_S)


async def remember(engine: "VaultEngine") -> None:
    """Keep the graph as that of today.

    Raises:
        NotReady: There is none yet.
        DiskFull: There is no room.
        ReadOnly: The data folder cannot be written.
    """
    rules = engine.vault.rules
    await asyncio.to_thread(keep, await engine.waiting.chart(), engine.store)
    if engine.vault.rules.deny != rules.deny:
        engine.parts.enforcing.erase_again()


def keep(chart: Chart, store: Store) -> None:
    """Write down what a graph is like; blocks."""
    from bridge.graph import census

    found = census(chart.graph)
    joined = found.joined.tolist()
    today = datetime.now().astimezone().date().isoformat()
    size = Size(found.notes, found.links, found.stubs)
    store.keep_day(today, size, {path: joined[number] for number, path in chart.graph.paths.items()})
