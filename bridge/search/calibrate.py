"""Maps the scores of each retriever to 0-1, so that they can be added.

Full-text scores have no scale of their own: they are shares of the best. Cosines have one, which differs by model: a
logistic curve around the model's point of "probably about this" keeps unrelated notes near 0 even when nothing better
is there.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import median, pstdev
from typing import TypeVar

from bridge.records import Record
from bridge.text.scripts import latin_share
from bridge.types import VaultPath

Scores = Mapping[VaultPath, float]

_Key = TypeVar("_Key", bound=Hashable)
"""What is scored: notes, or their passages."""

STAND_OUT = 0.8
"""Maximum that being the nearest of all notes adds to the curve's value of a cosine."""

NEAR_WIDTHS, SHARP_WIDTHS = 1.5, 0.4
"""Distance below the curve's middle at which the nearest note gets half of that, and the falloff, in curve widths."""

FIELD_NOTES = 20
"""Nearest notes from whose mean the nearest one must stand out."""

CLEAR_WIDTHS, CLEAR_SHARE = 1.0, 0.3
"""Distance above their mean at which it gets half of that, and the falloff, in curve widths."""

FOREIGN_TRUST = 0.5
"""Trust in an English model for another language of its script."""

GAP_WIDTHS = 0.4
"""Distance behind the nearest note at which another one gets a third of that, in curve widths."""


MIN_SPREAD = 0.4
"""Spread of cosines, in curve widths, below which lines stand out no more."""


class Curve(Record):
    """A logistic curve: one half at `middle`, steeper with a smaller `width`."""

    middle: float
    width: float

    def __call__(self, cosine: float) -> float:
        return _logistic(cosine - self.middle, self.width)


class ModelCalibration(Record):
    """The calibration of a model: the curve of its cosines, and whether it reads every script."""

    curve: Curve | None = None
    """None for an unknown model: the best hits of each answer are then the scale."""
    near: float = 0.45
    """The cosine from which a property may say what is asked of its note."""
    every_script: bool = False


_CALIBRATIONS = {
    # These two are fitted on the development sets (scripts/eval); the others follow from the cosines of unrelated texts
    # that their model cards state, and are not measured here.
    "all-minilm-l6-v2": ModelCalibration(Curve(0.5, 0.1), near=0.35),
    "multilingual-e5-small": ModelCalibration(Curve(0.38, 0.09), near=0.4, every_script=True),
    "bge-small-en-v1.5": ModelCalibration(Curve(0.68, 0.06)),
    "nomic-embed-text-v1.5": ModelCalibration(Curve(0.65, 0.07)),
    "embeddinggemma-300m": ModelCalibration(Curve(0.45, 0.1), every_script=True),
}


def model_calibration(model: str | None) -> ModelCalibration:
    """Return the calibration of a model, by its id or by a key that begins with its id."""
    known = (meaning for id_, meaning in _CALIBRATIONS.items() if model is not None and model.startswith(id_))
    return next(known, ModelCalibration(every_script=True))


def share_of_best(scores: Scores) -> dict[VaultPath, float]:
    best = max(scores.values(), default=0.0)
    return {path: score / best for path, score in scores.items()} if best > 0 else {}


def scale_by_spread(scores: Mapping[_Key, float]) -> dict[_Key, float]:
    """Map scores by how far they stand out from each other: 0.2 at the mean, 1 from about five deviations above."""
    count = len(scores)
    if not count:
        return {}
    mean = sum(scores.values()) / count
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores.values()) / count)
    if spread < 1e-9:
        return dict.fromkeys(scores, 0.5)
    return {path: min(1.0, max(0.0, 0.2 + (score - mean) / spread / 6)) for path, score in scores.items()}


def calibrate_cosines(scores: Mapping[_Key, float], meaning: ModelCalibration) -> dict[_Key, float]:
    """Map cosines by the model's curve, and by their distance to the best of this answer.

    The words of a question determine how high its cosines are: the clearly nearest note may still be below the middle
    of the curve. It then counts for more, unless even the nearest is as distant as unrelated texts are, or is only one
    of many that are about as near: then the model cannot tell them apart.
    """
    curve = meaning.curve
    if curve is None or not scores:
        return scale_by_spread(scores)
    nearest = sorted(scores.values(), reverse=True)[:FIELD_NOTES]
    top, middle = nearest[0], sum(nearest) / len(nearest)
    near = _logistic((top - curve.middle) / curve.width + NEAR_WIDTHS, SHARP_WIDTHS)
    clear = _logistic((top - middle) / curve.width - CLEAR_WIDTHS, CLEAR_SHARE)
    something = STAND_OUT * near * clear
    found: dict[_Key, float] = {}
    for key, score in scores.items():
        sure = curve(score)
        found[key] = sure + something * (1.0 - sure) * math.exp((score - top) / (GAP_WIDTHS * curve.width))
    return found


def scale_by_coverage(scores: Scores, cover: Scores | None, least: float = 0.0) -> dict[VaultPath, float]:
    """Map full-text scores to their share of the best, times how much of the query the note contains."""
    shares = share_of_best(scores)
    if cover is None:
        return shares
    return {path: share * max(least, cover.get(path, 0.0)) for path, share in shares.items()}


def stand_out(nearness: Sequence[float]) -> list[float]:
    """Return how far lines stand out from each other by the curve's values of their cosines, in deviations."""
    odds = [*map(log_odds, nearness)]
    middle, spread = (median(odds), max(MIN_SPREAD, pstdev(odds))) if odds else (0.0, MIN_SPREAD)
    return [(one - middle) / spread for one in odds]


def log_odds(chance: float, least: float = 1e-6) -> float:
    """Return the logarithm of the odds of a chance that is no less than some least one, nor surer."""
    likely = min(max(chance, least), 1 - least)
    return math.log(likely / (1 - likely))


def model_trust(text: str, meaning: ModelCalibration, language: str | None = None) -> float:
    """Return how well the model can read a query: 1 for its own script, 0 when most letters are of another."""
    if meaning.every_script:
        return 1.0
    return max(0.0, 2.0 * latin_share(text) - 1.0) * (1.0 if language is None else FOREIGN_TRUST)


def _logistic(above: float, width: float) -> float:
    return 1.0 / (1.0 + math.exp(-above / width))
