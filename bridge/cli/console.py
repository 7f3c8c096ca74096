"""Prints text, tables and notices: formatted in a terminal, plain lines in a pipe."""

import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Rows = Sequence[Mapping[str, Any]]


PATHS = frozenset({"path", "paths", "examples"})
"""Columns that hold paths."""


WIDE = 100_000
"""A terminal width in columns at which every table fits."""


def console() -> "Console":
    """Return standard output; in a pipe, lines are never wrapped."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # The library would exit with a status of its own.
            raise BrokenPipeError

    return Output(
        highlight=False, markup=False, emoji=False, soft_wrap=True, no_color=bool(os.environ.get("NO_COLOR")) or None
    )


def strip_control(text: object) -> str:
    """Remove characters that would control the terminal."""
    return "".join(c for c in str(text) if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})


def styled_text(*parts: tuple[object, str]) -> "Text":
    """Join parts of different styles."""
    from rich.text import Text

    return Text.assemble(*((strip_control(text), style) for text, style in parts))


def highlight(snippet: str, style: str = "") -> "Text":
    """Show the highlights of a snippet in the terminal."""
    from rich.text import Text

    text = Text(style=style)
    for number, part in enumerate(strip_control(snippet).split("==")):
        text.append(part, "bold yellow" if number % 2 else "")
    return text


def tell(line: str) -> None:
    """Print a line beside the result, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(f"{strip_control(line)}\n")


def list_view(
    name: str, columns: Sequence[str], *, headed: bool = False, empty: str = "Nothing found."
) -> Callable[[dict[str, Any]], None]:
    """Return a printer for a list of records.

    Args:
        name: The field that holds them.
        columns: The fields shown of each.
        headed: Whether columns are named in a pipe too, for output to be read rather than cut into fields.
        empty: The message if there are none.
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
    """Print records as a table; in a pipe unaligned and complete, with tabs between the columns."""
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
    """Print records that are too wide for a table; paths are never broken, so that they can be copied."""
    from rich.padding import Padding

    out = console()
    for row in rows:
        first, *rest = columns
        out.print(styled_text((cell(row[first]), "bold")))
        facts = [(column, row[column]) for column in rest if cell(row[column])]
        short = [(f"{heading(column)} {cell(value)}", "") for column, value in facts if column not in PATHS]
        if short:
            parts = [part for fact in short for part in ((" · ", "dim"), fact)][1:]
            out.print(Padding(styled_text(*parts), (0, 0, 0, 4)), soft_wrap=False)
        for value in (value for column, value in facts if column in PATHS):
            for path in value if isinstance(value, list) else [value]:
                out.print(styled_text((f"    {cell(path)}", "cyan")))


def heading(column: str) -> str:
    """Return a column's heading."""
    return column.replace("_", " ")


def cell(value: Any) -> str:
    """Format a value on one line."""
    if isinstance(value, list):
        return " ".join(cell(item) for item in value)
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(strip_control(value).split())
