"""Results for a person: coloured in a terminal, plain text in a pipe."""

import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import orjson

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Rows = Sequence[Mapping[str, Any]]

PATHS = frozenset({"path", "paths", "examples"})
"""Columns that hold paths."""

WIDE = 100_000
"""Columns of a terminal in which every table has room."""

Indexer = Literal["running", "paused", "none"]
"""What goes on with passages that have no vector yet."""


def json_line(result: Any) -> None:
    """Print a result as one line of JSON."""
    sys.stdout.buffer.write(orjson.dumps(result) + b"\n")
    sys.stdout.buffer.flush()


def show(operation: str, result: dict[str, Any]) -> None:
    """Print the result of an operation."""
    from bridge.cli import render_changes, render_graph, render_links, render_status
    from bridge.operations import named

    shown = {**SHOWN, **render_changes.SHOWN, **render_graph.SHOWN, **render_links.SHOWN, **render_status.SHOWN}
    shown.get(named(operation).result.__name__, anything)(result)
    sys.stdout.flush()


def console() -> "Console":
    """Return standard output; in a pipe lines are never wrapped."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # The library would end the program with a status of its own.
            raise BrokenPipeError

    return Output(
        highlight=False, markup=False, emoji=False, soft_wrap=True, no_color=bool(os.environ.get("NO_COLOR")) or None
    )


def safe(text: object) -> str:
    """Take out what would steer the terminal."""
    return "".join(c for c in str(text) if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})


def styled(*parts: tuple[object, str]) -> "Text":
    """Join parts of different styles."""
    from rich.text import Text

    return Text.assemble(*((safe(text), style) for text, style in parts))


def marked(snippet: str, style: str = "") -> "Text":
    """Show the marks of a snippet as a terminal can."""
    from rich.text import Text

    text = Text(style=style)
    for number, part in enumerate(safe(snippet).split("==")):
        text.append(part, "bold yellow" if number % 2 else "")
    return text


def hits(result: dict[str, Any]) -> None:
    """Print the hits of a search."""
    out = console()
    for number, hit in enumerate(result["hits"], start=1):
        first, last = hit["lines"]
        place = f"{hit['path']}:{first}" + (f"-{last}" if last != first else "")
        out.print(styled((f"{number:2}. ", "dim"), (hit["title"], "bold"), (f"  {place}", "cyan")))
        if hit["heading"]:
            out.print(styled((f"    {hit['heading']}", "magenta")))
        for line in hit["snippet"].splitlines():
            if line.strip():
                out.print("    ", marked(line.strip()), sep="") if out.is_terminal else out.print(
                    f"    {safe(line.strip())}"
                )
        tags = " ".join(f"#{tag}" for tag in hit["tags"])
        out.print(styled((f"    {' · '.join(hit['why'])}", "dim"), (f"  {tags}" if tags else "", "dim green")))
        out.print()
    if not result["hits"] and not result["notices"]:
        tell("Nothing found.")
    for notice in result["notices"]:
        tell(notice)


def unfinished(result: Mapping[str, Any], indexer: Indexer) -> None:
    """Say what a search could not find yet, and when it will be found."""
    from bridge.operations import count_of

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


def tell(line: str) -> None:
    """Say something beside an answer, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(f"{safe(line)}\n")


