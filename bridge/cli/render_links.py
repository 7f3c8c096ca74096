"""Answers about missing links for a person."""

from collections.abc import Callable
from typing import Any

from bridge.cli.render import console, styled, table, tell
from bridge.operations import count_of


def suggestions(result: dict[str, Any]) -> None:
    """Print each link that may be missing, with what speaks for it."""
    out = console()
    for found in result["suggestions"]:
        out.print(
            styled(
                (found["text"], "bold"),
                (" → ", "dim"),
                (found["target"], "cyan"),
                (f"  line {found['lines'][0]}", "dim"),
            )
        )
        out.print(styled((f"    {found['score']:.2f} · {' · '.join(found['why'])}", "dim")))
    if not result["suggestions"]:
        tell("There is no link to suggest.")


def prospects(result: dict[str, Any]) -> None:
    """Print names worth a note."""
    table(result["prospects"], ("name", "kind", "notes", "confidence", "examples"))
    if not result["total"]:
        tell("No name that several notes say lacks a note.")
    elif len(result["prospects"]) < result["total"]:
        tell(f"{len(result['prospects'])} of {result['total']:,}; --offset shows more.")


def report(result: dict[str, Any]) -> None:
    """Print what could be better about the links of a vault, sort by sort."""
    out = console()
    unresolved = result["unresolved"]
    lack = "has" if unresolved == 1 else "have"
    out.print(f"{count_of(unresolved, 'name')} that links ask for {lack} no note.")
    for sort, (title, line) in SORTS.items():
        total = result["totals"][sort]
        if not result[sort]:
            continue
        out.print(styled((f"\n{title}", "bold"), (f"  {total:,}", "dim")))
        for found in result[sort]:
            name, rest = line(found)
            out.print(styled((f"  {name}", "cyan"), (f"  {rest}", "dim")))
    if (onward := result.get("next_offset")) is not None:
        tell(f"--offset {onward} shows more.")


def unlinked(found: dict[str, Any]) -> tuple[str, str]:
    """Return a note and where others mention it."""
    said = ", ".join(f"“{name}”" for name in found["said"])
    places = ", ".join(f"{place['path']}:{place['line']}" for place in found["places"])
    return found["path"], f"{said} in {count_of(found['mentioned'], 'note')}: {places}"


Line = Callable[[dict[str, Any]], tuple[str, str]]

SORTS: dict[str, tuple[str, Line]] = {
    "broken": (
        "Likely mean a note",
        lambda found: (f"[[{found['name']}]]", f"{found['meant']}: {found['why']}, in {', '.join(found['notes'])}"),
    ),
    "stubs": (
        "Mean none",
        lambda found: (f"[[{found['name']}]]", f"wanted by {found['wanted']:,}: {', '.join(found['notes'])}"),
    ),
    "unlinked": ("Mentioned without a link", unlinked),
    "ambiguous": (
        "Names of several notes",
        lambda found: (found["name"], f"{count_of(found['links'], 'link')} mean one of {', '.join(found['notes'])}"),
    ),
}
"""Each sort of a report: its title, and the name and the rest of a line."""

SHOWN: dict[str, Callable[[dict[str, Any]], None]] = {
    "LinkSuggestions": suggestions,
    "LinkReport": report,
    "NameProspects": prospects,
}
