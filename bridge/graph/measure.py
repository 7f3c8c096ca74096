"""Structural measures of a network's nodes, and their places in a picture; runs in a process of its own."""

import random
import warnings
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import Edges
from bridge.graph.walk import spread
from bridge.records import Record

if TYPE_CHECKING:
    import igraph


class Cuts(Record):
    """Cuts of a graph, largest first, with the number of nodes that each separates from the larger rest."""

    nodes: tuple[tuple[int, int], ...]
    """Each articulation point, and the number of nodes that it separates."""
    edges: tuple[tuple[int, int, int], ...]
    """The ends of each bridge, and the number of nodes that it separates."""


def find_cuts(graph: "igraph.Graph") -> Cuts:
    blocks, points = graph.biconnected_components(return_articulation_points=True)
    tree = _Tree([list(block) for block in blocks], points)
    nodes = [(point, tree.cut_off_by(point)) for point in points]
    edges = [(min(block), max(block), tree.beyond(n)) for n, block in enumerate(tree.blocks) if len(block) == 2]
    return Cuts(
        tuple(sorted(nodes, key=lambda cut: (-cut[1], cut[0]))),
        tuple(sorted(edges, key=lambda cut: (-cut[2], cut))),
    )


class _Tree:
    """The block-cut forest of a graph: its blocks and the articulation points that join them."""

    def __init__(self, blocks: Sequence[Sequence[int]], points: Sequence[int]) -> None:
        self.blocks = blocks
        # Points are numbered after all blocks.
        self._place = dict(zip(points, count(len(blocks)), strict=False))
        joints = [[self._place[node] for node in block if node in self._place] for block in blocks]
        self._beside: list[list[int]] = [*joints, *([] for _ in points)]
        for number, inside in enumerate(joints):
            for place in inside:
                self._beside[place].append(number)
        own = [len(block) - len(inside) for block, inside in zip(blocks, joints, strict=True)]
        self._weight = own + [1] * len(points)
        self._parent = [-1] * len(self._beside)
        self._total = [0] * len(self._beside)
        for root in range(len(self._beside)):
            if not self._total[root]:
                self._weigh(root)

    def _weigh(self, root: int) -> None:
        order = [root]
        for place in order:
            below = [near for near in self._beside[place] if near != self._parent[place]]
            for near in below:
                self._parent[near] = place
            order += below
        for place in reversed(order):
            self._weight[place] += sum(
                self._weight[near] for near in self._beside[place] if self._parent[near] == place
            )
        for place in order:
            self._total[place] = self._weight[root]

    def cut_off_by(self, point: int) -> int:
        place = self._place[point]
        parts = [self._weight[near] for near in self._beside[place] if self._parent[near] == place]
        parts.append(self._total[place] - self._weight[place])
        return sum(parts) - max(parts)

    def beyond(self, number: int) -> int:
        if self._parent[number] < 0:
            inside = [self._weight[near] for near in self._beside[number]]
            side = inside[0] if inside else 1
        else:
            side = self._weight[number]
        return min(side, self._total[number] - side)


class Network(Record, eq=False):
    """Some nodes, renumbered from 0, and the pairs of them that are joined."""

    nodes: NDArray[np.int32]
    """By new number: the number in the graph."""
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def degree(self) -> NDArray[np.int64]:
        return np.bincount(np.concatenate([self.first, self.second]), minlength=len(self))

    def to_igraph(self) -> "igraph.Graph":
        """Convert it to igraph, which blocks all threads: for a million pairs, more than a second."""
        import igraph

        pairs = np.stack([self.first, self.second], axis=1).astype(np.int64)
        return igraph.Graph(n=len(self), edges=np.ascontiguousarray(pairs), directed=False)


def build_network(edges: Edges, nodes: NDArray[np.bool_]) -> Network:
    """Select some nodes and the edges between them, undirected and without self-loops."""
    members = np.flatnonzero(nodes).astype(np.int32)
    number = np.full(edges.size, -1, np.int32)
    number[members] = np.arange(len(members), dtype=np.int32)
    inside = edges.among(nodes)
    first, second, weight = inside.where(inside.source != inside.target).pairs()
    return Network(members, number[first], number[second], weight)


SEED = 17
"""Leiden and layout are random; the seed gives the same network the same result."""

ROUNDS = 5
ROUNDS_OF_MANY = 2
MANY_PAIRS = 200_000
"""Number of pairs from which fewer iterations of Leiden must suffice: each takes seconds."""

DAMPING = 0.85
TOLERANCE = 1e-9
RANK_STEPS = 200


class Measures(Record, eq=False):
    """Measures by node of a network."""

    hub: NDArray[np.float64]
    """Eigenvector centrality, 0 to 1: high for nodes joined to many nodes that are themselves joined to many."""
    community: NDArray[np.int32]
    """Community number; the largest community is 0."""
    cuts: Cuts


