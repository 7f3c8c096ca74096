"""The figures of a run: as a table for people, as JSON for comparison."""

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure and its target."""

    what: str
    value: float
    unit: str
    reach: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None if there is none."""
        if self.reach is None:
            return None
        return self.value >= self.reach if self.at_least else self.value <= self.reach


@dataclass(slots=True)
class Measurements:
    """All figures of a run, and its machine."""

    vault: str
    rows: list[Row] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def add(self, *rows: Row) -> None:
        """Add figures and print them at once."""
        self.rows += rows
        for row in rows:
            print(table_line(row), flush=True)

    def json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        rows = [{**asdict(row), "reached": row.reached} for row in self.rows]
        return {"date": datetime.now(UTC).date().isoformat(), "machine": describe_machine(), "vault": self.vault} | {
            "facts": self.facts,
            "failed": self.failed,
            "rows": rows,
        }


def table_line(row: Row) -> str:
    """Format a figure as a line of the table."""
    verdict = {None: "", True: "reached", False: "MISSED"}[row.reached]
    reach = "" if row.reach is None else f"{'≥' if row.at_least else '≤'} {row.reach:g}"
    return f"| {row.what:62} | {format_number(row.value):>9} {row.unit:12} | {reach:8} | {verdict:7} | {row.note}"


def format_number(value: float) -> str:
    """Format a number with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def latency_rows(
    what: str, seconds: Sequence[float], reach: tuple[float, float] | None = None, note: str = ""
) -> list[Row]:
    """Return rows for the median and 95th percentile in milliseconds."""
    middle, high = (1000 * percentile(seconds, part) for part in (0.5, 0.95))
    return [
        Row(f"{what}, p50", middle, "ms", reach and reach[0], note=note),
        Row(f"{what}, p95", high, "ms", reach and reach[1], note=note),
    ]


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value below which a fraction of the values lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def median_and_worst(what: str, seconds: Sequence[float], reach: tuple[float, float]) -> list[Row]:
    """Return rows for the median, worst and first value in seconds."""
    return [
        Row(f"{what}, median of {len(seconds)}", statistics.median(seconds), "s", reach[0]),
        Row(f"{what}, worst", max(seconds), "s", reach[1]),
        Row(f"{what}, the first after the start", seconds[0], "s", reach[1]),
    ]


def describe_machine() -> dict[str, Any]:
    """Describe the machine without naming it."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }
