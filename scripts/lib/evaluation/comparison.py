"""Shares of what was found, by category, beside the floor."""

from collections.abc import Mapping, Sequence

from scripts.lib.evaluation.metrics import bootstrap
from scripts.lib.evaluation.systems import DEPTH


def print_comparison(categories: Sequence[str], shares: Mapping[str, Sequence[float]]) -> None:
    """Print the mean of each system over all questions and by category, and how far the last exceeds the first.

    Args:
        categories: The category of each question.
        shares: By system, the floor first and the best last: the share found for each question.
    """
    floor, *_, best = shares.values()
    print(f"  R@{DEPTH:<30}" + "".join(f"{name:>10}" for name in shares) + "   gain over the floor (95 %)")
    for category in ("all", *dict.fromkeys(categories)):
        chosen = [place for place, own in enumerate(categories) if category in ("all", own)]
        means = "".join(f"{sum(own[place] for place in chosen) / len(chosen):10.3f}" for own in shares.values())
        gain = bootstrap([best[place] - floor[place] for place in chosen])
        interval = f"   {gain.mean:+.3f} ({gain.low:+.3f} … {gain.high:+.3f})"
        print(f"  {category[:26]:26}{len(chosen):6}{means}{interval}")