def measure_network(network: Network) -> Measures:
    """Measure a network, ignoring direction; takes a second for 30,000 pairs, ten for a million."""
    if not len(network):
        return Measures(np.empty(0), np.empty(0, np.int32), Cuts((), ()))
    graph = to_igraph(network)
    return Measures(hub_scores(graph, network.weight), find_communities(graph, network.weight), find_cuts(graph))


def to_igraph(network: Network) -> "igraph.Graph":
    import igraph

    igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311 - lots, not secrets
    return network.to_igraph()


def hub_scores(graph: "igraph.Graph", weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each node's eigenvector centrality; it is 0 outside the component with the greatest hub."""
    if not graph.ecount():
        return np.zeros(graph.vcount())
    with warnings.catch_warnings():
        # A vault is seldom connected.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.abs(np.array(graph.eigenvector_centrality(weights=weight.tolist()), np.float64))


def find_communities(graph: "igraph.Graph", weight: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return each node's community by Leiden's method, the largest first."""
    rounds = ROUNDS if len(weight) < MANY_PAIRS else ROUNDS_OF_MANY
    found = graph.community_leiden(objective_function="modularity", weights=weight.tolist(), n_iterations=rounds)
    member = np.array(found.membership, np.int64)
    sizes = np.bincount(member)
    # Of communities of equal size, that of the earliest node comes first.
    _, earliest = np.unique(member, return_index=True)
    order = np.lexsort((earliest, -sizes))
    place = np.empty(len(sizes), np.int32)
    place[order] = np.arange(len(sizes), dtype=np.int32)
    return place[member]


def pagerank(
    size: int, source: NDArray[np.int32], target: NDArray[np.int32], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by node how often a random reader is there, who follows links and sometimes restarts anywhere."""
    out = np.bincount(source, weight, size)
    share = weight / out[source]
    rank = np.full(size, 1 / max(size, 1))
    for _ in range(RANK_STEPS):
        stuck = rank[out == 0].sum()
        moved = np.bincount(target, rank[source] * share, size)
        after = (1 - DAMPING + DAMPING * stuck) / size + DAMPING * moved
        change = np.abs(after - rank).sum()
        rank = after
        if change < TOLERANCE:
            break
    return rank


Places = NDArray[np.float64]

LAYOUT_STEPS = 100
LAYOUT_STEPS_OF_MANY = 50
MANY_NODES = 5_000
"""Number of nodes from which fewer steps must suffice: each takes some 20 ms."""

LAYOUT_STEPS_AGAIN = 20
"""Steps when most nodes already have a place."""

MAX_STEP_SHARE = 0.01
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
        niter=LAYOUT_STEPS_AGAIN if again else LAYOUT_STEPS if count < MANY_NODES else LAYOUT_STEPS_OF_MANY,
        seed=start.tolist(),
        start_temp=float(np.ptp(start, axis=0).max()) * (MAX_STEP_SHARE if again else 0.5),
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

NO_COMMUNITY = -1

PASSED_ON_SHARE = 0.5


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
    found = np.full(size, NO_COMMUNITY, np.int32)
    found[network.nodes] = community
    return found


def select_around(edges: Edges, start: int, depth: int, passing: Marks, most: int) -> tuple[Marks, int]:
    """Choose the nodes around the centre that receive most, and count all candidates."""
    reach = spread(edges, start, "any", depth, PASSED_ON_SHARE)
    reachable = np.flatnonzero((reach.distance > 0) & passing)
    best = reachable[np.lexsort((reachable, -reach.arrived[reachable], reach.distance[reachable] > 1))][: most - 1]
    chosen = np.zeros(edges.size, np.bool_)
    chosen[best] = chosen[start] = True
    return chosen, len(reachable) + 1


def draw_nodes(edges: Edges, chosen: Marks, community: Members, total: int, most: int) -> Picture:
    """Draw some nodes; if there are too many, those of highest degree."""
    degree = edges.degrees()
    if chosen.sum() > most:
        some = np.flatnonzero(chosen)
        chosen = np.zeros_like(chosen)
        chosen[some[np.lexsort((some, -degree[some]))][:most]] = True
    network = build_network(edges, chosen)
    nodes = network.nodes
    return Picture(network, edges.among(chosen), community[nodes], degree[nodes], nodes, total)


def draw_communities(edges: Edges, chosen: Marks, community: Members, smallest: int, most: int) -> Picture:
    inside = chosen & (community != NO_COMMUNITY)
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
    degree = edges.degrees()
    order = np.lexsort((np.arange(edges.size), -degree))
    order = order[inside[order]]
    speaker = np.full(len(sizes), NO_COMMUNITY, np.int32)
    # From the lowest to the highest degree: the last assignment wins.
    speaker[community[order[::-1]]] = order[::-1]
    nodes = network.nodes
    return Picture(network, between, nodes, sizes[nodes], speaker[nodes], int(chosen.sum()))
