"""Prints text, tables and notices: formatted in a terminal, plain lines in a pipe."""

import json
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from bridge.errors import BridgeError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


Rows = Sequence[Mapping[str, Any]]

Indexer = Literal["running", "paused", "none"]
"""What happens to passages that have no vector yet."""


_TIME = re.compile(r"(?P<name>[\w ]+: )?(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))")
"""A time with its zone, alone or behind the name of a field."""

MAX_PATHS = 10
"""Paths of one record that a terminal shows."""

AMPLE_COLUMNS = 100_000
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
    written = str(text)
    if written.isprintable():
        return written
    import unicodedata

    return "".join(c for c in written if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})


CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
"""The terminal's codes of the words that a style consists of."""


def print_styled(*parts: tuple[object, str]) -> None:
    if os.name == "nt":
        # A console there must first be told to read escape sequences, or else be called for each colour.
        console().print(styled_text(*parts))
    else:
        sys.stdout.write("".join(apply_style(strip_control(text), style) for text, style in parts) + "\n")


def apply_style(text: str, style: str) -> str:
    """Put a text between the codes of a style, as rich does, which takes as long to load as the rest of a command."""
    words = [word for word in style.split() if word in {"bold", "dim"} or not os.environ.get("NO_COLOR")]
    if not text or not words or os.environ.get("TERM", "").lower() in {"dumb", "unknown"}:
        return text
    return f"\x1b[{';'.join(CODES[word] for word in words)}m{text}\x1b[0m"


def styled_text(*parts: tuple[object, str]) -> "Text":
    from rich.text import Text

    return Text.assemble(*((strip_control(text), style) for text, style in parts))


def highlight(snippet: str) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(snippet.split("==")):
        yield part, "bold yellow" if number % 2 else ""


def json_line(result: Any) -> None:
    print_bytes(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode())


def print_bytes(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def print_message(line: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"{strip_control(line)}\n")


def log_warnings() -> None:
    import logging

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")


def table(
    rows: Rows,
    columns: Sequence[str],
    *,
    paths: Collection[str] = (),
    details: Collection[str] = (),
) -> None:
    """Print records as a table; in a pipe one a line, complete and without a heading, with tabs between the columns."""
    if not rows:
        return
    if not sys.stdout.isatty():
        # The path of a record comes first.
        columns = sorted(columns, key=lambda column: column != "path")
        for row in rows:
            cells = (cell(row.get(column), " | " if column in paths else " ") for column in columns)
            sys.stdout.write("\t".join(cells) + "\n")
        return
    columns = [column for column in columns if any(cell(row.get(column)) for row in rows)]
    essential = [column for column in columns if column not in details]
    if not print_aligned(rows, columns) and not (details and print_aligned(rows, essential)):
        blocks(rows, essential, paths)


def print_aligned(rows: Rows, columns: Sequence[str]) -> bool:
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
    if Measurement.get(out, out.options.update_width(AMPLE_COLUMNS), made).maximum > out.width:
        return False
    out.print(made, soft_wrap=False)
    return True


def blocks(rows: Rows, columns: Sequence[str], paths: Collection[str]) -> None:
    """Print records that are too wide for a table; paths are never broken, so that they can be copied."""
    from rich.padding import Padding

    out = console()
    for row in rows:
        # In a column such as the folder, nothing means all of the vault.
        first, *rest = [column for column in columns if cell(row.get(column))] or columns
        out.print(styled_text((cell(row.get(first)), "bold")))
        facts = [(column, row[column]) for column in rest]
        short = [(f"{heading(column)} {cell(value)}", "") for column, value in facts if column not in paths]
        if short:
            parts = [part for fact in short for part in ((" · ", "dim"), fact)][1:]
            out.print(Padding(styled_text(*parts), (0, 0, 0, 4)), soft_wrap=False)
        for value in (value for column, value in facts if column in paths):
            listed = value if isinstance(value, list) else [value]
            for path in listed[:MAX_PATHS]:
                out.print(styled_text((f"    {cell(path)}", "cyan")))
            if len(listed) > MAX_PATHS:
                out.print(styled_text((f"    and {len(listed) - MAX_PATHS} more", "dim")))


def heading(column: str) -> str:
    return column.replace("_", " ")


def cell(value: Any, between: str = " ") -> str:
    if isinstance(value, list):
        return between.join(cell(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{heading(str(name))} {cell(one)}".strip() for name, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(local_time(strip_control(value)).split())


def local_time(value: str) -> str:
    """Return a text that is a time as the clock on the wall shows it, any other as it is."""
    found = _TIME.fullmatch(value)
    if found is None:
        return value
    from datetime import datetime

    try:
        when = datetime.fromisoformat(found["time"]).astimezone()
    except (ValueError, OverflowError, OSError):
        return value
    return f"{found['name'] or ''}{when:%Y-%m-%d %H:%M}"


class NotConfirmed(BridgeError):
    """Nobody said yes."""

    code = "confirmation_required"
    hint = "Repeat this with `--yes`."


def is_asked() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask a question; anything but a yes, and a program that cannot be asked, is a no."""
    if not is_asked():
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}
