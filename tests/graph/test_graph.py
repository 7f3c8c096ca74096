from bridge.graph.graph import Edge, Graph
from bridge.types import VaultPath

A, B, C, D = (VaultPath(f"{name}.md") for name in "abcd")


def test_neighbours_know_their_direction() -> None:
    graph = Graph.build([A, B, C], [Edge(A, B), Edge(C, A)])
    assert graph.links_to(A) == {B}
    assert graph.linked_from(A) == {C}
    assert graph.neighbours(A) == {B, C}
    assert (graph.degree(A), graph.degree(C), graph.degree(D)) == (2, 1, 0)


def test_links_to_oneself_and_to_unknown_notes_are_left_out() -> None:
    graph = Graph.build([A], [Edge(A, A), Edge(A, B), Edge(B, A)])
    assert graph.edges == 0
    assert graph.neighbours(B) == frozenset()


def test_nearness_falls_with_distance_and_names_the_seed() -> None:
    graph = Graph.build([A, B, C, D], [Edge(A, B), Edge(B, C)])
    near = graph.nearness({A: 1.0}, limit=10)
    assert [n.path for n in near] == [A, B, C]
    assert {n.via for n in near} == {A}


def test_a_note_that_two_seeds_link_to_comes_before_one_that_only_one_does() -> None:
    graph = Graph.build([A, B, C, D], [Edge(A, C), Edge(B, C), Edge(B, D)])
    order = [n.path for n in graph.nearness({A: 1.0, B: 1.0}, limit=10) if n.path not in {A, B}]
    assert order == [C, D]


def test_nearness_of_nothing_is_nothing() -> None:
    graph = Graph.build([A, B], [Edge(A, B)])
    assert graph.nearness({}, limit=5) == []
    assert graph.nearness({C: 1.0}, limit=5) == []


def test_a_hub_does_not_make_the_walk_endless() -> None:
    leaves = [VaultPath(f"{n}.md") for n in range(20_000)]
    graph = Graph.build([A, *leaves], [Edge(leaf, A) for leaf in leaves])
    assert len(graph.nearness({leaves[0]: 1.0}, limit=50)) == 2
