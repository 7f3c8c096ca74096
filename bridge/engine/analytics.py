"""Computes graph analytics on demand and caches them for as long as the graph snapshot lives."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge.errors import Busy
from bridge.graph.columns import EdgeKind, Edges, concat_edges
from bridge.graph.graph import Graph
from bridge.graph.measure import Measures, Network, build_network, compute_layout, measure_network, pagerank
from bridge.graph.pairs import find_gaps, mutual_neighbours, pairs_by_folder, pairs_by_tag
from bridge.graph.walk import arcs
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.types import Among, VaultPath
from bridge.worker_pool import WorkerPool

IDLE_S = 120.0
"""Seconds without work after which the process ends and frees its memory."""

P = ParamSpec("P")
T = TypeVar("T")


class AnalyticsProcess:
    """Runs functions in one separate process, which starts with the first call and ends when idle."""

    def __init__(self) -> None:
        self._pool: WorkerPool | None = None
        self._running = 0
        self._ending: asyncio.TimerHandle | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a module-level function; its arguments and result are pickled."""
        self._running += 1
        if self._ending is not None:
            self._ending.cancel()
        try:
            for _ in range(2):
                self._pool = self._pool or WorkerPool(1)
                pool = self._pool
                try:
                    return await asyncio.wrap_future(pool.submit(work, *args, **kwargs))
                except BrokenProcessPool:
                    self._drop(pool)
            raise Busy(
                "The process that measures the graph was killed.", hint="Try again; the machine may be out of memory."
            )
        finally:
            self._running -= 1
            if not self._running:
                self._ending = asyncio.get_running_loop().call_later(IDLE_S, self.close)

    def close(self) -> None:
        """End the process; unfinished work is lost."""
        if self._ending is not None:
            self._ending.cancel()
        if self._pool is not None:
            self._drop(self._pool)

    def _drop(self, pool: WorkerPool) -> None:
        """Discard a pool; the next call starts another."""
        if pool is self._pool:
            self._pool = None
        pool.end()


VECTORS_AT_ONCE = 100
"""Vectors gathered before the event loop gets a turn."""

MAX_POSITIONS = 20_000
"""Node positions of one layout that are remembered."""

Place = tuple[float, float]


class GraphSnapshot(Record, eq=False):
    """A graph of the links, with the notes and index it was taken from."""

    graph: Graph
    notes: Mapping[VaultPath, IndexedNote]
    index: Index
    among: Among = "notes"


class GraphMeasures(Record, eq=False):
    """The notes as a network, its measures, and the PageRank of each note."""

    network: Network
    measures: Measures
    rank: Any


