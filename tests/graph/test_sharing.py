import numpy as np
import pytest

from bridge.graph.pairs import (
    BLOCK_NOTES,
    MAX_FOLDER_NOTES,
    MAX_TAG_NOTES,
    MAX_TAGS,
    mutual_neighbours,
    pairs_by_folder,
    pairs_by_tag,
    shared_tags,
)


def test_the_rarer_a_shared_tag_the_more_it_weighs() -> None:
    tags = {1: ["Rye", "bread"], 2: ["rye", "bread"], 3: ["bread"], 4: []}
    assert pairs_by_tag(tags) == [
        (1, 2, 1.0),
        (1, 3, pytest.approx(0.79, abs=0.01)),
        (2, 3, pytest.approx(0.79, abs=0.01)),
    ]


def test_a_tag_of_many_joins_nobody() -> None:
    assert pairs_by_tag({note: ["common"] for note in range(MAX_TAG_NOTES + 1)}) == []
    assert (
        len(pairs_by_tag({note: ["rare"] for note in range(MAX_TAG_NOTES)})) == MAX_TAG_NOTES * (MAX_TAG_NOTES - 1) // 2
    )


def test_a_note_with_endless_tags_is_joined_by_its_rarest() -> None:
    pairs = pairs_by_tag({0: [f"t{n}" for n in range(500)], **{n + 1: [f"t{n}"] for n in range(500)}})
    assert len(pairs) == MAX_TAGS


def test_small_folders_join_their_notes() -> None:
    assert pairs_by_folder({1: "a", 2: "a", 3: "b"}) == [(1, 2, 1.0)]
    assert pairs_by_folder(dict.fromkeys(range(MAX_FOLDER_NOTES + 1), "a")) == []


def test_shared_tags_are_told_as_written() -> None:
    assert shared_tags(["Rye", "oat"], ["rye", "wheat"]) == ["Rye"]


def test_only_those_that_choose_each_other_are_similar() -> None:
    # Six notes close to one hub are nearer to each other than the hub's seventh admirer is to any of them.
    lots = np.random.default_rng(2)
    vectors = lots.normal(size=(BLOCK_NOTES + 90, 32)).astype(np.float32)
    vectors[BLOCK_NOTES + 80] = vectors[3] + 0.1 * vectors[4]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = mutual_neighbours(vectors)
    assert (3, BLOCK_NOTES + 80) in {pair[:2] for pair in found}
    products = vectors @ vectors.T
    np.fill_diagonal(products, -1)
    nearest = [set(np.argsort(-row)[:5].tolist()) for row in products]
    expected = {
        (one, other)
        for one in range(len(vectors))
        for other in nearest[one]
        if one < other and one in nearest[other] and products[one, other] >= 0.5
    }
    assert {pair[:2] for pair in found} == expected
    assert [alike for *_, alike in found] == pytest.approx([float(products[one, other]) for one, other, _ in found])


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_is_similar_to_nobody(count: int) -> None:
    assert mutual_neighbours(np.ones((count, 4), np.float32)) == []


def test_two_are_nearest_to_each_other() -> None:
    ((one, other, alike),) = mutual_neighbours(np.array([[1, 0], [0.8, 0.6]], np.float32))
    assert (one, other, round(alike, 6)) == (0, 1, 0.8)
    assert mutual_neighbours(np.array([[1, 0], [0, 1]], np.float32)) == []


def test_of_many_notes_those_of_one_region_are_compared() -> None:
    lots = np.random.default_rng(5)
    topics = lots.normal(size=(150, 64))
    vectors = topics[lots.integers(150, size=3_000)] + 0.8 * lots.normal(size=(3_000, 64))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    exact = {pair[:2]: pair[2] for pair in mutual_neighbours(vectors)}
    found = {pair[:2]: pair[2] for pair in mutual_neighbours(vectors, each_with_each=100)}
    same = exact.keys() & found.keys()
    assert min(len(same) / len(exact), len(same) / len(found)) > 0.95
    assert all(one < other and found[one, other] == pytest.approx(exact[one, other], abs=1e-5) for one, other in same)


@pytest.mark.parametrize("count", [2, 3, 50])
def test_few_or_equal_notes_have_regions_too(count: int) -> None:
    same = np.tile(np.array([[0.6, 0.8]], np.float32), (count, 1))
    found = mutual_neighbours(same, each_with_each=1)
    assert found
    assert len({pair[:2] for pair in found}) == len(found)
    assert all(one != other for one, other, _ in found)
