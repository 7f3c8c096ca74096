"""What of a graph is drawn: all of it, what is around a node, or its communities in place of their members."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge.graph.edges import Edges
from bridge.graph.network import Network, network_of
from bridge.graph.walk import spread

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


def members(size: int, network: Network, community: NDArray[np.int32]) -> Members:
    """Return the community of every node of a graph, given those of a network."""
    found = np.full(size, NONE, np.int32)
    found[network.nodes] = community
    return found


def around(edges: Edges, start: int, depth: int, passing: Marks, most: int) -> tuple[Marks, int]:
    """Choose the nodes that most arrives at from the one in the middle, and count all that could be chosen."""
    reach = spread(edges, start, "any", depth, HALVED)
    met = np.flatnonzero((reach.distance > 0) & passing)
    best = met[np.lexsort((met, -reach.arrived[met], reach.distance[met] > 1))][: most - 1]
    chosen = np.zeros(edges.size, np.bool_)
    chosen[best] = chosen[start] = True
    return chosen, len(met) + 1


def drawn(edges: Edges, chosen: Marks, community: Members, total: int, most: int) -> Picture:
    """Draw some nodes; of too many, those that are joined to most."""
    degree = degrees(edges)
    if chosen.sum() > most:
        some = np.flatnonzero(chosen)
        chosen = np.zeros_like(chosen)
        chosen[some[np.lexsort((some, -degree[some]))][:most]] = True
    network = network_of(edges, chosen)
    nodes = network.nodes
    return Picture(network, edges.among(chosen), community[nodes], degree[nodes], nodes, total)


def folded(edges: Edges, chosen: Marks, community: Members, smallest: int, most: int) -> Picture:
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
    network = network_of(between, shown)
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
