"""Records the graph of each day."""

import asyncio
import logging
from datetime import datetime
from typing import Never

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.state.graph_days import Size
from bridge.state.store import Store

log = logging.getLogger(__name__)

RECORD_EVERY_S = 900.0
"""Seconds between recordings of the graph."""


async def run_graph_recorder(vault: OpenVault) -> Never:
    """Record the graph periodically once all links are resolved, until cancelled."""
    while True:
        while not vault.indexer.link_resolver.settled:
            await vault.signal.wait()
        try:
            await record_graph(vault)
        except BridgeError as error:
            log.warning("How the graph is today is not kept: %s", error.code)
        await asyncio.sleep(RECORD_EVERY_S)


async def record_graph(vault: OpenVault) -> None:
    """Record the graph as that of today.

    Raises:
        NotReady: There is no graph yet.
        DiskFull: The disk is full.
        ReadOnly: The data folder is not writable.
    """
    rules = vault.files.rules
    await asyncio.to_thread(save_graph_day, await vault.graph_snapshot(), vault.store)
    if vault.files.rules.deny != rules.deny:
        vault.eraser.erase_again()


def save_graph_day(graph_snapshot: GraphSnapshot, store: Store) -> None:
    """Save the measures of a graph; blocks."""
    from bridge.graph.census import census

    found = census(graph_snapshot.graph)
    joined = found.joined.tolist()
    today = datetime.now().astimezone().date().isoformat()
    size = Size(found.notes, found.links, found.stubs)
    store.graph_days.save(today, size, {path: joined[number] for number, path in graph_snapshot.graph.paths.items()})
