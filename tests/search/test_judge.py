"""Comparing two ways of searching by judged questions."""

import itertools
import math

import pytest

from bridge.search.judge import FEWEST, compare, ndcg, sign_flip_chance
from bridge.types import VaultPath

A, B, C = (VaultPath(f"{name}.md") for name in "ABC")


def others(count: int) -> list[VaultPath]:
    return [VaultPath(f"other {number}.md") for number in range(count)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([A, B, C], 1.0),
        ([C, A, B], (1 / math.log2(3) + 0.5 / 2) / (1 + 0.5 / math.log2(3))),
        ([B, A], (0.5 + 1 / math.log2(3)) / (1 + 0.5 / math.log2(3))),
        ([*others(9), A], (1 / math.log2(11)) / (1 + 0.5 / math.log2(3))),
        ([*others(10), A, B], 0.0),
        ([], 0.0),
    ],
)
def test_better_notes_count_more_and_earlier_ones_too(found: list[VaultPath], expected: float) -> None:
    assert ndcg(found, {B: 0.5, A: 1.0}) == pytest.approx(expected)


def test_more_notes_than_hits_can_all_be_found() -> None:
    assert ndcg(others(10), dict.fromkeys(others(30), 1.0)) == pytest.approx(1.0)


def test_the_chance_is_near_that_of_all_flips() -> None:
    gains = [0.3, -0.1, 0.25, 0.0, 0.4, -0.2, 0.15, 0.05]
    flips = [sum(map(math.prod, zip(signs, gains, strict=True))) for signs in itertools.product((1, -1), repeat=8)]
    exact = sum(flip >= sum(gains) - 1e-9 for flip in flips) / len(flips)
    assert sign_flip_chance(gains) == pytest.approx(exact, abs=0.015)
    assert sign_flip_chance(gains) == sign_flip_chance(gains)
    assert sign_flip_chance([0.0] * 20) == 1.0
    assert sign_flip_chance([-gain for gain in gains]) > 0.8


def test_only_a_proved_gain_of_enough_questions_helps() -> None:
    gains = [(0.5, 0.8)] * FEWEST
    found = compare(gains)
    assert (found.questions, found.better, found.worse) == (20, 20, 0)
    assert (found.before, found.after, found.gain) == pytest.approx((0.5, 0.8, 0.3))
    assert found.helps
    assert not compare(gains[1:]).helps
    assert not compare([(0.8, 0.5)] * FEWEST).helps
    assert not compare([(0.5, 0.5)] * FEWEST).helps
    mixed = compare([(0.5, 0.8)] * 12 + [(0.8, 0.5)] * 9)
    assert (mixed.better, mixed.worse, mixed.gain > 0, mixed.helps) == (12, 9, True, False)
