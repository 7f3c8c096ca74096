"""Prints results for a person: coloured in a terminal, plain text in a pipe."""

import re
import sys
from collections.abc import Mapping
from typing import Any

from bridge.api.markup import Diff, Document, Element, Line, Section, Table
from bridge.api.registry import OPERATIONS, view_of
from bridge.cli.console import Indexer, console, highlight, print_message, strip_control, styled_text, table
from bridge.features import get_operation

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

HINT = re.compile(r"`(\w+)(: (?:\[\d+, \d+\]|[\w.-]+)| \w+)?`")
"""The name of an operation or an argument, which may have a value."""

VALUE = re.compile(r"[\[\]:]")


def show(operation: str, result: dict[str, Any]) -> None:
    """Print the result of an operation; notices follow it on standard error."""
    elements = list(view_of(operation)(result))
    # A pipe gets a document exactly as it is.
    alone = not sys.stdout.isatty() and any(isinstance(one, Document) and not one.end for one in elements)
    beside: list[Line] = []
    for element in elements:
        if isinstance(element, str):
            element = Line(element)  # noqa: PLW2901
        if isinstance(element, Line) and (element.notice or alone):
            beside.append(element)
        else:
            print_element(element, operation)
    sys.stdout.flush()
    for text in filter(None, (line.text(short=False) for line in beside)):
        print_message(translate_hint(text, operation))


def print_element(element: Element, operation: str) -> None:
    """Print one element of a result."""
    match element:
        case str():
            print_line(Line(element), operation)
        case Line():
            print_line(element, operation)
        case Table():
            print_table(element)
        case Section(entries=entries):
            if sys.stdout.isatty():
                sys.stdout.write("\n")
            print_line(element.head(element.size), operation)
            if isinstance(entries, Table):
                print_table(entries)
            for entry in () if isinstance(entries, Table) else entries:
                print_line(Line("- ", *([entry] if isinstance(entry, str) else entry.segments)), operation)
        case Document():
            print_document(element)
        case Diff(text=text):
            print_diff(text)


def print_line(line: Line, operation: str) -> None:
    """Print a line."""
    texts = [
        (translate_hint(one.text, operation) if one.role == "hint" else one.text, one.role) for one in line.segments
    ]
    if not sys.stdout.isatty():
        sys.stdout.write(strip_control("".join(text for text, _ in texts)) + "\n")
        return
    parts = (highlight(text) if role == "snippet" else (text, STYLES.get(role, "")) for text, role in texts)
    console().print(styled_text(*parts))


def print_table(element: Table) -> None:
    """Print a table."""
    names = [column.name for column in element.columns]
    paths = {column.name for column in element.columns if column.role == "path"}
    details = {column.name for column in element.columns if column.detail}
    table(element.rows, names, headed=element.headed, paths=paths, details=details)


def print_document(document: Document) -> None:
    """Print a document; in a pipe exactly as it is."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(document.text.encode())
        if document.end:
            sys.stdout.write(("" if document.text.endswith("\n") else "\n") + f"{document.end}\n")
        return
    out = console()
    out.print()
    for line in document.text.splitlines():
        out.print(styled_text((line, "bold" if line.startswith("#") and line.lstrip("#").startswith(" ") else "")))
    out.print()


def print_diff(text: str) -> None:
    """Print a diff; in a pipe unformatted, so that it can be applied."""
    if not sys.stdout.isatty():
        sys.stdout.write(strip_control(text))
        return
    out = console()
    for line in text.splitlines():
        style = "bold" if line.startswith(("--- ", "+++ ", "rename ")) else DIFF_STYLES.get(line[:1], "")
        out.print(styled_text((line, style)))


def explain_backlog(result: Mapping[str, Any], indexer: Indexer) -> None:
    """Say what becomes of passages that a search cannot find by meaning yet, unless they are being embedded."""
    if result["freshness"]["pending_vectors"] and result["mode_used"] != "keyword":
        match indexer:
            case "paused":
                print_message("Embedding is paused; `vault-bridge resume-indexing` resumes it.")
            case "none":
                print_message("`vault-bridge index` embeds them now, `vault-bridge serve` in the background.")
            case "running":
                pass


def translate_hint(hint: str, command: str) -> str:
    """Replace operation and argument names in a hint by the commands and options that a user types."""
    arguments = {argument.name for argument in get_operation(command).arguments}

    def typed(found: re.Match[str]) -> str:
        name, value = found[1].replace("_", "-"), found[2] or ""
        if found[1] in OPERATIONS and not value.startswith(":"):
            return f"`vault-bridge {name}{value}`"
        value = VALUE.sub("", value).replace(", ", "-")
        return f"`--{name}{value}`" if found[1] in arguments else found[0]

    return HINT.sub(typed, hint)
