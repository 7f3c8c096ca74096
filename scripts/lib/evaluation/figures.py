"""The committed figures of each set and model, from which no change may fall."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).with_name("figures.json")

KEPT = ("nDCG@10", "R@10")
MODES = ("keyword", "semantic", "hybrid")

NOISE = 0.002
"""How far a figure may fall."""


def print_changes(report: Mapping[str, Mapping[str, Any]], model: str, *, keep: bool) -> bool:
    """Print how the figures of sets changed, and return whether one fell.

    Args:
        report: By set and mode, the figures as measured.
        model: The model of the modes that need one.
        keep: Whether they take the place of the committed ones.
    """
    known = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    now = {
        f"{name}, {modes['fts5']['queries']} queries": {
            mode if mode == "keyword" else f"{mode}, {model}": {metric: modes[mode][metric]["mean"] for metric in KEPT}
            for mode in MODES
            if mode in modes
        }
        for name, modes in report.items()
    }
    falls = False
    for name, modes in now.items():
        for mode, figures in modes.items():
            before = known.get(name, {}).get(mode)
            if before is None:
                continue
            changes = {metric: figures[metric] - before[metric] for metric in KEPT}
            fell = min(changes.values()) < -NOISE
            falls |= fell
            told = "  ".join(f"{metric} {change:+.4f}" for metric, change in changes.items())
            print(f"{'FELL' if fell else 'ok':5}{name:40}{mode:34}{told}")
        known[name] = known.get(name, {}) | modes
    if keep:
        FIGURES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return falls and not keep
