"""Keeps how the graph is today, so that one can later see how it grew."""

from datetime import datetime

from bridge.engine.atlas import Chart
from bridge.store import Size, Store

EVERY_S = 900.0
"""Seconds between looks at a graph."""


def remember(chart: Chart, store: Store) -> None:
    """Keep the graph as that of today; blocks.

    Raises:
        DiskFull: There is no room.
        ReadOnly: The data folder cannot be written.
    """
    from bridge.graph import census

    found = census(chart.graph)
    joined = found.joined.tolist()
    today = datetime.now().astimezone().date().isoformat()
    size = Size(found.notes, found.links, found.stubs)
    store.keep_day(today, size, {path: joined[number] for number, path in chart.graph.paths.items()})
