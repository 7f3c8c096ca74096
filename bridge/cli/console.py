"""Prints text, tables and notices: formatted in a terminal, plain lines in a pipe."""

import os
import sys
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import orjson

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Rows = Sequence[Mapping[str, Any]]

Indexer = Literal["running", "paused", "none"]
"""What happens to passages that have no vector yet."""


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


def styled_text(*parts: "tuple[object, str] | Text") -> "Text":
    """Join parts of different styles."""
    from rich.text import Text

    return Text.assemble(*((strip_control(one[0]), one[1]) if isinstance(one, tuple) else one for one in parts))


def highlight(snippet: str, style: str = "") -> "Text":
    """Show the highlights of a snippet in the terminal."""
    from rich.text import Text

    text = Text(style=style)
    for number, part in enumerate(strip_control(snippet).split("==")):
        text.append(part, "bold yellow" if number % 2 else "")
    return text


def json_line(result: Any) -> None:
    """Print a result as one line of JSON."""
    sys.stdout.buffer.write(orjson.dumps(result) + b"\n")
    sys.stdout.buffer.flush()


def print_message(line: str) -> None:
    """Print a line beside the result, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(f"{strip_control(line)}\n")


def table(
    rows: Rows,
    columns: Sequence[str],
    *,
    headed: bool = False,
    paths: Collection[str] = (),
    details: Collection[str] = (),
) -> None:
    """Print records as a table; in a pipe unaligned and complete, with tabs between the columns.

    Args:
        rows: The records.
        columns: The fields shown of each; in a terminal without those that are empty everywhere.
        headed: Whether columns are named in a pipe too, for output to be read rather than cut into fields.
        paths: The columns that hold paths.
        details: The columns that a terminal leaves out if it is too narrow.
    """
    if not rows:
        return
    if not sys.stdout.isatty():
        lines = [[cell(row.get(column)) for column in columns] for row in rows]
        for line in [list(map(heading, columns)), *lines] if headed else lines:
            sys.stdout.write("\t".join(line) + "\n")
        return
    columns = [column for column in columns if any(cell(row.get(column)) for row in rows)]
    essential = [column for column in columns if column not in details]
    if not print_aligned(rows, columns) and not (details and print_aligned(rows, essential)):
        blocks(rows, essential, paths)


def print_aligned(rows: Rows, columns: Sequence[str]) -> bool:
    """Print records in aligned columns, and say whether the terminal was wide enough for it."""
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    out = console()
    made = Table(box=None, header_style="dim", pad_edge=False, show_header=len(columns) > 1)
    for column in columns:
        numbers = all(isinstance(row.get(column), int | float) for row in rows)
        made.add_column(heading(column), justify="right" if numbers else "left", no_wrap=True)
    for row in rows:
        made.add_row(*(Text(cell(row.get(column))) for column in columns))
    if Measurement.get(out, out.options.update_width(WIDE), made).maximum > out.width:
        return False
    out.print(made, soft_wrap=False)
    return True


def blocks(rows: Rows, columns: Sequence[str], paths: Collection[str]) -> None:
    """Print records that are too wide for a table; paths are never broken, so that they can be copied."""
    from rich.padding import Padding

    out = console()
    for row in rows:
        first, *rest = columns
        out.print(styled_text((cell(row.get(first)), "bold")))
        facts = [(column, row[column]) for column in rest if cell(row.get(column))]
        short = [(f"{heading(column)} {cell(value)}", "") for column, value in facts if column not in paths]
        if short:
            parts = [part for fact in short for part in ((" · ", "dim"), fact)][1:]
            out.print(Padding(styled_text(*parts), (0, 0, 0, 4)), soft_wrap=False)
        for value in (value for column, value in facts if column in paths):
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
