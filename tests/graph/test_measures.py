"""What is measured agrees with networkx on graphs drawn by lot."""

import networkx as nx
import numpy as np
import pytest

from bridge.graph.columns import Edges
from bridge.graph.measure import Measures, Network, build_network, compute_layout, find_cuts, measure_network, pagerank
from bridge.graph.pairs import find_gaps
from bridge.graph.walk import NO_DISTANCE, arcs, distances, simple_paths, spread

SEEDS = pytest.mark.parametrize("seed", range(8))


def drawn(seed: int, nodes: int = 40, many: int = 60) -> tuple[Edges, "nx.DiGraph[int]"]:
    """Draw edges with weights; a few lead back to their node or say the same twice."""
    lots = np.random.default_rng(seed)
    ends = lots.integers(0, nodes, (many, 2)).astype(np.int32)
    weight = lots.integers(1, 4, many).astype(np.float64)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for (one, other), by in zip(ends.tolist(), weight.tolist(), strict=True):
        before = graph.edges[one, other]["weight"] if graph.has_edge(one, other) else 0.0
        graph.add_edge(one, other, weight=before + by)
    zeros = np.zeros(many, np.int32)
    return Edges(nodes, ends[:, 0], ends[:, 1], zeros, weight, ends[:, 0]), graph


def simple(seed: int, nodes: int = 40, many: int = 60) -> tuple[Network, "nx.Graph[int]"]:
    """Draw a network without direction and without edges to oneself."""
    edges, directed = drawn(seed, nodes, many)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(directed)
    for one, other, by in directed.edges(data="weight"):
        if one != other:
            before = graph.edges[one, other]["weight"] if graph.has_edge(one, other) else 0.0
            graph.add_edge(one, other, weight=before + by)
    return build_network(edges, np.ones(nodes, np.bool_)), graph


@SEEDS
def test_pagerank(seed: int) -> None:
    edges, graph = drawn(seed)
    rank = pagerank(edges.size, edges.source, edges.target, edges.weight)
    steps = np.linalg.matrix_power(nx.google_matrix(graph, weight="weight", nodelist=range(40)), 500)
    assert rank == pytest.approx(np.asarray(steps)[0], abs=1e-7)


@SEEDS
def test_hubs(seed: int) -> None:
    network, graph = simple(seed, many=160)
    assert nx.is_connected(graph)
    expected = nx.eigenvector_centrality(graph, weight="weight", tol=1e-10, max_iter=100_000)
    largest = max(abs(value) for value in expected.values())
    assert measure_network(network).hub == pytest.approx(
        [abs(expected[node]) / largest for node in range(40)], abs=1e-6
    )


@SEEDS
def test_articulation_points_and_bridges(seed: int) -> None:
    network, graph = simple(seed, many=45)
    cuts = measure_network(network).cuts
    assert {node for node, _ in cuts.nodes} == set(nx.articulation_points(graph))
    assert {(one, other) for one, other, _ in cuts.edges} == {tuple(sorted(edge)) for edge in nx.bridges(graph)}
    for node, held in cuts.nodes:
        parts = sorted(map(len, nx.connected_components(graph.subgraph(set(graph) - {node}))))
        inside = [len(part) for part in nx.connected_components(graph) if node in part]
        rest = [len(part) for part in nx.connected_components(graph) if node not in part]
        for part in rest:
            parts.remove(part)
        assert (sum(parts), held) == (inside[0] - 1, sum(parts) - max(parts))
    for one, other, held in cuts.edges:
        without = graph.copy()
        without.remove_edge(one, other)
        sides = [len(nx.node_connected_component(without, node)) for node in (one, other)]
        assert held == min(sides)


def test_cuts_of_nothing() -> None:
    import igraph

    assert find_cuts(igraph.Graph(3)) == find_cuts(igraph.Graph(0))


@SEEDS
def test_communities_are_as_good_as_those_of_networkx(seed: int) -> None:
    network, graph = simple(seed, many=90)
    found = measure_network(network)
    groups = [set(np.flatnonzero(found.community == number).tolist()) for number in range(found.community.max() + 1)]
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)
    louvain = nx.community.louvain_communities(graph, weight="weight", seed=1)
    modularity = [nx.community.modularity(graph, each, weight="weight") for each in (groups, louvain)]
    assert modularity[0] >= modularity[1] - 0.02


def test_the_same_network_is_always_divided_alike() -> None:
    network, _ = simple(3, nodes=200, many=400)
    again = measure_network(network)
    assert measure_network(network).community.tolist() == again.community.tolist()


