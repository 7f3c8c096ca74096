"""Answers about missing links for a person."""

from collections.abc import Callable
from typing import Any

from bridge.cli.render import console, styled, table, tell


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


SHOWN: dict[str, Callable[[dict[str, Any]], None]] = {"LinkSuggestions": suggestions, "NameProspects": prospects}