def read_note(result: dict[str, Any]) -> None:
    """Print a note's text; in a pipe exactly as it is."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(result["text"].encode())
        return
    out = console()
    first, last = result["lines"]
    tags = " ".join(f"#{tag}" for tag in result["tags"])
    out.print(
        styled((result["title"], "bold"), (f"  {result['path']}:{first}-{last}", "cyan"), (f"  {tags}", "dim green"))
    )
    out.print()
    for line in result["text"].splitlines():
        out.print(styled((line, "bold" if line.startswith("#") and line.lstrip("#").startswith(" ") else "")))
    if "next" in result:
        (first, last), offset = result["next"]["lines"], result["next"]["offset"]
        tell(f"Cut here; --lines {first}-{last} --offset {offset} reads on.")


def links(result: dict[str, Any]) -> None:
    """Print the links of a note, in both directions."""
    out = console()
    for name, title in (("links", "Links to"), ("backlinks", "Linked from"), ("unresolved", "Unresolved")):
        if result[name]:
            out.print(styled((title, "bold")))
        for link in result[name]:
            shown = link["path"] or link["target"]
            part = (f"#^{link['block']}" if link["block"] else f"#{link['heading'] or ''}").rstrip("#")
            # A link of the note itself stands on a line of it, and names a part of another.
            place = (
                f"{shown}:{link['line']}{f' → {part}' if part else ''}"
                if name == "backlinks"
                else f"{link['line']:>4}  {shown}{part if link['path'] else ''}"
            )
            label = link["text"] if link["text"] != link["target"] else ""
            out.print(styled((f"  {place}", "cyan"), (f"  {label}" if label else "", "dim")))
            if link.get("context"):
                out.print(styled((f"    {link['context']}", "")))
        if (left := result["totals"][name] - result["offset"] - len(result[name])) > 0:
            out.print(f"  … and {left:,} more; --offset shows them")
    if said := result.get("mentions"):
        out.print(styled(("Mentioned without a link", "bold")))
    for one in said or ():
        out.print(styled((f"  {one['path']}:{one['line']}", "cyan"), (f"  {one['context']}", "dim")))
    if not any(result["totals"].values()) and not result.get("mentions_total"):
        tell("It links to nothing, and nothing links to it.")


def resolved(result: dict[str, Any]) -> None:
    """Print where a link leads, as a link would say it."""
    if result["path"] is None:
        tell("It points to no note.")
        return
    block = f"^{result['block']}" if result["block"] else None
    sys.stdout.write("#".join(cell(part) for part in (result["path"], result["heading"], block) if part) + "\n")


def listed(
    name: str, columns: Sequence[str], *, headed: bool = False, empty: str = "Nothing found."
) -> Callable[[dict[str, Any]], None]:
    """Return a printer of a list of records.

    Args:
        name: The field that holds them.
        columns: What is shown of each.
        headed: Name the columns in a pipe too: what is made to be read, not to be cut into fields.
        empty: What to say when there is none.
    """

    def print_list(result: dict[str, Any]) -> None:
        table(result[name], columns, headed=headed)
        for notice in result.get("notices", ()):
            tell(notice)
        if not result[name] and not result.get("notices"):
            tell(empty)
        elif "total" in result and result["total"] > len(result[name]):
            tell(f"{len(result[name]):,} of {result['total']:,}; --offset shows more.")

    return print_list


def table(rows: Rows, columns: Sequence[str], *, headed: bool = False) -> None:
    """Print records as a table; in a pipe with tabs between the columns, whole and unaligned."""
    if not rows:
        return
    if not sys.stdout.isatty():
        lines = [[cell(row[column]) for column in columns] for row in rows]
        for line in [list(map(heading, columns)), *lines] if headed else lines:
            sys.stdout.write("\t".join(line) + "\n")
        return
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    out = console()
    made = Table(box=None, header_style="dim", pad_edge=False)
    for column in columns:
        numbers = all(isinstance(row[column], int | float) for row in rows)
        made.add_column(heading(column), justify="right" if numbers else "left", no_wrap=True)
    for row in rows:
        made.add_row(*(Text(cell(row[column])) for column in columns))
    if Measurement.get(out, out.options.update_width(WIDE), made).maximum <= out.width:
        out.print(made, soft_wrap=False)
    else:
        blocks(rows, columns)


def blocks(rows: Rows, columns: Sequence[str]) -> None:
    """Print records that are too wide for a table: a path is never broken, so that it can be copied."""
    from rich.padding import Padding

    out = console()
    for row in rows:
        first, *rest = columns
        out.print(styled((cell(row[first]), "bold")))
        facts = [(column, row[column]) for column in rest if cell(row[column])]
        short = [(f"{heading(column)} {cell(value)}", "") for column, value in facts if column not in PATHS]
        if short:
            parts = [part for fact in short for part in ((" · ", "dim"), fact)][1:]
            out.print(Padding(styled(*parts), (0, 0, 0, 4)), soft_wrap=False)
        for value in (value for column, value in facts if column in PATHS):
            for path in value if isinstance(value, list) else [value]:
                out.print(styled((f"    {cell(path)}", "cyan")))


def heading(column: str) -> str:
    """Name a column."""
    return column.replace("_", " ")


def cell(value: Any) -> str:
    """Write a value on one line."""
    if isinstance(value, list):
        return " ".join(cell(item) for item in value)
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(safe(value).split())


def anything(result: dict[str, Any]) -> None:
    """Print a record by its fields."""
    for name, value in result.items():
        for line in lines_of(name, value):
            sys.stdout.write(f"{line}\n")


def lines_of(name: str, value: Any) -> Iterable[str]:
    """Write one field, a list of records with a line each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{name}:"
        yield from ("  " + "  ".join(filter(None, map(cell, item.values()))) for item in value)
    elif value not in (None, [], ""):
        yield f"{name}: {cell(value)}"


SHOWN: dict[str, Callable[[dict[str, Any]], None]] = {
    "SearchResult": hits,
    "ReadNote": read_note,
    "NoteLinks": links,
    "ResolvedLink": resolved,
    "FoundNotes": listed("notes", ("path", "title", "tags", "modified")),
    "TaskList": listed("tasks", ("path", "line", "status", "text", "due")),
    "FolderList": listed("folders", ("path", "notes")),
    "TagList": listed("tags", ("tag", "count")),
    "ListedClients": listed("clients", ("id", "name", "scopes", "preset", "created", "last_used"), empty="No clients."),
    "SettingsInUse": listed("settings", ("name", "value", "default", "meaning"), headed=True),
}
"""By the record that an operation answers with: two that answer alike are shown alike."""
