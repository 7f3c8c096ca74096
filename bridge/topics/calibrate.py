"""Tells how probable a topic is from the evidence for it, calibrated on the topics that the notes have."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bridge.records import dataclass
from bridge.topics.evidence import TopicEvidence
from bridge.types import VaultPath

AIM: Final = 0.73
"""The share of the hidden topics suggested that must be right, so that of others seven in ten are: the best place in a
sample is a little too good."""

DEFAULT: Final = (-4.2, 4.0, 1.5, 1.2, 1.6, 2.2, 1.8)
"""Weights of the numbers of `TopicEvidence.row` in a vault that has too few topics to learn from."""

DEFAULT_LEAST: Final = 0.75
"""The probability from which a topic is suggested there."""

DEFAULT_CLOSEST: Final = 0.4
"""How near a note must be there that alone speaks for a topic."""

NEAR_ENOUGH: Final = 10
"""The percentage of the hidden topics of which the nearest note may be too far. Notes without topics teach nothing, so
that it cannot be learnt how far they are from all others."""

LEAST_NOTES: Final = 20
"""Notes with topics from which on a vault is learnt from."""

LEAST_RIGHT: Final = 25
"""Hidden topics that anything speaks for, from which on it is."""

CLOSEST: Final = 2
"""The place in `TopicEvidence.row` of how near the nearest note is."""

PARTS: Final = 5
"""Parts of the notes that are hidden in turn: a fifth each."""

MOST_NOTES: Final = 300
"""Notes whose topics are hidden at most."""

LEAST_TOLD: Final = 0.35
"""A topic that is less probable is not suggested, however right such ones are together with the others."""

_HOLD: Final = 2.0
"""How strongly the weights are held to the default."""

_STEPS: Final = 30
_NEVER: Final = 1.01


@dataclass(frozen=True, slots=True)
class TopicModel:
    """How probable topics are in a vault."""

    weights: tuple[float, ...] = DEFAULT
    least: float = DEFAULT_LEAST
    """The probability from which a topic is suggested."""
    closest: float = DEFAULT_CLOSEST
    """How near a note must be that alone speaks for a topic."""
    notes: int = 0
    """Notes that it was learnt from; 0 for the default."""

    def probability(self, evidence: TopicEvidence) -> float:
        import math

        total = sum(weight * value for weight, value in zip(self.weights, evidence.row, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def suggests(self, evidence: TopicEvidence) -> bool:
        """Return whether a topic is suggested: it is probable, and not only for notes that are hardly near."""
        other = bool(evidence.said or evidence.linked or evidence.in_folder)
        return self.probability(evidence) >= self.least and (other or evidence.closest >= self.closest)


HiddenEvidence = Mapping[VaultPath, Sequence[tuple[TopicEvidence, bool]]]
"""By note whose topics were hidden: the evidence for each candidate, and whether it is one of them."""


def choose_hidden(paths: Sequence[VaultPath], most: int = MOST_NOTES) -> list[list[VaultPath]]:
    """Return the notes to hide, in parts that are hidden one after the other; the same for the same notes."""
    mixed = sorted(paths, key=lambda path: sha256(path.encode("utf-8", "surrogatepass")).digest())
    chosen = mixed[:most]
    # What is not chosen stays visible, so that a part is a fifth of all notes at most.
    return [part for at in range(PARTS) if (part := chosen[at::PARTS])]


def fit_model(parts: Sequence[HiddenEvidence]) -> TopicModel:
    """Return the model that fits the hidden topics, and the probability at which enough suggestions are right."""
    import numpy as np

    rows = [
        (at, evidence.row, right)
        for at, part in enumerate(parts)
        for found in part.values()
        for evidence, right in found
    ]
    notes = sum(len(part) for part in parts)
    if notes < LEAST_NOTES or sum(right for _, _, right in rows) < LEAST_RIGHT:
        return TopicModel()
    part = np.array([at for at, _, _ in rows])
    values = np.array([row for _, row, _ in rows], np.float64)
    right = np.array([one for _, _, one in rows], np.float64)
    told = np.zeros(len(rows))
    for at in range(len(parts)):
        held = part == at
        told[held] = _probabilities(values[held], _fit(values[~held], right[~held]))
    weights = tuple(round(float(one), 6) for one in _fit(values, right))
    closest = values[right > 0, CLOSEST]
    nearest = float(np.percentile(closest[closest > 0], NEAR_ENOUGH)) if closest.any() else DEFAULT_CLOSEST
    return TopicModel(weights, least_probability(told, right), round(nearest, 6), notes)


def least_probability(told: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the lowest probability from which on enough are right; above 1 if there is none.

    Three more that are wrong are counted, so that a few that happened to be right decide nothing.
    """
    import numpy as np

    order = np.argsort(-told, kind="stable")
    shares = np.cumsum(right[order]) / (np.arange(len(order)) + 4)
    # Of equal probabilities, all are shown or none.
    last = np.append(np.diff(told[order]) != 0, True)
    good = np.flatnonzero((shares >= AIM) & last)
    return max(LEAST_TOLD, round(float(told[order][good[-1]]), 6)) if len(good) else _NEVER


def _fit(values: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression that is held to the default ones, by Newton's method."""
    import numpy as np

    default = np.array(DEFAULT)
    weights = default.copy()
    held = np.full(len(default), _HOLD)
    held[0] = _HOLD / 10
    for _ in range(_STEPS):
        chance = _probabilities(values, weights)
        slope = values.T @ (chance - right) + held * (weights - default)
        curve = (values * (chance * (1 - chance))[:, None]).T @ values + np.diag(held)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def _probabilities(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values @ weights, -30, 30)))
    return result
