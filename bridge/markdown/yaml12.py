"""YAML as Obsidian reads it: YAML 1.2 with dates as strings, and a limit on expansion."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field
from yaml import (
    AliasEvent,
    CBaseLoader,
    MappingEndEvent,
    MappingStartEvent,
    Mark,
    MarkedYAMLError,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
    YAMLError,
)

from bridge.markdown.note import Value
from bridge.types import Span

MAX_DEPTH: Final = 32
MAX_COST: Final = 20_000
_CHARACTERS_PER_COST: Final = 64

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START: Final = frozenset("0123456789+-.")
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_BASED_INTEGER: Final = re.compile(r"0o[0-7]{1,20}|0x[0-9a-fA-F]{1,15}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_RESOLVED_TAGS: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class Properties(Struct):
    """A property block's values, and their places in the block."""

    values: dict[str, Value] = field(default_factory=dict)
    items: dict[str, list[tuple[Value, int]]] = field(default_factory=dict)
    """For each name its single value, or the values of its list, with their offsets."""
    linked: list[tuple[str, Span]] = field(default_factory=list)
    """Texts that may hold links."""
    repeated: list[tuple[str, int]] = field(default_factory=list)
    """Names that occur more than once, with the offset of each repetition."""


def resolve_scalar(text: str) -> Value:
    """Resolve a plain scalar by the core schema of YAML 1.2; values that JSON cannot represent stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _BASED_INTEGER.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


class PropertyLoader(CBaseLoader):
    """A loader for `yaml.load` that returns `Properties`."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.found = Properties()
        self.anchors: dict[str, tuple[Value, int]] = {}
        self.cost = 0

    def get_single_data(self) -> Properties:
        """Parse the only document of the block."""
        self._next()
        if isinstance(self._next(), StreamEndEvent):
            return self.found
        first = self._next()
        if isinstance(first, MappingStartEvent):
            self._document()
        elif not (isinstance(first, ScalarEvent) and first.value == ""):
            raise _unreadable_error("it is not a list of names and values", first)
        self._next()
        following = self._next()
        if not isinstance(following, StreamEndEvent):
            raise _unreadable_error("it holds more than one document", following)
        return self.found

    def dispose(self) -> None:
        """Do nothing; `yaml.load` calls it at the end and the loader holds no resources."""

    def _next(self) -> Any:
        return self.get_event()

    def _document(self) -> None:
        found = self.found
        while not isinstance(key_event := self._next(), MappingEndEvent):
            key = self._key(key_event, 0)
            if key in found.values:
                found.repeated.append((key, key_event.start_mark.index))
            event = self._next()
            at = event.start_mark.index
            offsets: list[int] = []
            value = self._value(event, 1, offsets)
            found.values[key] = value
            if isinstance(value, list):
                found.items[key] = list(zip(value, offsets or [at] * len(value), strict=True))
            else:
                found.items[key] = [(value, at)]

    def _value(self, event: Any, depth: int, offsets: list[int] | None = None) -> Value:
        if isinstance(event, AliasEvent):
            if event.anchor not in self.anchors:
                raise _unreadable_error(f"`*{event.anchor}` names nothing", event)
            value, cost = self.anchors[event.anchor]
            self._spend(cost, event)
            return value
        before = self.cost
        value = self._read_node(event, depth, offsets)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.cost - before)
        return value

    def _read_node(self, event: Any, depth: int, offsets: list[int] | None) -> Value:
        if isinstance(event, ScalarEvent):
            self._spend(1 + len(event.value) // _CHARACTERS_PER_COST, event)
            return self._scalar(event)
        self._spend(1, event)
        if depth > MAX_DEPTH:
            raise _unreadable_error("it is nested too deeply", event)
        if isinstance(event, MappingStartEvent):
            return self._mapping(depth)
        return self._sequence(depth, offsets)

    def _scalar(self, event: Any) -> Value:
        text: str = event.value
        if event.implicit[0] or event.tag in _RESOLVED_TAGS:
            return resolve_scalar(text)
        if "[[" in text or "](" in text:
            self.found.linked.append((text, (event.start_mark.index, event.end_mark.index)))
        return text

    def _sequence(self, depth: int, offsets: list[int] | None) -> list[Value]:
        values: list[Value] = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            if offsets is not None:
                offsets.append(event.start_mark.index)
            values.append(self._value(event, depth + 1))
        return values

    def _mapping(self, depth: int) -> dict[str, Value]:
        values: dict[str, Value] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            key = self._key(event, depth)
            self._enter(values, key, event)
            values[key] = self._value(self._next(), depth + 1)
        return values

    def _enter(self, values: Mapping[str, Value], key: str, event: Any) -> None:
        """Keep what is asked of an entry beside its value."""
        if key in values:
            self.found.repeated.append((key, event.start_mark.index))

    def _key(self, event: Any, depth: int) -> str:
        if isinstance(event, ScalarEvent) and event.anchor is None:
            self._spend(1, event)
            text: str = event.value
            return text
        value = self._value(event, depth + 1)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def _spend(self, cost: int, event: Any) -> None:
        self.cost += cost
        if self.cost > MAX_COST:
            raise _unreadable_error("it grows too large", event)


def _unreadable_error(why: str, event: Any) -> MarkedYAMLError:
    return MarkedYAMLError(problem=why, problem_mark=event.start_mark)


MAX_BYTES: Final = 64 * 1024
"""Bytes of such a text."""


class YamlText(Struct):
    """The values of a YAML text.

    Attributes:
        values: They, by name.
        lines: The line of each entry, from 1, by the identity of the mapping that holds it, and its name.
        repeated: Names that stand twice in a mapping, each with the line of its repetition.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    lines: dict[tuple[int, str], int] = field(default_factory=dict)
    repeated: list[tuple[str, int]] = field(default_factory=list)

    def line_of(self, holder: object, name: str | None = None) -> int:
        """Return the line of an entry of a mapping, or of its first one; 1 if that is unknown."""
        if name is None and isinstance(holder, Mapping):
            name = next(iter(holder), None)
        return self.lines.get((id(holder), str(name)), 1)


class WrongYaml(Exception):
    """A text is no YAML, for a reason, in a line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"The YAML cannot be read: {reason}.")
        self.reason, self.line = reason, line


def mark_of(error: MarkedYAMLError) -> Mark | None:
    """Return the place of an error: a missing `:` after a name is noticed in the line below."""
    found = error.context_mark if error.context == "while scanning a simple key" else None
    return found or error.problem_mark


def read_yaml(text: str) -> YamlText:
    """Read a YAML text that is a mapping, with the limits that hold for the properties of notes."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise WrongYaml(f"it is longer than {MAX_BYTES // 1024} KiB", 1)
    try:
        loader = _LineLoader(text)
        loader.get_single_data()
    except MarkedYAMLError as error:
        mark = mark_of(error)
        raise WrongYaml(error.problem or "no YAML", (mark.line if mark else 0) + 1) from None
    except (YAMLError, UnicodeEncodeError) as error:
        raise WrongYaml(str(getattr(error, "reason", "") or "it has characters that YAML does not allow"), 1) from None
    return loader.read


class _LineLoader(PropertyLoader):
    """A loader that keeps the line of each entry."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.read = YamlText()

    def _document(self) -> None:
        self.read.values = self._mapping(0)

    def _enter(self, values: Mapping[str, Value], key: str, event: Any) -> None:
        line = event.start_mark.line + 1
        if key in values:
            self.read.repeated.append((key, line))
        self.read.lines[id(values), key] = line
