"""Parses Google-style docstrings, the one place where operations and their results are described."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from bridge.docstrings import docstring_of
from bridge.records import dataclass

SECTIONS = ("Args", "Attributes", "Raises", "Returns")
ITEM = re.compile(r"(\w+): (.*)")


@dataclass(frozen=True, slots=True)
class Docstring:
    """A parsed docstring; each item's text is one paragraph."""

    summary: str
    details: str
    items: Mapping[str, Mapping[str, str]]
    """By section, then by name."""

    def section(self, name: str) -> Mapping[str, str]:
        """Return the items of a section, empty if it is absent."""
        return self.items.get(name, {})


def parse_docstring(documented: type | Callable[..., Any]) -> Docstring:
    """Parse the docstring of a function or class; a class also has the attributes that its bases describe."""
    paragraphs: list[str] = []
    items: dict[str, dict[str, str]] = {}
    for base in documented.__bases__ if isinstance(documented, type) else ():
        if inherited := parse_docstring(base).section("Attributes"):
            items.setdefault("Attributes", {}).update(inherited)
    section: dict[str, str] | None = None
    name = ""
    for line in docstring_of(documented).splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            section = items.setdefault(line.rstrip(":"), {})
        elif section is None:
            paragraphs.append(line)
        elif found := ITEM.fullmatch(line.strip()) if line.startswith("    ") and line[4:5] != " " else None:
            name = found[1]
            section[name] = found[2]
        elif line.strip() and name:
            section[name] += " " + line.strip()
    summary, _, details = "\n".join(paragraphs).strip().partition("\n\n")
    return Docstring(unwrap(summary), "\n\n".join(unwrap(p) for p in details.split("\n\n") if p.strip()), items)


def unwrap(paragraph: str) -> str:
    return " ".join(paragraph.split())
