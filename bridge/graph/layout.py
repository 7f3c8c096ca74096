"""Places the nodes of a network such that an earlier picture stays recognisable."""

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import Edges
from bridge.graph.measure import SEED, Network, build_network, to_igraph
from bridge.graph.walk import spread
from bridge.records import Record

Places = NDArray[np.float64]

STEPS = 100
STEPS_OF_MANY = 50
MANY = 5_000
"""Number of nodes from which fewer steps must suffice: each takes some 20 ms."""

STEPS_AGAIN = 20
"""Steps when most nodes already have a place."""

CALM = 0.01
"""Maximum distance that a placed node moves per step, as a share of the picture."""


def compute_layout(network: Network, before: Places) -> Places:
    """Place the nodes by the forces of Fruchterman and Reingold on a grid; takes about a second for 10,000 nodes."""
    count = len(network)
    placed = ~np.isnan(before[:, 0])
    if count < 2:
        return np.where(placed[:, None], before, 0.0)
    start = _initial_places(network, before, placed)
    again = placed.sum() * 2 > count
    layout = to_igraph(network).layout_fruchterman_reingold(
        niter=STEPS_AGAIN if again else STEPS if count < MANY else STEPS_OF_MANY,
        seed=start.tolist(),
        start_temp=float(np.ptp(start, axis=0).max()) * (CALM if again else 0.5),
        grid="grid",
    )
    places: Places = np.array(layout.coords, np.float64)
    return (_align(places, before, placed) if placed.any() else places).round(3)


def _align(places: Places, before: Places, placed: NDArray[np.bool_]) -> Places:
    """Rotate, mirror and move the picture, which igraph orients freely, to match the earlier places."""
    here, there = places[placed].mean(axis=0), before[placed].mean(axis=0)
    one, _, other = np.linalg.svd((places[placed] - here).T @ (before[placed] - there))
    turned: Places = (places - here) @ (one @ other) + there
    return turned


def _initial_places(network: Network, before: Places, placed: NDArray[np.bool_]) -> Places:
    count = len(network)
    lots = np.random.default_rng(SEED).uniform(-1, 1, (count, 2))
    extent = float(np.sqrt(count))
    if not placed.any():
        return lots * extent
    begin = np.concatenate([network.first, network.second])
    end = np.concatenate([network.second, network.first])
    seen = placed[end]
    near = np.bincount(begin[seen], minlength=count)
    sums = np.stack([np.bincount(begin[seen], before[end[seen], axis], count) for axis in (0, 1)], axis=1)
    middle = np.nanmean(before, axis=0)
    amid = np.where(near[:, None] > 0, sums / np.maximum(near, 1)[:, None], middle + lots * extent)
    return np.where(placed[:, None], before, amid + lots)


Marks = NDArray[np.bool_]
Members = NDArray[np.int32]

NONE = -1
"""The community of a node without one."""

HALVED = 0.5
"""Share that each step from the centre passes on."""


class Picture(Record, eq=False):
    """What is drawn, by place in the network."""

    network: Network
    edges: Edges
    """The edges between its nodes, by their numbers."""
    community: Members
    joined: NDArray[np.int64]
    """Degree of each node in the whole graph; for a community, its size."""
    speaker: Members
    """The node that represents each: itself, or the community member of highest degree."""
    total: int


def community_by_node(size: int, network: Network, community: NDArray[np.int32]) -> Members:
    """Return the community of every node of a graph, given those of a network."""
    found = np.full(size, NONE, np.int32)
    found[network.nodes] = community
    return found


def select_around(edges: Edges, start: int, depth: int, passing: Marks, most: int) -> tuple[Marks, int]:
    """Choose the nodes around the centre that receive most, and count all candidates."""
    reach = spread(edges, start, "any", depth, HALVED)
    reachable = np.flatnonzero((reach.distance > 0) & passing)
    best = reachable[np.lexsort((reachable, -reach.arrived[reachable], reach.distance[reachable] > 1))][: most - 1]
    chosen = np.zeros(edges.size, np.bool_)
    chosen[best] = chosen[start] = True
    return chosen, len(reachable) + 1


def draw_nodes(edges: Edges, chosen: Marks, community: Members, total: int, most: int) -> Picture:
    """Draw some nodes; if there are too many, those of highest degree."""
    degree = degrees(edges)
    if chosen.sum() > most:
        some = np.flatnonzero(chosen)
        chosen = np.zeros_like(chosen)
        chosen[some[np.lexsort((some, -degree[some]))][:most]] = True
    network = build_network(edges, chosen)
    nodes = network.nodes
    return Picture(network, edges.among(chosen), community[nodes], degree[nodes], nodes, total)


def draw_communities(edges: Edges, chosen: Marks, community: Members, smallest: int, most: int) -> Picture:
    """Draw the largest communities of some nodes in place of the nodes."""
    inside = chosen & (community != NONE)
    sizes = np.bincount(community[inside], minlength=1)
    large = np.flatnonzero(sizes >= smallest)
    large = large[np.lexsort((large, -sizes[large]))][:most]
    shown = np.zeros(len(sizes), np.bool_)
    shown[large] = True
    inner = edges.among(inside)
    ends = community[inner.source], community[inner.target]
    between = Edges(len(sizes), *ends, inner.kind, inner.weight, inner.owner)
    between = between.where(ends[0] != ends[1]).among(shown)
    network = build_network(between, shown)
    degree = degrees(edges)
    order = np.lexsort((np.arange(edges.size), -degree))
    order = order[inside[order]]
    speaker = np.full(len(sizes), NONE, np.int32)
    # From the lowest to the highest degree: the last assignment wins.
    speaker[community[order[::-1]]] = order[::-1]
    nodes = network.nodes
    return Picture(network, between, nodes, sizes[nodes], speaker[nodes], int(chosen.sum()))


def degrees(edges: Edges) -> NDArray[np.int64]:
    """Count by node how many others it is joined to."""
    first, second, _ = edges.pairs()
    return np.bincount(np.concatenate([first, second]), minlength=edges.size)
