"""Measures the graph at sizes that nobody writes by hand, and how long it blocks the event loop."""

import asyncio
import gc
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bridge.engine.analytics import GraphAnalytics, GraphSnapshot
from bridge.engine.link_graph import LinkTable, ResolvedLinks
from bridge.features.graph.operations import collect_neighbours
from bridge.features.graph.view import ViewSelection, build_graph_view, build_picture
from bridge.graph.columns import WRITTEN_KINDS
from bridge.graph.graph import census
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.markdown.names import Names
from bridge.search.model import SearchRequest
from bridge.types import Digest, VaultPath
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows

LINKS = 10
"""Links per note."""

HELD_MS = 50.0
MANY = 100_000


def measure_graphs(found: Measurements) -> None:
    """Measure at 10,000 and 100,000 notes."""
    for count in (10_000, MANY):
        asyncio.run(measure_size(found, count))


async def measure_size(found: Measurements, count: int) -> None:
    """Measure one size."""
    notes = random_notes(count)
    # As after an index opens: long-lived objects are exempt from garbage collection.
    gc.freeze()
    names, links, watch = Names(notes), LinkTable(), LoopWatch()
    name = f"graph of {count // 1000},000 notes, {count * LINKS // 1000:,},000 links"

    async def timed(what: str, reach: float | None, work: Callable[[], Awaitable[Any]]) -> Any:
        began = time.perf_counter()
        result, held = await watch.over(work())
        note = f"held others for {held * 1000:.0f} ms" + (" MISSED" if held * 1000 > HELD_MS else "")
        found.add(Row(f"{name}: {what}", time.perf_counter() - began, "s", reach, note=note))
        return result

    def resolved() -> ResolvedLinks:
        links.resolve(links.take(), notes, names)
        assert links.resolved_links is not None
        return links.resolved_links

    resolved_links = await timed("resolved", None, lambda: asyncio.to_thread(resolved))
    await timed("drawn", None, lambda: asyncio.to_thread(resolved_links.graph, notes))
    path = next(iter(notes))
    links.mark_changed([path], names=[path])
    resolved_links = await timed(
        "an edit resolved", 0.05 if count < MANY else None, lambda: asyncio.to_thread(resolved)
    )
    graph = await timed("drawn after an edit", None, lambda: asyncio.to_thread(resolved_links.graph, notes))
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder))
        graph_snapshot, analytics = GraphSnapshot(graph, notes, index), GraphAnalytics()
        await timed("counted", None, lambda: asyncio.to_thread(census, graph))
        edges = await timed("edges", None, lambda: analytics.edges(graph_snapshot, WRITTEN_KINDS))
        shape = await timed("measured", None, lambda: analytics.shape(graph_snapshot, WRITTEN_KINDS))
        await timed("gaps", None, lambda: analytics.gaps(graph_snapshot, WRITTEN_KINDS, 10))

        async def view() -> Any:
            chosen = ViewSelection(SearchRequest(query=""), None, 1, None, (), fold=False, limit=None)
            picture, folds = await asyncio.to_thread(build_picture, graph_snapshot, edges, shape, chosen)
            labels = [graph.nodes.labels[number] for number in picture.speaker.tolist()]
            places = await analytics.places(graph_snapshot, "whole", picture.network, labels)
            return await asyncio.to_thread(
                build_graph_view, graph_snapshot, picture, shape, places, folds=folds, tagged=False
            )

        await timed("view of 10,000 nodes", None, view)
        lots = random.Random(3)
        seconds = []
        for _ in range(50):
            start = graph.number(lots.choice(list(notes)))
            assert start is not None
            began = time.perf_counter()
            await asyncio.to_thread(collect_neighbours, graph_snapshot, edges, start, "any", 2, 0.5, 50)
            seconds.append(time.perf_counter() - began)
        found.add(*latency_rows(f"{name}: neighbours, 2 steps", seconds))
        analytics.close()
        await index.close()


def random_notes(count: int) -> dict[VaultPath, IndexedNote]:
    """Generate notes with links, most of them to a few notes; some links name no note."""
    lots = random.Random(7)
    notes = {}
    for number in range(count):
        targets = [int(count * 1.02 * lots.random() ** 2) for _ in range(LINKS)]
        packed = ",".join(f'["Note {target}",null,"wiki",1,0,9,false]' for target in targets)
        path = VaultPath(f"Folder {number % 97}/Note {number}.md")
        notes[path] = IndexedNote(
            path, f"Note {number}", "note", (), (f"t{number // 5}",), {}, Digest(""), number, 1, 1,
            packed_links=f"[{packed}]",
        )  # fmt: skip
    return notes


class LoopWatch:
    """Measures how long an event loop is blocked."""

    async def over(self, work: Awaitable[Any]) -> tuple[Any, float]:
        """Return the result of the work, and the longest block in seconds during it."""
        waits = [0.0]

        async def tick() -> None:
            while True:
                began = time.perf_counter()
                await asyncio.sleep(0.001)
                waits.append(time.perf_counter() - began - 0.001)

        ticking = asyncio.create_task(tick())
        try:
            return await work, max(waits)
        finally:
            ticking.cancel()
