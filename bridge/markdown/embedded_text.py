"""JSON of other programs, and text inside JSON and YAML strings, with the file offset of each character."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import orjson
import yaml

from bridge.records import Record
from bridge.types import Span


def read_json(text: str, what: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return a JSON object and its problems; an empty object when it cannot be read."""
    if not text.strip():
        return {}, ()
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return {}, (f"The {what} is not valid JSON, line {error.lineno}: {error.msg}.",)
    if not isinstance(value, dict):
        return {}, (f"The {what} is not a JSON object.",)
    return value, ()


def get_objects(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list; other items are skipped."""
    found = value.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def get_text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def get_number(value: Mapping[str, Any], name: str) -> float:
    found = value.get(name)
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else 0.0


Escape = Callable[[str], str]
"""Escapes a text for its place in the file."""

JsonPath = tuple[str | int, ...]

_JSON_UNIT: Final = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)
_DOUBLE_UNIT: Final = re.compile(r"\\x..|\\u....|\\U.{8}|\\.|[^\\]", re.DOTALL)
_SINGLE_UNIT: Final = re.compile(r"''|[^']", re.DOTALL)
_TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"|[{}\[\],:]', re.DOTALL)


def escape_nothing(text: str) -> str:
    return text


def escape_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def escape_single_quoted(text: str) -> str:
    return text.replace("'", "''")


class EmbeddedText(Record):
    """A text embedded in a file."""

    text: str
    starts: tuple[int, ...]
    """File offset of each character, and of the end."""
    ink: Escape

    def span(self, inside: Span) -> Span:
        return self.starts[inside[0]], self.starts[inside[1]]


def read_json_string(file: str, span: Span) -> EmbeddedText:
    return _read_units(file, span, _JSON_UNIT, lambda unit: str(json.loads(f'"{unit}"')), escape_json)


def read_quoted_text(file: str, span: Span) -> EmbeddedText | None:
    start, end = span
    inside = (start + 1, end - 1)
    if end - start < 2 or "\n" in file[start:end]:
        return None
    match file[start], file[end - 1]:
        case '"', '"':
            return _read_units(file, inside, _DOUBLE_UNIT, lambda unit: str(yaml.safe_load(f'"{unit}"')), escape_json)
        case "'", "'":
            return _read_units(file, inside, _SINGLE_UNIT, lambda _: "'", escape_single_quoted)
        case _:
            return None


def json_strings(file: str) -> dict[JsonPath, Span]:
    """Return the spans of the strings of a valid JSON text, without their quotes, by key path."""
    return dict(_strings(file))


def _strings(file: str) -> Iterator[tuple[JsonPath, Span]]:
    path: list[str | int] = []
    key = False
    for token in _TOKEN.finditer(file):
        match token[0]:
            case "{":
                path.append("")
                key = True
            case "[":
                path.append(0)
                key = False
            case "}" | "]":
                path.pop()
                key = False
            case ",":
                last = path[-1]
                key = isinstance(last, str)
                path[-1] = last if isinstance(last, str) else last + 1
            case ":":
                key = False
            case _ if key:
                path[-1] = str(json.loads(token[0]))
            case _:
                yield tuple(path), token.span(1)


def _read_units(
    file: str, span: Span, unit: re.Pattern[str], meaning: Callable[[str], str], ink: Escape
) -> EmbeddedText:
    """Read a text unit by unit; a unit of several characters in the file stands for one character."""
    found = list(unit.finditer(file, *span))
    text = "".join(each[0] if len(each[0]) == 1 else meaning(each[0]) for each in found)
    return EmbeddedText(text, (*(each.start() for each in found), span[1]), ink)
