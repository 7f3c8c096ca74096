"""Prints how many of a vault's own links are suggested again once they are removed."""

import sys
from itertools import chain
from pathlib import Path

from scripts.lib.evaluation.fifths import score_by_fifths
from scripts.lib.evaluation.rediscovery import rediscover, strip_links

SAMPLE = Path(__file__).resolve().parents[3] / "tests" / "vaults" / "sample"
VAULTS = (
    "links/DawnVespero__TheBlackSunLodge",
    "vaults/oldwinter-zh",
    "links/clickear__knowledge-garden",
)


def print_rediscovery(data: Path) -> int:
    """Print precision and recall of pairs of notes, plain matching of names first; return the exit status."""
    for root in (*(data / vault for vault in VAULTS), SAMPLE):
        if not root.is_dir():
            print(f"{root.name}: not here", file=sys.stderr)
            continue
        vault = strip_links(root)
        print(f"\n{root.name}: {len(vault.notes):,} notes, {len(vault.links):,} links")
        print(f"  {'':14}{'precision':>10}{'recall':>8}{'F1':>8}{'suggested':>11}")
        for name, score in chain(rediscover(vault), score_by_fifths(vault)):
            row = f"{score.precision:10.3f}{score.recall:8.3f}{score.f1:8.3f}{score.suggested:11,}"
            print(f"  {name:14}{row}")
    return 0
