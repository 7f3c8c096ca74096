"""Runs the parts that are named, or all, and fails if anything happened that must never happen."""

import argparse
import sys
import time
from collections.abc import Callable

from scripts.lib.torture.answers import torture_answers
from scripts.lib.torture.clients import torture_clients
from scripts.lib.torture.heavy import torture_heavy
from scripts.lib.torture.moves import torture_moves
from scripts.lib.torture.names import torture_names
from scripts.lib.torture.order import torture_order
from scripts.lib.torture.races import torture_races
from scripts.lib.torture.report import Report
from scripts.lib.torture.rounds import torture_rounds
from scripts.lib.torture.stories import torture_stories
from scripts.lib.torture.writer import torture_writer

PARTS: dict[str, tuple[Callable[[int, int], Report], int]] = {
    "writer": (torture_writer, 10_000),
    "races": (torture_races, 10_000),
    "moves": (torture_moves, 500),
    "rounds": (torture_rounds, 2_000),
    "clients": (torture_clients, 2_400),
    "stories": (torture_stories, 10_000),
    "names": (torture_names, 3_000),
    "order": (torture_order, 500),
    "answers": (torture_answers, 1_000),
    "heavy": (torture_heavy, 1),
}
"""Each part with its default number of steps; it is called with the steps and the seed."""
SHOWN = 5


def main() -> int:
    """Run the parts and return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all when absent")
    parser.add_argument("--steps", type=int, help="how much of each part; what it takes by itself when absent")
    parser.add_argument("--seed", type=int, default=1, help="another run (default: 1)")
    asked = parser.parse_args()
    if unknown := [part for part in asked.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    reports = [run_part(part, asked.steps, asked.seed) for part in asked.parts or PARTS]
    return 1 if any(sum(report.faults.values()) for report in reports) else 0


def run_part(part: str, steps: int | None, seed: int) -> Report:
    """Run a part and print its figures."""
    torture, usual = PARTS[part]
    begun = time.perf_counter()
    report = torture(steps or usual, seed)
    print(f"{part}: {steps or usual:,} steps with seed {seed} in {time.perf_counter() - begun:,.0f} s")
    for name, figure in report.figures.items():
        print(f"  {name}: {figure:,}" if isinstance(figure, int) else f"  {name}: {figure}")
    for name, count in report.faults.items():
        print(f"  {name}: {count:,}{'' if count == 0 else '  <- must be 0'}")
    for example in report.examples[:SHOWN]:
        print(f"    {example}")
    return report


if __name__ == "__main__":
    sys.exit(main())