@SEEDS
@pytest.mark.parametrize("direction", ["any", "out", "in"])
def test_distances(seed: int, direction: str) -> None:
    edges, graph = drawn(seed)
    walked = {"any": graph.to_undirected(), "out": graph, "in": graph.reverse()}[direction]
    expected = nx.single_source_shortest_path_length(walked, 0)
    assert distances(edges, 0, direction).tolist() == [expected.get(node, NO_DISTANCE) for node in range(40)]  # type: ignore[arg-type]
    near = distances(edges, 0, direction, most=2)  # type: ignore[arg-type]
    assert set(np.flatnonzero(near != NO_DISTANCE).tolist()) == {node for node, steps in expected.items() if steps <= 2}


@SEEDS
def test_ways_are_the_shortest_first(seed: int) -> None:
    edges, graph = drawn(seed)
    begin, end, _ = arcs(edges, "out")
    beside = {node: end[begin == node].tolist() for node in range(40)}
    for goal in (7, 19):
        found = simple_paths(lambda node: beside[node], distances(edges, goal, "in"), 0, goal, 6)
        if not nx.has_path(graph, 0, goal):
            assert found == []
            continue
        every = nx.shortest_simple_paths(graph, 0, goal)
        lengths = [len(way) for way, _ in zip(every, range(6), strict=False)]
        lengths = [length for length in lengths if length <= lengths[0] + 3]
        assert [len(way) for way in found] == lengths
        assert len(set(found)) == len(found)
        for way in found:
            assert nx.is_simple_path(graph, list(way))


def test_a_way_through_a_hub_says_little() -> None:
    # 0 – 1 – 3 directly, 0 – 2 – 4 through a hub.
    ends = np.array([(0, 1), (0, 2), (1, 3), (2, 4), *((2, leaf) for leaf in range(5, 25))], np.int32)
    edges = Edges(25, ends[:, 0], ends[:, 1], ends[:, 0] * 0, np.ones(len(ends)), ends[:, 0])
    reach = spread(edges, 0, "any", 2, 0.5)
    arrived = reach.arrived
    assert reach.via[[0, 1, 3, 4]].tolist() == [0, 0, 1, 2]
    assert arrived[[0, 1, 2]].tolist() == [1.0, 0.25, 0.25]
    assert (arrived[3], arrived[4]) == (pytest.approx(0.0625), pytest.approx(0.25 * 0.5 / 22))
    assert spread(edges, 0, "any", 1, 0.5).arrived[3] == 0


@SEEDS
def test_gaps_are_pairs_named_together_and_not_linked(seed: int) -> None:
    edges, graph = drawn(seed, nodes=25, many=90)
    graph.remove_edges_from(nx.selfloop_edges(graph))
    expected = {}
    for one in range(25):
        for other in range(one + 1, 25):
            both = set(graph.predecessors(one)) & set(graph.predecessors(other))
            if len(both) >= 2 and not graph.has_edge(one, other) and not graph.has_edge(other, one):
                telling = sum(1 / np.log2(1 + graph.out_degree(node)) for node in both)
                named = graph.in_degree(one) * graph.in_degree(other)
                expected[one, other] = (len(both), telling * len(both) / named**0.5)
    found = find_gaps(edges, 1000)
    assert {(one, other): times for one, other, times, _ in found} == {pair: held[0] for pair, held in expected.items()}
    assert [score for *_, score in found] == pytest.approx([expected[one, other][1] for one, other, *_ in found])
    assert [score for *_, score in found] == pytest.approx(
        sorted((held[1] for held in expected.values()), reverse=True)
    )


def test_a_picture_stays_put_when_a_note_is_added() -> None:
    network, _ = simple(5, nodes=60, many=90)
    nowhere = np.full((60, 2), np.nan)
    first = compute_layout(network, nowhere)
    assert compute_layout(network, nowhere).tolist() == first.tolist()
    grown = Network(
        np.arange(61, dtype=np.int32),
        np.append(network.first, 0).astype(np.int32),
        np.append(network.second, 60).astype(np.int32),
        np.append(network.weight, 1.0),
    )
    second = compute_layout(grown, np.vstack([first, [[np.nan, np.nan]]]))
    extent = np.ptp(first, axis=0).max()
    assert np.linalg.norm(second[:60] - first, axis=1).mean() < extent / 10
    assert np.linalg.norm(second[60] - second[0]) < extent / 3


def test_nothing_can_be_measured_too() -> None:
    empty = build_network(Edges.from_pairs(3, "wiki", ()), np.zeros(3, np.bool_))
    assert isinstance(measure_network(empty), Measures)
    assert compute_layout(empty, np.empty((0, 2))).shape == (0, 2)
    alone = build_network(Edges.from_pairs(3, "wiki", ()), np.ones(3, np.bool_))
    assert measure_network(alone).hub.tolist() == [0, 0, 0]
    assert sorted(measure_network(alone).community.tolist()) == [0, 1, 2]
    assert compute_layout(alone, np.full((3, 2), np.nan)).shape == (3, 2)
    assert find_gaps(Edges.from_pairs(3, "wiki", ()), 5) == []
