"""Walks along edges: distances, spreading weight, and the paths between two nodes."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import KINDS, SHARED_KINDS, Edges, kind_codes
from bridge.records import Record
from bridge.types import Direction

NO_DISTANCE = -1
"""The distance of unreachable nodes."""

MAX_DETOUR_STEPS = 3
"""Steps that an alternative path may have more than the shortest."""

MAX_TRIED_STEPS = 50_000
"""Maximum number of steps tried while searching for alternatives."""


def arcs(edges: Edges, direction: Direction) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return the start, end and weight of each arc; edges of what is shared lead both ways."""
    begin, end = (edges.target, edges.source) if direction == "in" else (edges.source, edges.target)
    both = np.isin(edges.kind, kind_codes(KINDS if direction == "any" else SHARED_KINDS))
    return (
        np.concatenate([begin, end[both]]),
        np.concatenate([end, begin[both]]),
        np.concatenate([edges.weight, edges.weight[both]]),
    )


def distances(edges: Edges, start: int, direction: Direction, most: int | None = None) -> NDArray[np.int32]:
    """Return by node its distance from the start in steps, `NO_DISTANCE` if it is beyond the maximum."""
    begin, end, _ = arcs(edges, direction)
    distance = np.full(edges.size, NO_DISTANCE, np.int32)
    distance[start] = 0
    for step in range(edges.size if most is None else most):
        reached = end[distance[begin] == step]
        fresh = reached[distance[reached] == NO_DISTANCE]
        if not len(fresh):
            break
        distance[fresh] = step + 1
    return distance


class Reach(Record, eq=False):
    """By node, the results of a walk from a start."""

    distance: NDArray[np.int32]
    arrived: NDArray[np.float64]
    via: NDArray[np.int32]
    """The predecessor that contributed most; the node itself where nothing came from another."""


def spread(edges: Edges, start: int, direction: Direction, depth: int, decay: float) -> Reach:
    """Spread a weight of 1 from a node, and return how much arrives where.

    Each step passes on `decay` of what arrived, divided among all edges of the node by their weight, so that a path
    through a hub says little.
    """
    begin, end, weight = arcs(edges, direction)
    distance = distances(edges, start, direction, depth)
    strength = np.bincount(begin, weight, edges.size)
    arrived = np.zeros(edges.size)
    arrived[start] = 1.0
    via = np.arange(edges.size, dtype=np.int32)
    for step in range(depth):
        onward = (distance[begin] == step) & (distance[end] == step + 1)
        at, to, by = begin[onward], end[onward], weight[onward]
        passed = decay * arrived[at] * by / strength[at]
        arrived += np.bincount(to, passed, edges.size)
        order = np.argsort(passed, kind="stable")
        # Of several assignments the last wins, which is the largest.
        via[to[order]] = at[order]
    return Reach(distance, arrived, via)


def simple_paths(
    beside: Callable[[int], list[int]], onward: NDArray[np.int32], start: int, goal: int, most: int
) -> list[tuple[int, ...]]:
    """Return paths without repeated nodes, shortest first."""
    if onward[start] == NO_DISTANCE:
        return []
    found: list[tuple[int, ...]] = []
    looks = iter(range(MAX_TRIED_STEPS))
    for length in range(int(onward[start]), int(onward[start]) + MAX_DETOUR_STEPS + 1):
        for way in _paths_of_length(beside, onward, [start], goal, length, looks):
            found.append(way)
            if len(found) == most:
                return found
    return found


def _paths_of_length(
    beside: Callable[[int], list[int]],
    onward: NDArray[np.int32],
    behind: list[int],
    goal: int,
    left: int,
    looks: Iterator[int],
) -> Iterator[tuple[int, ...]]:
    here = behind[-1]
    if left == 0:
        if here == goal:
            yield tuple(behind)
        return
    if here == goal:
        return
    for node in dict.fromkeys(beside(here)):
        if next(looks, None) is None:
            return
        if 0 <= onward[node] < left and node not in behind:
            yield from _paths_of_length(beside, onward, [*behind, node], goal, left - 1, looks)
