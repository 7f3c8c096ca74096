"""Prints results for a person: coloured in a terminal, plain text in a pipe."""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import orjson

from bridge.cli.console import cell, console, highlight, list_view, strip_control, styled_text, tell

Indexer = Literal["running", "paused", "none"]
"""What happens to passages that have no vector yet."""


def json_line(result: Any) -> None:
    """Print a result as one line of JSON."""
    sys.stdout.buffer.write(orjson.dumps(result) + b"\n")
    sys.stdout.buffer.flush()


def show(operation: str, result: dict[str, Any]) -> None:
    """Print the result of an operation."""
    from bridge.cli import render_changes, render_graph, render_status
    from bridge.features import get_operation

    shown = {
        **RESULT_VIEWS,
        **render_changes.CHANGE_VIEWS,
        **render_graph.GRAPH_VIEWS,
        **render_graph.LINK_VIEWS,
        **render_status.STATUS_VIEWS,
    }
    shown.get(get_operation(operation).result.__name__, any_record)(result)
    sys.stdout.flush()


def hits(result: dict[str, Any]) -> None:
    """Print the hits of a search."""
    out = console()
    for number, hit in enumerate(result["hits"], start=1):
        first, last = hit["lines"]
        place = f"{hit['path']}:{first}" + (f"-{last}" if last != first else "")
        out.print(styled_text((f"{number:2}. ", "dim"), (hit["title"], "bold"), (f"  {place}", "cyan")))
        if hit["heading"]:
            out.print(styled_text((f"    {hit['heading']}", "magenta")))
        for line in hit["snippet"].splitlines():
            if line.strip():
                out.print("    ", highlight(line.strip()), sep="") if out.is_terminal else out.print(
                    f"    {strip_control(line.strip())}"
                )
        tags = " ".join(f"#{tag}" for tag in hit["tags"])
        out.print(styled_text((f"    {' · '.join(hit['why'])}", "dim"), (f"  {tags}" if tags else "", "dim green")))
        out.print()
    if not result["hits"] and not result["notices"]:
        tell("Nothing found.")
    for notice in result["notices"]:
        tell(notice)


def report_pending(result: Mapping[str, Any], indexer: Indexer) -> None:
    """Report what a search could not find yet, and when it will be found."""
    from bridge.text.counts import count_of

    unread, unembedded = result["freshness"]["pending_keyword"], result["freshness"]["pending_vectors"]
    if unread:
        tell(f"Still indexing: {count_of(unread, 'note')} to read.")
    if unembedded and result["mode_used"] != "keyword":
        missing = f"{count_of(unembedded, 'passage')} cannot be found by meaning"
        match indexer:
            case "running":
                tell(f"Still indexing: {missing} yet.")
            case "paused":
                tell(f"{missing}: embedding is paused. `vault-bridge resume-indexing` goes on.")
            case "none":
                tell(f"{missing}. `vault-bridge index` embeds them now, `vault-bridge serve` in the background.")


def read_note(result: dict[str, Any]) -> None:
    """Print a note's text; in a pipe exactly as it is."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(result["text"].encode())
        return
    out = console()
    first, last = result["lines"]
    tags = " ".join(f"#{tag}" for tag in result["tags"])
    out.print(
        styled_text(
            (result["title"], "bold"), (f"  {result['path']}:{first}-{last}", "cyan"), (f"  {tags}", "dim green")
        )
    )
    out.print()
    for line in result["text"].splitlines():
        out.print(styled_text((line, "bold" if line.startswith("#") and line.lstrip("#").startswith(" ") else "")))
    if "next" in result:
        (first, last), offset = result["next"]["lines"], result["next"]["offset"]
        tell(f"Cut here; --lines {first}-{last} --offset {offset} reads on.")


def links(result: dict[str, Any]) -> None:
    """Print the links of a note, in both directions."""
    out = console()
    for name, title in (("links", "Links to"), ("backlinks", "Linked from"), ("unresolved", "Unresolved")):
        if result[name]:
            out.print(styled_text((title, "bold")))
        for link in result[name]:
            shown = link["path"] or link["target"]
            part = (f"#^{link['block']}" if link["block"] else f"#{link['heading'] or ''}").rstrip("#")
            # A link in the note is shown by its line and target, a backlink by its place and the part it links to.
            place = (
                f"{shown}:{link['line']}{f' → {part}' if part else ''}"
                if name == "backlinks"
                else f"{link['line']:>4}  {shown}{part if link['path'] else ''}"
            )
            label = link["text"] if link["text"] != link["target"] else ""
            out.print(styled_text((f"  {place}", "cyan"), (f"  {label}" if label else "", "dim")))
            if link.get("context"):
                out.print(styled_text((f"    {link['context']}", "")))
        if (left := result["totals"][name] - result["offset"] - len(result[name])) > 0:
            out.print(f"  … and {left:,} more; --offset shows them")
    if said := result.get("mentions"):
        out.print(styled_text(("Mentioned without a link", "bold")))
    for one in said or ():
        out.print(styled_text((f"  {one['path']}:{one['line']}", "cyan"), (f"  {one['context']}", "dim")))
    if not any(result["totals"].values()) and not result.get("mentions_total"):
        tell("It links to nothing, and nothing links to it.")


def resolved_link(result: dict[str, Any]) -> None:
    """Print the target of a link, in the form of a link."""
    if result["path"] is None:
        tell("It points to no note.")
        return
    block = f"^{result['block']}" if result["block"] else None
    sys.stdout.write("#".join(cell(part) for part in (result["path"], result["heading"], block) if part) + "\n")


def any_record(result: dict[str, Any]) -> None:
    """Print a record by its fields."""
    for name, value in result.items():
        for line in field_lines(name, value):
            sys.stdout.write(f"{line}\n")


def field_lines(name: str, value: Any) -> Iterable[str]:
    """Format one field; a list of records takes a line for each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{name}:"
        yield from ("  " + "  ".join(filter(None, map(cell, item.values()))) for item in value)
    elif value not in (None, [], ""):
        yield f"{name}: {cell(value)}"


RESULT_VIEWS: dict[str, Callable[[dict[str, Any]], None]] = {
    "SearchResult": hits,
    "ReadNote": read_note,
    "NoteLinks": links,
    "ResolvedLink": resolved_link,
    "FoundNotes": list_view("notes", ("path", "title", "tags", "modified")),
    "TaskList": list_view("tasks", ("path", "line", "status", "text", "due")),
    "FolderList": list_view("folders", ("path", "notes")),
    "TagList": list_view("tags", ("tag", "count")),
    "ListedClients": list_view(
        "clients", ("id", "name", "scopes", "preset", "created", "last_used"), empty="No clients."
    ),
    "SettingsInUse": list_view("settings", ("name", "value", "default", "meaning"), headed=True),
}
"""The printer of each result record; operations with the same record are shown alike."""
