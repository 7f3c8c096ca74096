"""Writes the table of committed figures into `docs/measurements.md`, or with `--check` says if it is out of date."""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.lib.evaluation.figures import FIGURES, KEPT

PAGE = Path(__file__).resolve().parents[3] / "docs" / "measurements.md"
BLOCK = re.compile(r"(?<=<!-- written from figures\.json -->\n).*?(?=<!-- end -->)", re.DOTALL)


def quality_table(figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return a row for each set and a column for each mode and model."""
    modes = sorted({mode for row in figures.values() for mode in row}, key=lambda mode: mode.split(", ")[::-1])
    modes.sort(key="keyword".__ne__)
    lines = [f"|set|{'|'.join(modes)}|", f"|---{'|---' * len(modes)}|"]
    lines += [f"|{name}|{'|'.join(cell(row.get(mode)) for mode in modes)}|" for name, row in figures.items()]
    return "\n".join(lines) + "\n"


def cell(figures: Mapping[str, float] | None) -> str:
    return "/".join(f"{figures[metric]:.3f}".removeprefix("0") for metric in KEPT) if figures else ""


def page_with_table(page: str) -> str:
    table = quality_table(json.loads(FIGURES.read_text(encoding="utf-8")))
    return BLOCK.sub(lambda _: f"\n{table}\n", page)


def write_table() -> None:
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.lib.evaluation.quality_table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the table is out of date")
    if not parser.parse_args().check:
        write_table()
        return 0
    page = PAGE.read_text(encoding="utf-8")
    if stale := page_with_table(page) != page:
        sys.stderr.write(f"{PAGE.name} is out of date. Run `python -m scripts.lib.evaluation.quality_table`.\n")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
