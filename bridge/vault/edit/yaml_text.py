"""Values as YAML, written as Obsidian writes them and so that they read back the same."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from bridge.vault.note import Value
from bridge.vault.property_yaml import resolve_scalar

Quote = Literal["'", '"']

# What Obsidian's YAML library does not write plain: indicators in front, `: ` and ` #` inside, spaces at the ends.
_NOT_PLAIN: Final = re.compile(r"^[\s,\[\]{}#&*!|>'\"%@`]|^[?:-]$|^[?:-]\s|[\n:]\s|\s\n|\s#|[\s:-]$")
_NOT_PLAIN_IN_FLOW: Final = re.compile(r"[\[\]{},:?]")
# What YAML does not take for printable, or some version of it for a line break; and tabs.
_ODD: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_UNPRINTABLE: Final = re.compile(f"[{_ODD}]")
_ESCAPED: Final = re.compile(rf'[{_ODD}"\\]')
_ESCAPES: Final = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"}
_LITERAL: Final = re.compile(rf"(?=\S)(?:\n(?![ \t]+(?:\n|$))|[^{_ODD}])*(?<=\S)\n?")


def block(value: Value) -> tuple[str, list[str]]:
    """Write a value in block style.

    Returns:
        What stands in the line of its name, and the lines below it, not indented yet.
    """
    match value:
        case None:
            return "", []
        case str() if "\n" in value and _LITERAL.fullmatch(value):
            return ("|" if value.endswith("\n") else "|-"), value.removesuffix("\n").split("\n")
        case Mapping() if value:
            return "", [line for name, held in value.items() for line in named(name, held)]
        case Sequence() if value and not isinstance(value, str):
            return "", [line for held in value for line in item("- ", held)]
        case _:
            return flow(value), []


def named(name: str, value: Value) -> list[str]:
    """Write a name with its value as lines."""
    head, below = block(value)
    return [f"{scalar(name, name=True)}: {head}".rstrip(), *indented(below)]


def item(marker: str, value: Value, quote: Quote | None = None) -> list[str]:
    """Write an item of a list as lines.

    Args:
        marker: What stands in front, such as `  - `.
        value: The item.
        quote: How a text is quoted, when its neighbours are.
    """
    head, below = block(value)
    if quote and isinstance(value, str) and not below:
        head = scalar(value, quote=quote)
    first, rest = (below[0], below[1:]) if below and not head else (head, below)
    return [(marker + first).rstrip(), *indented(rest, " " * len(marker))]


def indented(lines: Sequence[str], by: str = "  ") -> list[str]:
    """Move lines to the right, but for empty ones."""
    return [by + line if line else "" for line in lines]


def flow(value: Value, quote: Quote | None = None) -> str:
    """Write a value in one line."""
    match value:
        case Mapping():
            inner = ", ".join(
                f"{scalar(name, inside=True, name=True)}: {_inner(held, quote)}" for name, held in value.items()
            )
            return f"{{{inner}}}"
        case str() | int() | float() | None:
            return scalar(value, quote=quote)
        case _:
            return f"[{', '.join(_inner(held, quote) for held in value)}]"


def _inner(value: Value, quote: Quote | None) -> str:
    if value is None or isinstance(value, str | int | float):
        return scalar(value, quote=quote, inside=True)
    return flow(value, quote)


def scalar(value: str | float | None, *, quote: Quote | None = None, inside: bool = False, name: bool = False) -> str:
    """Write one text, number, truth or nothing in one line.

    Args:
        value: What to write.
        quote: How to quote a text, also one that needs none.
        inside: It stands in a flow list or mapping.
        name: It is a name, which is a text whatever it looks like.
    """
    if not isinstance(value, str):
        return _number(value)
    told = name or isinstance(resolve_scalar(value), str)
    plain = told and value and not (_NOT_PLAIN.search(value) or _UNPRINTABLE.search(value))
    if plain and quote is None and not (inside and _NOT_PLAIN_IN_FLOW.search(value)):
        return value
    quote = quote or ("'" if '"' in value and "'" not in value else '"')
    if quote == "'" and not _UNPRINTABLE.search(value):
        return "'" + value.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(_escape, value) + '"'


def _number(value: float | None) -> str:
    """Write a number, a truth or nothing."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return repr(value)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPES.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
