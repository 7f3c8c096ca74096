"""Scores of a ranking, and the confidence of a mean or a difference of means."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NAMES = ("nDCG@5", "nDCG@10", "R@5", "R@10", "MRR")

_ROUNDS = 2_000
_SEED = 20_260_101


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the middle 95 % of its bootstrap distribution."""

    mean: float
    low: float
    high: float


def scores(ranking: Sequence[str], relevant: Mapping[str, float]) -> dict[str, float]:
    """Score one ranking of distinct documents; gains are 2^grade - 1."""
    gains = [2 ** relevant.get(document, 0.0) - 1 for document in ranking]
    ideal = sorted((2**grade - 1 for grade in relevant.values()), reverse=True)
    wanted = sum(grade > 0 for grade in relevant.values())
    first = next((place for place, gain in enumerate(gains, 1) if gain > 0), None)
    result = {"MRR": 1 / first if first is not None and first <= 10 else 0.0}
    for depth in (5, 10):
        best = _discounted_gain(ideal[:depth])
        result[f"nDCG@{depth}"] = _discounted_gain(gains[:depth]) / best if best else 0.0
        result[f"R@{depth}"] = sum(gain > 0 for gain in gains[:depth]) / wanted if wanted else 0.0
    return result


def bootstrap(values: Sequence[float]) -> Interval:
    """Resample one value per query; for differences between two systems, this is the paired bootstrap."""
    count = len(values)
    if not count:
        return Interval(0.0, 0.0, 0.0)
    chance = random.Random(_SEED)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(_ROUNDS))
    return Interval(sum(values) / count, means[int(0.025 * _ROUNDS)], means[int(0.975 * _ROUNDS) - 1])


def _discounted_gain(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))
