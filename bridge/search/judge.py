"""Compares two ways of searching by judged questions: how well each orders the notes that answer them."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from bridge.records import dataclass
from bridge.types import VaultPath

DEPTH: Final = 10
"""Hits of a search that count."""

FEWEST: Final = 20
"""Questions below which a comparison proves nothing."""

MOST_CHANCE: Final = 0.025
"""The chance up to which a gain counts as proved."""

_FLIPS: Final = 10_000
_SEED: Final = 20
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two ways of searching, compared by the same questions.

    Attributes:
        questions: How many questions were asked.
        before: The mean nDCG@10 of the one.
        after: The mean nDCG@10 of the other.
        better: Questions for which the other is better.
        worse: Questions for which it is worse.
        chance: The chance of a mean gain as large or larger if neither were better.
    """

    questions: int
    before: float
    after: float
    better: int
    worse: int
    chance: float

    @property
    def gain(self) -> float:
        """How much better the other is."""
        return self.after - self.before

    @property
    def helps(self) -> bool:
        """Whether enough questions prove that the other is better."""
        return self.questions >= FEWEST and self.gain > 0 and self.chance <= MOST_CHANCE


def ndcg(found: Sequence[VaultPath], worth: Mapping[VaultPath, float]) -> float:
    """Return the nDCG@10 of a search: 1 if the best notes come first, 0 if it has none of them."""
    return _discounted_gain([worth.get(path, 0.0) for path in found]) / _discounted_gain(
        sorted(worth.values(), reverse=True)
    )


def compare(pairs: Sequence[tuple[float, float]]) -> Comparison:
    """Compare two ways of searching by the nDCG of both for each question, of which there is at least one."""
    gains = [after - before for before, after in pairs]
    before, after = (math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True))
    better, worse = (sum(sign * gain > _ROUNDING for gain in gains) for sign in (1, -1))
    return Comparison(len(pairs), before, after, better, worse, sign_flip_chance(gains))


def sign_flip_chance(gains: Sequence[float]) -> float:
    """Return the chance of a sum as large or larger if each gain were as likely a loss, by a randomisation test.

    The same gains always have the same chance.
    """
    import numpy as np

    signs = np.random.default_rng(_SEED).choice((-1.0, 1.0), (_FLIPS, len(gains)))
    as_large = int(np.count_nonzero(signs @ np.asarray(gains) >= math.fsum(gains) - _ROUNDING))
    # The gains as they are count as one of the flips, so that no chance is 0.
    return (as_large + 1) / (_FLIPS + 1)


def _discounted_gain(worths: Sequence[float]) -> float:
    return math.fsum(worth / math.log2(rank + 2) for rank, worth in enumerate(worths[:DEPTH]))
