"""Prints changes for a person: the diff, which other programs can apply, and beside it the outcome."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bridge.cli.console import console, list_view, strip_control, styled_text, tell

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff(text: str) -> None:
    """Print a diff; in a pipe unformatted, so that it can be applied."""
    if not sys.stdout.isatty():
        sys.stdout.write(strip_control(text))
        return
    out = console()
    for line in text.splitlines():
        style = "bold" if line.startswith(("--- ", "+++ ", "rename ")) else COLOURS.get(line[:1], "")
        out.print(styled_text((line, style)))


def change_result(result: dict[str, Any]) -> None:
    """Print what was changed and how to undo it."""
    diff(result["diff"])
    for warning in result["warnings"]:
        tell(warning)
    for link in result.get("links_broken", ()):
        tell(f"This leaves a link unresolved: {link['text']} in {link['path']}:{link['line']}.")
    if rewritten := result.get("links_rewritten"):
        tell(f"Links written anew in other places: {rewritten:,}.")
    id_ = result["change_id"]
    if reason := result.get("confirmation"):
        tell(f"The command itself needs `--confirm`: {reason}")
    if result.get("dry_run"):
        would = result.get("would")
        tell(f"Dry run, nothing is written. The command would {would}." if would else "Dry run, nothing is written.")
    elif id_ is None:
        tell("Nothing was written.")
    elif result["state"] == "proposed":
        tell(f"Proposed; `vault-bridge accept-change {id_}` makes it.")
    else:
        tell(f"{outcome(result.get('changed', ()))}; `vault-bridge undo-change {id_}` turns it back.")


def outcome(files: Sequence[Mapping[str, Any]]) -> str:
    """Describe what happened to the files of a change."""
    for file in files if len(files) == 1 else ():
        if file["deleted"]:
            return f"Deleted {file['path']}" + (f", which is {file['trash']} now" if file["trash"] else "")
        if file["moved_from"]:
            return f"Moved {file['moved_from']} to {file['path']}"
    return "Written"


def link_edit(result: dict[str, Any]) -> None:
    """Print an edit that adds links, and what it refused."""
    if not result["links"]:
        tell("There is nothing to link.")
    for one in result["refused"]:
        tell(f"Line {one['line']} does not link to {one['target']}: {one['why']}.")
    change_result(result)


def daily_note(result: dict[str, Any]) -> None:
    """Print a daily note, or what was added to it."""
    if result["diff"]:
        change_result(result)
    elif result["text"] is None:
        tell(f"There is no {result['path']} yet; `--append` makes it.")
    else:
        sys.stdout.write(strip_control(result["text"]))


def change_details(result: dict[str, Any]) -> None:
    """Print a change completely."""
    diff(result["diff"])
    for hunk in result["hunks"] if len(result["hunks"]) > 1 else ():
        tell(f"Hunk {hunk['number']}: {hunk['path']}:{hunk['after'][0]}" + (", undone." if hunk["undone"] else "."))
    reason = f" ({result['reason']})" if result["reason"] else ""
    tell(f"{result['operation']} by {result['client'] or 'nobody named'}, {result['time']}{reason}: {result['state']}.")


def change_states(result: dict[str, Any]) -> None:
    """Print the states of changes."""
    change_result(result)
    for change in result["changes"]:
        tell(f"{change['id']} is {change['state']}.")


CHANGE_VIEWS: dict[str, Callable[[dict[str, Any]], None]] = {
    "Written": change_result,
    "Settled": change_states,
    "LinkEdit": link_edit,
    "DailyNote": daily_note,
    "ShownChange": change_details,
    "ListedChanges": list_view("changes", ("id", "time", "client", "operation", "state", "paths"), headed=True),
}
