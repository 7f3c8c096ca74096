import numpy as np

from bridge.graph.graph import MIN_WALK_SHARE, WALK_ON_SHARE, Graph
from bridge.types import VaultPath
from scripts.lib.evaluation.graphs import Edge, build_graph

A, B, C, D = (VaultPath(f"{name}.md") for name in "abcd")


def test_neighbours_know_their_direction() -> None:
    graph = build_graph([A, B, C], [Edge(A, B), Edge(C, A)])
    assert graph.links_to(A) == {B}
    assert graph.linked_from(A) == {C}
    assert graph.neighbours(A) == {B, C}
    assert (graph.degree(A), graph.degree(C), graph.degree(D)) == (2, 1, 0)


def test_links_to_oneself_and_to_unknown_notes_are_left_out() -> None:
    graph = build_graph([A], [Edge(A, A), Edge(A, B), Edge(B, A)])
    assert graph.degree(A) == 0
    assert graph.neighbours(B) == frozenset()


def visited(graph: Graph, *starts: VaultPath) -> list[VaultPath]:
    """Return the notes that walks from others reach, the most visited first."""
    numbers = [number for start in starts if (number := graph.number(start)) is not None]
    visits = graph.visits(numbers).sum(axis=0)
    return sorted(
        (path for number, path in graph.paths.items() if visits[number]), key=lambda path: -visits[graph.nodes.of(path)]
    )


def test_visits_fall_with_distance() -> None:
    graph = build_graph([A, B, C, D], [Edge(A, B), Edge(B, C)])
    assert visited(graph, A) == [A, B, C]


def test_a_note_that_two_starts_link_to_comes_before_one_that_only_one_does() -> None:
    graph = build_graph([A, B, C, D], [Edge(A, C), Edge(B, C), Edge(B, D)])
    assert [path for path in visited(graph, A, B) if path not in {A, B}] == [C, D]


def test_walks_from_nowhere_visit_nothing() -> None:
    graph = build_graph([A, B], [Edge(A, B)])
    assert visited(graph) == []
    assert visited(graph, C) == []


def test_walks_from_several_notes_are_those_from_each() -> None:
    graph = build_graph([A, B, C, D], [Edge(A, C), Edge(B, C), Edge(B, D)])
    together = graph.visits([0, 1, 2, 3])
    assert all((together[start] == graph.visits([start])[0]).all() for start in range(4))


def test_visits_are_those_of_personalised_pagerank() -> None:
    lots = np.random.default_rng(1)
    paths = [VaultPath(f"{number}.md") for number in range(30)]
    graph = build_graph(
        paths, [Edge(paths[one], paths[other]) for one, other in lots.integers(0, 30, (60, 2)).tolist()]
    )
    steps = np.array(
        [[(end in graph.links_to(one)) + (end in graph.linked_from(one)) for end in paths] for one in paths]
    )
    steps = steps / np.maximum(steps.sum(axis=1, keepdims=True), 1)
    exact = (1 - WALK_ON_SHARE) * np.linalg.inv(np.eye(30) - WALK_ON_SHARE * steps)
    assert np.allclose(graph.visits(range(30)), exact, atol=10 * MIN_WALK_SHARE)


def test_a_hub_does_not_make_the_walk_endless() -> None:
    leaves = [VaultPath(f"{n}.md") for n in range(20_000)]
    graph = build_graph([A, *leaves], [Edge(leaf, A) for leaf in leaves])
    assert len(visited(graph, leaves[0])) == 2
