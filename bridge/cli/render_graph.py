"""Answers about the graph for a person."""

import sys
from collections.abc import Callable
from typing import Any

from bridge.cli.render import console, styled, table, tell
from bridge.operations import count_of

NAMES_SHOWN = 200
"""Nodes of a picture that are listed: a picture is for programs that draw."""


def neighbours(result: dict[str, Any]) -> None:
    """Print notes by distance."""
    table(result["nodes"], ("distance", "score", "path", "kinds", "via"))
    if result["total"] > len(result["nodes"]):
        tell(f"{len(result['nodes'])} of {result['total']:,}; --limit shows more.")


def paths(result: dict[str, Any]) -> None:
    """Print each way from note to note, with what leads on."""
    out = console()
    for number, path in enumerate(result["paths"], start=1):
        out.print(styled((f"{number:2}. ", "dim"), (path["notes"][0], "cyan")))
        for step in path["steps"]:
            arrow = "←" if step["note"] == step["target"] else "→"
            where = f" {step['note']}:{step['line']}" if step["line"] else ""
            out.print(styled((f"    {arrow} ", "dim"), (step["target"], "cyan"), (f"  {step['kind']}{where}", "dim")))
            if step["text"]:
                out.print(styled((f"      {step['text']}", "")))
    if not result["paths"]:
        tell("Nothing joins the two.")


def insights(result: dict[str, Any]) -> None:
    """Print each part under its name."""
    out = console()
    counts = result["counts"]
    stubs = f"{count_of(counts['stubs'], 'name')} without a note"
    out.print(f"{count_of(counts['notes'], 'note')}, {count_of(counts['links'], 'link')}, {stubs}")
    for part, found in result.items():
        if part in {"counts", "totals", "offset"}:
            continue
        rows = found["notes"] if isinstance(found, dict) else found
        total = found["total"] if isinstance(found, dict) else result["totals"].get(part) or len(rows)
        out.print(
            styled((f"\n{part.replace('_', ' ').capitalize()}", "bold"), (f"  {total:,}" if total else "  none", "dim"))
        )
        names = [row for row in rows if isinstance(row, str)]
        for name in names:
            out.print(styled((f"  {name}", "cyan")))
        if rows and not names:
            table(rows, tuple(rows[0]), headed=True)


def view(result: dict[str, Any]) -> None:
    """List what would be drawn."""
    table(result["nodes"][:NAMES_SHOWN], ("title", "path", "type", "joined", "community"))
    shown = min(len(result["nodes"]), NAMES_SHOWN)
    nodes, edges = count_of(result["total"], "node"), count_of(len(result["edges"]), "edge")
    tell(f"{shown:,} of {nodes}, {edges}; --json has places and edges.")


def history(result: dict[str, Any]) -> None:
    """Print what changed, week by week."""
    out = console()
    for week in result["weeks"]:
        counts = week["counts"]
        out.print(
            styled(
                (week["week"], "bold"),
                (f"  {count_of(counts['notes'], 'note')}, {count_of(counts['links'], 'link')}", "dim"),
            )
        )
        for path in week["appeared"]:
            out.print(styled(("  + ", "green"), (path, "cyan")))
        for path in week["vanished"]:
            out.print(styled(("  - ", "red"), (path, "cyan")))
        for grown in week["grown"]:
            out.print(styled((f"  {grown['more']:+} ", "dim"), (grown["path"], "cyan")))
    tell(f"Recorded since {result['since']}, on the days on which a bridge ran.")


def exported(result: dict[str, Any]) -> None:
    """Print the graph as it is, for a file or another program."""
    sys.stdout.buffer.write(result["text"].encode())


SHOWN: dict[str, Callable[[dict[str, Any]], None]] = {
    "Neighbours": neighbours,
    "GraphPaths": paths,
    "GraphInsights": insights,
    "GraphView": view,
    "GraphHistory": history,
    "ExportedGraph": exported,
}