class GraphAnalytics:
    """Analytics of one vault's graph; belongs to one event loop."""

    def __init__(self) -> None:
        self._apart = AnalyticsProcess()
        self._cached: dict[Among, tuple[Graph, dict[Hashable, asyncio.Task[Any]]]] = {}
        self._places: dict[tuple[Among, str], dict[str, Place]] = {}

    async def edges(self, graph_snapshot: GraphSnapshot, kinds: Collection[EdgeKind], *, stubs: bool = False) -> Edges:
        similar = await self._similar(graph_snapshot) if "similar" in kinds else ()

        async def gather() -> Edges:
            return await asyncio.to_thread(gather_edges, graph_snapshot, kinds, similar, stubs=stubs)

        return await self._once(
            graph_snapshot, ("edges", frozenset(kinds), stubs, graph_snapshot.index.pending_vectors()), gather
        )

    async def shape(self, graph_snapshot: GraphSnapshot, kinds: Collection[EdgeKind]) -> GraphMeasures:
        """Measure the network formed by some kinds of edges; takes seconds in a large vault."""
        edges = await self.edges(graph_snapshot, kinds)

        async def measure() -> GraphMeasures:
            network = await asyncio.to_thread(build_network, edges, graph_snapshot.graph.present)
            measures = await self._apart.run(measure_network, network)
            rank = await self._apart.run(pagerank, edges.size, *await asyncio.to_thread(arcs, edges, "out"))
            return GraphMeasures(network, measures, rank)

        return await self._once(
            graph_snapshot, ("shape", frozenset(kinds), graph_snapshot.index.pending_vectors()), measure
        )

    async def gaps(
        self, graph_snapshot: GraphSnapshot, kinds: Collection[EdgeKind], most: int
    ) -> list[tuple[int, int, int, float]]:
        """Find pairs of notes that are linked to together but not to each other."""
        edges = await self.edges(graph_snapshot, kinds)
        return await self._once(
            graph_snapshot, ("gaps", frozenset(kinds), most), lambda: self._apart.run(find_gaps, edges, most)
        )

    async def places(
        self, graph_snapshot: GraphSnapshot, picture: str, network: Network, labels: Sequence[str]
    ) -> list[Place]:
        """Compute the layout of a network, starting from the positions in the previous layout of this name."""

        async def draw() -> list[Place]:
            name = graph_snapshot.among, picture
            before = self._places.get(name, {})
            start = await asyncio.to_thread(previous_places, before, labels)
            coordinates = await self._apart.run(compute_layout, network, start)
            places, self._places[name] = await asyncio.to_thread(remember_places, before, labels, coordinates)
            return places

        return await self._once(graph_snapshot, ("places", picture, tuple(labels)), draw)

    def close(self) -> None:
        for _, tasks in self._cached.values():
            for task in tasks.values():
                task.cancel()
        self._apart.close()

    async def _similar(self, graph_snapshot: GraphSnapshot) -> Sequence[tuple[int, int, float]]:
        async def compare() -> Sequence[tuple[int, int, float]]:
            numbers: list[int] = []
            vectors = np.empty((0, 0), np.float16)
            for at, (number, path) in enumerate(graph_snapshot.graph.paths.items()):
                vector = graph_snapshot.index.vector_of(path)
                if vector is not None:
                    if not numbers:
                        # Half precision is exact enough, and halves what is sent to the process.
                        vectors = np.empty((len(graph_snapshot.graph), len(vector)), np.float16)
                    vectors[len(numbers)] = vector
                    numbers.append(number)
                if at % VECTORS_AT_ONCE == 0:
                    await asyncio.sleep(0)
            found = await self._apart.run(mutual_neighbours, vectors[: len(numbers)])
            return [(numbers[one], numbers[other], alike) for one, other, alike in found]

        return await self._once(
            graph_snapshot,
            ("similar", graph_snapshot.index.answering_model, graph_snapshot.index.pending_vectors()),
            compare,
        )

    async def _once(self, graph_snapshot: GraphSnapshot, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Compute something unless this snapshot has it; concurrent callers share one computation."""
        graph, tasks = self._cached.get(graph_snapshot.among, (None, {}))
        if graph_snapshot.graph is not graph:
            tasks = {}
            self._cached[graph_snapshot.among] = graph_snapshot.graph, tasks

        async def compute() -> T:
            return await make()

        task = tasks.get(key)
        if task is None:
            task = tasks[key] = asyncio.create_task(compute(), name="analytics")
            # A failed computation is dropped, so the next caller tries again.
            task.add_done_callback(lambda done: tasks.pop(key) if done.cancelled() or done.exception() else None)
        # A cancelled caller must not cancel the computation for the others.
        answer: T = await asyncio.shield(task)
        return answer


def previous_places(before: Mapping[str, Place], labels: Sequence[str]) -> NDArray[np.float64]:
    nowhere = (np.nan, np.nan)
    return np.array([before.get(label, nowhere) for label in labels], np.float64).reshape(-1, 2)


def remember_places(
    before: Mapping[str, Place], labels: Sequence[str], coordinates: NDArray[np.float64]
) -> tuple[list[Place], dict[str, Place]]:
    places: list[Place] = [(x, y) for x, y in coordinates.tolist()]
    now = dict(zip(labels, places, strict=True))
    others = [(label, place) for label, place in before.items() if label not in now]
    return places, dict(others[: max(0, MAX_POSITIONS - len(now))]) | now


def gather_edges(
    graph_snapshot: GraphSnapshot,
    kinds: Collection[EdgeKind],
    similar: Sequence[tuple[int, int, float]],
    *,
    stubs: bool,
) -> Edges:
    """Collect all edges of some kinds; half a second for a million."""
    graph = graph_snapshot.graph
    parts = [graph.edges_of(kinds, stubs=stubs)]
    if "tag" in kinds:
        tags = {
            number: graph_snapshot.notes[path].tags
            for number, path in graph.paths.items()
            if path in graph_snapshot.notes
        }
        parts.append(Edges.from_pairs(graph.size, "tag", pairs_by_tag(tags)))
    if "folder" in kinds:
        folders = {number: path.rpartition("/")[0] for number, path in graph.paths.items()}
        parts.append(Edges.from_pairs(graph.size, "folder", pairs_by_folder(folders)))
    if similar:
        parts.append(Edges.from_pairs(graph.size, "similar", similar))
    return concat_edges(graph.size, parts)
