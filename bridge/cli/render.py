"""Prints results for a person: coloured in a terminal, plain text in a pipe."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from bridge.cli.catalogue import PROGRAM, operation_commands, typed_name
from bridge.cli.console import Indexer, highlight, local_time, print_message, print_styled, strip_control, table

STYLES = {
    "title": "bold",
    "heading": "magenta",
    "path": "cyan",
    "muted": "dim",
    "tag": "dim green",
    "ok": "green",
    "warning": "yellow",
    "error": "red",
}
"""The theme: the style of each role."""

DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}

SECTION = "section"
"""The column of a record's section in a pipe."""


HINT = re.compile(r"`(\w+)(: (?:\[\d+, \d+\]|[\w.-]+)| \w[\w-]*(?: \w+)?)?`")
"""The name of an operation or an argument, which may have a value."""

VALUE = re.compile(r"[\[\]:]")


def show(operation: str, view: Sequence[Mapping[str, Any]]) -> None:
    """Print the result of an operation; notices follow it on standard error."""
    # A pipe gets a document exactly as it is, and records without anything between them.
    alone = not sys.stdout.isatty() and any(map(is_data, view))
    heads = dict.fromkeys(filter(None, map(head_of, view))) if alone else ()
    beside = [f"Columns: {head}" for head in heads]
    for element in view:
        if element["kind"] == "line" and (element["notice"] or alone):
            beside.append("".join(text for text, _ in element["segments"]))
        else:
            print_element(element, operation)
    sys.stdout.flush()
    for text in filter(None, beside):
        print_message(translate_hint(text, operation))


def head_of(element: Mapping[str, Any]) -> str:
    """Return the names of the columns in which the records of an element stand in a pipe; empty for one column."""
    records = element if element["kind"] == "table" else element.get("records")
    if not records or not records["rows"] or len(records["columns"]) == 1:
        return ""
    first, *others = sorted(records["columns"], key=lambda column: column != "path")
    return ", ".join([first, *([SECTION] if element["kind"] == "section" else []), *others])


def is_data(element: Mapping[str, Any]) -> bool:
    match element["kind"]:
        case "table":
            return True
        case "records" | "section":
            return element["records"] is not None
        case "document":
            return not element["end"]
        case _:
            return False


def print_element(element: Mapping[str, Any], operation: str) -> None:
    match element["kind"]:
        case "line":
            print_line(element["segments"], operation)
        case "table":
            print_table(element)
        case "records" if sys.stdout.isatty():
            for line in element["lines"]:
                print_line(line["segments"], operation)
        case "records":
            print_table(element["records"])
        case "section":
            print_section(element, operation)
        case "document":
            print_document(element["text"], element["end"])
        case "diff":
            print_diff(element["text"])


def print_section(section: Mapping[str, Any], operation: str) -> None:
    """Print a section; in a pipe its records only, each with the section's title after its first column."""
    records, lines = section["records"], section["lines"]
    if records is not None and not sys.stdout.isatty():
        first, *others = records["columns"]
        rows = [{**row, SECTION: section["title"]} for row in records["rows"]]
        print_table({**records, "columns": [first, SECTION, *others], "rows": rows})
        return
    if sys.stdout.isatty():
        sys.stdout.write("\n")
    print_line(section["head"], operation)
    if lines is None:
        print_table(records)
        return
    for line in lines:
        print_line([("- ", ""), *line["segments"]], operation)


def print_line(segments: Iterable[tuple[str, str]], operation: str) -> None:
    texts = [(translate_hint(text, operation) if role == "hint" else local_time(text), role) for text, role in segments]
    if not sys.stdout.isatty():
        sys.stdout.write(strip_control("".join(text for text, _ in texts)) + "\n")
        return
    parts = (highlight(text) if role == "snippet" else [(text, STYLES.get(role, ""))] for text, role in texts)
    print_styled(*chain.from_iterable(parts))


def print_table(element: Mapping[str, Any]) -> None:
    rows, columns, shares = element["rows"], element["columns"], element.get("shares", ())
    if sys.stdout.isatty():
        columns = [column for column in columns if column not in element.get("pipes", ())]
        rows = [{name: for_people(value, share=name in shares) for name, value in row.items()} for row in rows]
    table(rows, columns, paths=element["paths"], details=element["details"])


def for_people(value: Any, *, share: bool) -> Any:
    """Return a cell as a person reads it: a share as a percentage, and nothing for no."""
    if share and isinstance(value, int | float):
        return f"{value:.0%}"
    return None if value is False else value


def print_document(text: str, end: str) -> None:
    """Print a document; in a pipe exactly as it is."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        if end:
            sys.stdout.write(("" if text.endswith("\n") else "\n") + f"{end}\n")
        return
    print_styled()
    for line in text.splitlines():
        print_styled((line, "bold" if line.startswith("#") and line.lstrip("#").startswith(" ") else ""))
    print_styled()


def print_diff(text: str) -> None:
    """Print a diff; in a pipe unformatted, so that it can be applied."""
    if not sys.stdout.isatty():
        sys.stdout.write(strip_control(text))
        return
    for line in text.splitlines():
        style = "bold" if line.startswith(("--- ", "+++ ", "rename ")) else DIFF_STYLES.get(line[:1], "")
        print_styled((line, style))


def explain_backlog(result: Mapping[str, Any], indexer: Indexer) -> None:
    """Say what becomes of passages that a search cannot find by meaning yet, unless they are being embedded."""
    if result["freshness"]["pending_vectors"] and result["mode_used"] != "keyword":
        match indexer:
            case "paused":
                print_message("Embedding is paused; `vaultside resume-indexing` resumes it.")
            case "none":
                print_message("`vaultside index` embeds them now, `vaultside serve` in the background.")
            case "running":
                pass


def translate_hint(hint: str, command: str) -> str:
    """Replace operation and argument names in a hint by the commands and options that a user types."""
    operations = operation_commands()

    def typed(found: re.Match[str]) -> str:
        name, value = typed_name(found[1]), found[2] or ""
        if found[1] in operations and not value.startswith(":"):
            return f"`{PROGRAM} {name}{value}`"
        value = VALUE.sub("", value).replace(", ", "-")
        return f"`--{name}{value}`" if found[1] in operations[command]["arguments"] else found[0]

    return HINT.sub(typed, hint)
