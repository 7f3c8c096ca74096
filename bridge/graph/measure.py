"""What the shape of a network tells of its nodes; made to run in a process of its own."""

import random
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge.graph.cuts import Cuts, cuts_of
from bridge.graph.network import Network

if TYPE_CHECKING:
    import igraph

SEED = 17
"""Leiden and layout draw lots; the same network gives the same answer."""

ROUNDS = 5
ROUNDS_OF_MANY = 2
MANY = 200_000
"""Pairs from which on fewer rounds of Leiden's method must do: each takes seconds."""

DAMPING = 0.85
TOLERANCE = 1e-9
STEPS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """By node of a network."""

    hub: NDArray[np.float64]
    """Eigenvector centrality, 0 to 1: joined to many that are joined to many."""
    community: NDArray[np.int32]
    """The largest community is 0."""
    modularity: float
    cuts: Cuts


def measured(network: Network) -> Measures:
    """Measure a network without direction; a second for 30,000 pairs, ten for a million."""
    if not len(network):
        return Measures(np.empty(0), np.empty(0, np.int32), 0.0, Cuts((), ()))
    graph = opened(network)
    community, modularity = communities(graph, network.weight)
    return Measures(hubs(graph, network.weight), community, modularity, cuts_of(graph))


def opened(network: Network) -> "igraph.Graph":
    """Hand a network to igraph, and its lots to a generator that starts anew."""
    import igraph

    igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311 - lots, not secrets
    return network.opened()


def hubs(graph: "igraph.Graph", weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each node's eigenvector centrality; it is 0 outside the part of the network with the greatest hub."""
    if not graph.ecount():
        return np.zeros(graph.vcount())
    with warnings.catch_warnings():
        # A vault is seldom all of one piece.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.abs(np.array(graph.eigenvector_centrality(weights=weight.tolist()), np.float64))


def communities(graph: "igraph.Graph", weight: NDArray[np.float64]) -> tuple[NDArray[np.int32], float]:
    """Return each node's community by Leiden's method, the largest first, and how good the division is."""
    rounds = ROUNDS if len(weight) < MANY else ROUNDS_OF_MANY
    found = graph.community_leiden(objective_function="modularity", weights=weight.tolist(), n_iterations=rounds)
    member = np.array(found.membership, np.int64)
    sizes = np.bincount(member)
    # Of communities of one size, that of the earlier node comes first.
    _, earliest = np.unique(member, return_index=True)
    order = np.lexsort((earliest, -sizes))
    place = np.empty(len(sizes), np.int32)
    place[order] = np.arange(len(sizes), dtype=np.int32)
    return place[member], float(found.modularity or 0.0)


def pagerank(
    size: int, source: NDArray[np.int32], target: NDArray[np.int32], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by node how often a reader is there who follows links and at times starts anew anywhere.

    Args:
        size: How many nodes there are.
        source: Where each link begins.
        target: Where it leads.
        weight: How likely it is followed, beside the others of its source.
    """
    out = np.bincount(source, weight, size)
    share = weight / out[source]
    rank = np.full(size, 1 / max(size, 1))
    for _ in range(STEPS):
        stuck = rank[out == 0].sum()
        moved = np.bincount(target, rank[source] * share, size)
        after = (1 - DAMPING + DAMPING * stuck) / size + DAMPING * moved
        change = np.abs(after - rank).sum()
        rank = after
        if change < TOLERANCE:
            break
    return rank
