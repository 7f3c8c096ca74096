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
from scripts.lib.torture.suite import torture_suite
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
    "suite": (torture_suite, 10),
}
"""Each part with its default number of steps; it is called with the steps and the seed."""
BY_NAME = {"suite"}
"""Parts that only run when they are named: what takes hours."""
SHOWN = 5


def main() -> int:
    """Run the parts and return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    help_parts = f"of {', '.join(PARTS)}; all but {', '.join(BY_NAME)} when absent"
    parser.add_argument("parts", nargs="*", metavar="PART [STEPS]", help=help_parts)
    parser.add_argument("--seed", type=int, default=1, help="another run (default: 1)")
    asked = parser.parse_args()
    steps: dict[str, int] = {}
    for word in asked.parts:
        if word.isdecimal() and steps:
            steps[next(reversed(steps))] = int(word)
        elif word in PARTS:
            steps[word] = PARTS[word][1]
        else:
            parser.error(f"there is no part {word}; there are {', '.join(PARTS)}")
    reports = [run_part(part, count, asked.seed) for part, count in (steps or usual_steps()).items()]
    return 1 if any(sum(report.faults.values()) for report in reports) else 0


def usual_steps() -> dict[str, int]:
    """Return the parts that run unasked, with their usual numbers of steps."""
    return {part: steps for part, (_, steps) in PARTS.items() if part not in BY_NAME}


def run_part(part: str, steps: int, seed: int) -> Report:
    """Run a part and print its figures."""
    begun = time.perf_counter()
    report = PARTS[part][0](steps, seed)
    print(f"{part}: {steps:,} steps with seed {seed} in {time.perf_counter() - begun:,.0f} s")
    for name, figure in report.figures.items():
        print(f"  {name}: {figure:,}" if isinstance(figure, int) else f"  {name}: {figure}")
    for name, count in report.faults.items():
        print(f"  {name}: {count:,}{'' if count == 0 else '  <- must be 0'}")
    for example in report.examples[:SHOWN]:
        print(f"    {example}")
    return report


if __name__ == "__main__":
    sys.exit(main())
