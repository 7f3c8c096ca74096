"""YAML whose entries are known by their lines, for texts in which faults are named by their place."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from yaml import MappingEndEvent, MarkedYAMLError, YAMLError

from bridge.markdown.note import Value
from bridge.markdown.yaml12 import PropertyLoader
from bridge.records import dataclass

LONGEST: Final = 64 * 1024
"""Bytes of such a text."""


@dataclass(slots=True)
class YamlText:
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
        """Say why, and in which line of the text."""
        super().__init__(f"The YAML cannot be read: {reason}.")
        self.reason, self.line = reason, line


def read_yaml(text: str) -> YamlText:
    """Read a YAML text that is a mapping, with the limits that hold for the properties of notes."""
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise WrongYaml(f"it is longer than {LONGEST // 1024} KiB", 1)
    try:
        loader = _LineLoader(text)
        loader.get_single_data()
    except MarkedYAMLError as error:
        mark = error.context_mark if error.context == "while scanning a simple key" else error.problem_mark
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

    def _mapping(self, depth: int) -> dict[str, Value]:
        values: dict[str, Value] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            line = _line_of(event)
            key = self._key(event, depth)
            if key in values:
                self.read.repeated.append((key, line))
            self.read.lines[id(values), key] = line
            values[key] = self._value(self._next(), depth + 1)
        return values


def _line_of(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
