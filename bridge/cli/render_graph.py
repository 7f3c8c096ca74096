"""Prints results about the graph for a person."""

import sys
from collections.abc import Callable
from typing import Any

from bridge.cli.console import console, styled_text, table, tell
from bridge.text.counts import count_of

NAMES_SHOWN = 200
"""Most nodes listed of a graph view, which is meant for programs that draw."""


def neighbours(result: dict[str, Any]) -> None:
    """Print notes by distance."""
    table(result["nodes"], ("distance", "score", "path", "kinds", "via"))
    if result["total"] > len(result["nodes"]):
        tell(f"{len(result['nodes'])} of {result['total']:,}; --limit shows more.")


def paths(result: dict[str, Any]) -> None:
    """Print each path between two notes, with its steps."""
    out = console()
    for number, path in enumerate(result["paths"], start=1):
        out.print(styled_text((f"{number:2}. ", "dim"), (path["notes"][0], "cyan")))
        for step in path["steps"]:
            arrow = "←" if step["note"] == step["target"] else "→"
            where = f" {step['note']}:{step['line']}" if step["line"] else ""
            out.print(
                styled_text((f"    {arrow} ", "dim"), (step["target"], "cyan"), (f"  {step['kind']}{where}", "dim"))
            )
            if step["text"]:
                out.print(styled_text((f"      {step['text']}", "")))
    if not result["paths"]:
        tell("Nothing joins the two.")


def insights(result: dict[str, Any]) -> None:
    """Print each part under its title."""
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
            styled_text(
                (f"\n{part.replace('_', ' ').capitalize()}", "bold"), (f"  {total:,}" if total else "  none", "dim")
            )
        )
        names = [row for row in rows if isinstance(row, str)]
        for name in names:
            out.print(styled_text((f"  {name}", "cyan")))
        if rows and not names:
            table(rows, tuple(rows[0]), headed=True)


def view(result: dict[str, Any]) -> None:
    """List the nodes of a graph view."""
    table(result["nodes"][:NAMES_SHOWN], ("title", "path", "type", "joined", "community"))
    shown = min(len(result["nodes"]), NAMES_SHOWN)
    nodes, edges = count_of(result["total"], "node"), count_of(len(result["edges"]), "edge")
    tell(f"{shown:,} of {nodes}, {edges}; --json has places and edges.")


def history(result: dict[str, Any]) -> None:
    """Print the changes of the graph week by week."""
    out = console()
    for week in result["weeks"]:
        counts = week["counts"]
        out.print(
            styled_text(
                (week["week"], "bold"),
                (f"  {count_of(counts['notes'], 'note')}, {count_of(counts['links'], 'link')}", "dim"),
            )
        )
        for path in week["appeared"]:
            out.print(styled_text(("  + ", "green"), (path, "cyan")))
        for path in week["vanished"]:
            out.print(styled_text(("  - ", "red"), (path, "cyan")))
        for grown in week["grown"]:
            out.print(styled_text((f"  {grown['more']:+} ", "dim"), (grown["path"], "cyan")))
    tell(f"Recorded since {result['since']}, on the days on which a bridge ran.")


def exported_graph(result: dict[str, Any]) -> None:
    """Print the exported graph unchanged, for a file or another program."""
    sys.stdout.buffer.write(result["text"].encode())


GRAPH_VIEWS: dict[str, Callable[[dict[str, Any]], None]] = {
    "Neighbours": neighbours,
    "GraphPaths": paths,
    "GraphInsights": insights,
    "GraphView": view,
    "GraphHistory": history,
    "ExportedGraph": exported_graph,
}


def suggestions(result: dict[str, Any]) -> None:
    """Print each suggested link with its reasons."""
    out = console()
    for found in result["suggestions"]:
        out.print(
            styled_text(
                (found["text"], "bold"),
                (" → ", "dim"),
                (found["target"], "cyan"),
                (f"  line {found['lines'][0]}", "dim"),
            )
        )
        out.print(styled_text((f"    {found['score']:.2f} · {' · '.join(found['why'])}", "dim")))
    if not result["suggestions"]:
        tell("There is no link to suggest.")


def prospects(result: dict[str, Any]) -> None:
    """Print the link candidates without a note."""
    table(result["prospects"], ("name", "kind", "notes", "confidence", "examples"))
    if not result["total"]:
        tell("No name that several notes say lacks a note.")
    elif len(result["prospects"]) < result["total"]:
        tell(f"{len(result['prospects'])} of {result['total']:,}; --offset shows more.")


def report(result: dict[str, Any]) -> None:
    """Print the problems of a vault's links, by kind."""
    out = console()
    unresolved = result["unresolved"]
    lack = "has" if unresolved == 1 else "have"
    out.print(f"{count_of(unresolved, 'name')} that links ask for {lack} no note.")
    for sort, (title, line) in REPORT_SECTIONS.items():
        total = result["totals"][sort]
        if not result[sort]:
            continue
        out.print(styled_text((f"\n{title}", "bold"), (f"  {total:,}", "dim")))
        for found in result[sort]:
            name, rest = line(found)
            out.print(styled_text((f"  {name}", "cyan"), (f"  {rest}", "dim")))
    if (onward := result.get("next_offset")) is not None:
        tell(f"--offset {onward} shows more.")


def unlinked_mentions(found: dict[str, Any]) -> tuple[str, str]:
    """Return a note and where others mention it."""
    said = ", ".join(f"“{name}”" for name in found["said"])
    places = ", ".join(f"{place['path']}:{place['line']}" for place in found["places"])
    return found["path"], f"{said} in {count_of(found['mentioned'], 'note')}: {places}"


Line = Callable[[dict[str, Any]], tuple[str, str]]

REPORT_SECTIONS: dict[str, tuple[str, Line]] = {
    "broken": (
        "Likely mean a note",
        lambda found: (f"[[{found['name']}]]", f"{found['meant']}: {found['why']}, in {', '.join(found['notes'])}"),
    ),
    "stubs": (
        "Mean none",
        lambda found: (f"[[{found['name']}]]", f"wanted by {found['wanted']:,}: {', '.join(found['notes'])}"),
    ),
    "unlinked": ("Mentioned without a link", unlinked_mentions),
    "ambiguous": (
        "Names of several notes",
        lambda found: (found["name"], f"{count_of(found['links'], 'link')} mean one of {', '.join(found['notes'])}"),
    ),
}
"""Each kind of finding: its title, and the name and the rest of a line."""

LINK_VIEWS: dict[str, Callable[[dict[str, Any]], None]] = {
    "LinkSuggestions": suggestions,
    "LinkReport": report,
    "NameProspects": prospects,
}
