"""Where to draw the nodes of a network, so that the picture of yesterday can still be recognised."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import Edges
from bridge.graph.measure import SEED, Network, build_network, to_igraph
from bridge.graph.walk import spread

Places = NDArray[np.float64]

STEPS = 100
STEPS_OF_MANY = 50
MANY = 5_000
"""Nodes from which on fewer steps must do: each takes some 20 ms."""

STEPS_AGAIN = 20
"""Steps when most nodes have a place already."""

CALM = 0.01
"""How far, as a share of the picture, a node that has its place moves in a step at most."""


def compute_layout(network: Network, before: Places) -> Places:
    """Place the nodes by the forces of Fruchterman and Reingold on a grid; about a second for 10,000 nodes.

    Args:
        network: What is drawn.
        before: By node where it was drawn last, not-a-number for new ones.
    """
    count = len(network)
    known = ~np.isnan(before[:, 0])
    if count < 2:
        return np.where(known[:, None], before, 0.0)
    start = _initial_places(network, before, known)
    again = known.sum() * 2 > count
    layout = to_igraph(network).layout_fruchterman_reingold(
        niter=STEPS_AGAIN if again else STEPS if count < MANY else STEPS_OF_MANY,
        seed=start.tolist(),
        start_temp=float(np.ptp(start, axis=0).max()) * (CALM if again else 0.5),
        grid="grid",
    )
    places: Places = np.array(layout.coords, np.float64)
    return (_align(places, before, known) if known.any() else places).round(3)


def _align(places: Places, before: Places, known: NDArray[np.bool_]) -> Places:
    """Turn, mirror and move a picture, which igraph puts upright, so that what was drawn before lies where it was."""
    here, there = places[known].mean(axis=0), before[known].mean(axis=0)
    one, _, other = np.linalg.svd((places[known] - here).T @ (before[known] - there))
    turned: Places = (places - here) @ (one @ other) + there
    return turned


def _initial_places(network: Network, before: Places, known: NDArray[np.bool_]) -> Places:
    """Give every node a place to start from: a new one begins amid its neighbours that have one."""
    count = len(network)
    lots = np.random.default_rng(SEED).uniform(-1, 1, (count, 2))
    extent = float(np.sqrt(count))
    if not known.any():
        return lots * extent
    begin = np.concatenate([network.first, network.second])
    end = np.concatenate([network.second, network.first])
    seen = known[end]
    near = np.bincount(begin[seen], minlength=count)
    sums = np.stack([np.bincount(begin[seen], before[end[seen], axis], count) for axis in (0, 1)], axis=1)
    middle = np.nanmean(before, axis=0)
    amid = np.where(near[:, None] > 0, sums / np.maximum(near, 1)[:, None], middle + lots * extent)
    return np.where(known[:, None], before, amid + lots)


Marks = NDArray[np.bool_]
Members = NDArray[np.int32]

NONE = -1
"""The community of what has none."""

HALVED = 0.5
"""What each step from the middle passes on."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What is drawn; by place in the network."""

    network: Network
    edges: Edges
    """What joins its nodes, by their numbers."""
    community: Members
    joined: NDArray[np.int64]
    """Nodes of the whole graph that each is joined to; of a community, its members."""
    speaker: Members
    """The node that stands for each: itself, or the most joined member of a community."""
    total: int


def community_by_node(size: int, network: Network, community: NDArray[np.int32]) -> Members:
    """Return the community of every node of a graph, given those of a network."""
    found = np.full(size, NONE, np.int32)
    found[network.nodes] = community
    return found


def select_around(edges: Edges, start: int, depth: int, passing: Marks, most: int) -> tuple[Marks, int]:
    """Choose the nodes that most arrives at from the one in the middle, and count all that could be chosen."""
    reach = spread(edges, start, "any", depth, HALVED)
    met = np.flatnonzero((reach.distance > 0) & passing)
    best = met[np.lexsort((met, -reach.arrived[met], reach.distance[met] > 1))][: most - 1]
    chosen = np.zeros(edges.size, np.bool_)
    chosen[best] = chosen[start] = True
    return chosen, len(met) + 1


def draw_nodes(edges: Edges, chosen: Marks, community: Members, total: int, most: int) -> Picture:
    """Draw some nodes; of too many, those that are joined to most."""
    degree = degrees(edges)
    if chosen.sum() > most:
        some = np.flatnonzero(chosen)
        chosen = np.zeros_like(chosen)
        chosen[some[np.lexsort((some, -degree[some]))][:most]] = True
    network = build_network(edges, chosen)
    nodes = network.nodes
    return Picture(network, edges.among(chosen), community[nodes], degree[nodes], nodes, total)


def draw_communities(edges: Edges, chosen: Marks, community: Members, smallest: int, most: int) -> Picture:
    """Draw the communities of some nodes in their place, the largest."""
    inside = chosen & (community != NONE)
    sizes = np.bincount(community[inside], minlength=1)
    large = np.flatnonzero(sizes >= smallest)
    large = large[np.lexsort((large, -sizes[large]))][:most]
    shown = np.zeros(len(sizes), np.bool_)
    shown[large] = True
    kept = edges.among(inside)
    ends = community[kept.source], community[kept.target]
    between = Edges(len(sizes), *ends, kept.kind, kept.weight, kept.owner)
    between = between.where(ends[0] != ends[1]).among(shown)
    network = build_network(between, shown)
    degree = degrees(edges)
    order = np.lexsort((np.arange(edges.size), -degree))
    order = order[inside[order]]
    speaker = np.full(len(sizes), NONE, np.int32)
    # From the least joined to the most: the last that is assigned stays.
    speaker[community[order[::-1]]] = order[::-1]
    nodes = network.nodes
    return Picture(network, between, nodes, sizes[nodes], speaker[nodes], int(chosen.sum()))


def degrees(edges: Edges) -> NDArray[np.int64]:
    """Count by node how many others it is joined to."""
    first, second, _ = edges.pairs()
    return np.bincount(np.concatenate([first, second]), minlength=edges.size)
