"""What lies around a note in the graph, and how one note leads to another."""

import asyncio
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval

from bridge.graph import EdgeKind
from bridge.operations.call import Call
from bridge.operations.charts import DRAWN, Direction, Kinds, kinds_between, numbered, title
from bridge.operations.registry import operation
from bridge.operations.steps import GraphStep, told
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine import Chart
    from bridge.graph import Edges


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A note near another in the graph.

    Attributes:
        path: The note.
        title: Its title.
        distance: Steps from the note that was asked about.
        score: 0 to 1: what arrives of 1 that starts there; a way through a note with many links passes on little.
        via: The note before it on the way that brings most; null for direct neighbours.
        kinds: How it is joined to the note before it.
    """

    path: VaultPath
    title: str
    distance: int
    score: float
    via: VaultPath | None
    kinds: tuple[EdgeKind, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The notes around a note.

    Attributes:
        nodes: The notes, by distance, then by score.
        total: How many there are without `limit`.
    """

    nodes: tuple[Neighbour, ...]
    total: int


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "depth": 2, "limit": 5},
    tasks=(
        "what is two links away from a note",
        "notes around a note",
        "notes a few links away",
        "neighbourhood of a note",
    ),
)
async def graph_neighbours(
    call: Call,
    path: VaultPath,
    depth: Annotated[int, Interval(ge=1, le=6)] = 1,
    direction: Direction = "any",
    kinds: Kinds = DRAWN,
    decay: Annotated[float, Interval(ge=0.01, le=1)] = 0.5,
    limit: Annotated[int, Interval(ge=1, le=500)] = 50,
) -> Neighbours:
    """Find the notes around a note, step by step along links, arrows, shared rare tags or nearness in meaning.

    Args:
        path: The note to start from.
        depth: Most steps to take.
        direction: Whether to follow links as they point (`out`), against that (`in`), or both ways.
        kinds: What to walk along; `tag` joins notes with a tag that at most ten carry, `folder` those of a small
            folder, `similar` those that are each among the nearest in meaning of the other.
        decay: Share of the score that each step passes on.
        limit: Most notes to return.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
    """
    chart = await call.engine.waiting.chart()
    start = numbered(call, chart, path)
    edges = await call.engine.atlas.edges(chart, kinds)
    return await asyncio.to_thread(around, chart, edges, start, direction, depth, decay, limit)


def around(
    chart: "Chart", edges: "Edges", start: int, direction: Direction, depth: int, decay: float, limit: int
) -> Neighbours:
    """Walk away from a note, and describe the notes that are met."""
    import numpy as np

    from bridge.graph import spread

    reach = spread(edges, start, direction, depth, decay)
    met = np.flatnonzero(reach.distance > 0)
    best = met[np.lexsort((met, -reach.arrived[met], reach.distance[met]))][:limit].tolist()
    paths = chart.graph.paths
    best.sort(key=lambda node: (int(reach.distance[node]), -round(float(reach.arrived[node]), 4), paths[node]))
    steps = [(int(reach.via[node]), node) for node in best]
    joined = kinds_between(edges, steps)
    return Neighbours(
        nodes=tuple(
            Neighbour(
                path=paths[node],
                title=title(chart, paths[node]),
                distance=int(reach.distance[node]),
                score=round(float(reach.arrived[node]), 4),
                via=None if via == start else paths[via],
                kinds=tuple(joined[via, node]),
            )
            for via, node in steps
        ),
        total=len(met),
    )


@dataclass(frozen=True, slots=True)
class GraphPath:
    """One way from a note to another.

    Attributes:
        notes: The notes on the way, both ends included.
        steps: What leads from each to the next.
    """

    notes: tuple[VaultPath, ...]
    steps: tuple[GraphStep, ...]


@dataclass(frozen=True, slots=True)
class GraphPaths:
    """Ways from a note to another.

    Attributes:
        paths: The ways, those with the fewest steps first; none when nothing joins the two.
    """

    paths: tuple[GraphPath, ...]


@operation(
    example={"source": "Bread/Science/Staling.md", "target": "Garden/Plants/Garlic.md", "alternatives": 2},
    tasks=("how two notes are connected", "path between two notes", "chain of links from one note to another"),
)
async def graph_path(
    call: Call,
    source: VaultPath,
    target: VaultPath,
    kinds: Kinds = DRAWN,
    direction: Literal["any", "out"] = "any",
    alternatives: Annotated[int, Interval(ge=1, le=10)] = 3,
) -> GraphPaths:
    """Find how one note leads to another: the shortest ways, each step with the sentence that links.

    Args:
        source: The note to start from.
        target: The note to reach.
        kinds: What to walk along, as in `graph_neighbours`.
        direction: Whether links may be walked both ways, or only as they point.
        alternatives: Most ways to return; the longest has at most three steps more than the shortest.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
    """
    chart = await call.engine.waiting.chart()
    ends = numbered(call, chart, source), numbered(call, chart, target)
    edges = await call.engine.atlas.edges(chart, kinds)

    def find() -> GraphPaths:
        found = found_ways(edges, *ends, direction, alternatives)
        steps = told(call.engine, chart, edges, found)
        paths = chart.graph.paths
        return GraphPaths(
            tuple(
                GraphPath(tuple(paths[node] for node in way), tuple(steps[pair] for pair in itertools.pairwise(way)))
                for way in found
            )
        )

    return await asyncio.to_thread(find)


def found_ways(
    edges: "Edges", start: int, goal: int, direction: Literal["any", "out"], most: int
) -> list[tuple[int, ...]]:
    """Find the shortest ways; of equally long ones first those through notes with few links, which say more."""
    from bridge.graph import Adjacency, arcs, distances, ways

    begin, end = (edges.source, edges.target) if direction == "any" else arcs(edges, direction)[:2]
    beside = Adjacency.of(edges.size, begin, end)
    onward = distances(edges, goal, "in" if direction == "out" else "any")

    def next_to(node: int) -> list[int]:
        near = beside.around(node) if direction == "any" else beside.along(node, outward=True)
        return sorted(near, key=lambda other: int(beside.start[other + 1] - beside.start[other]))

    return ways(next_to, onward, start, goal, most)
