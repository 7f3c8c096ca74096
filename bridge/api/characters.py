"""Refuses characters that no note should get from a caller."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bridge.errors import InvalidArguments
from bridge.markdown.frontmatter import read_frontmatter
from bridge.text.lines import LineIndex
from bridge.vault.paths import display_path

REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""They turn the direction of the text around them, so that a name reads as another. Marks, which only spell, do not."""

TAGS = re.compile(r"properties\.tags?(\[\d+\])?", re.IGNORECASE)
"""Where tags stand among properties."""

FOUND = {"old"}
"""Arguments with text to find, which may be there already."""


def require_writable_text(name: str, value: Any) -> None:
    """Require text that a note can hold; names in properties are checked as well, and properties in a text."""
    if name in FOUND:
        return
    for place, text in texts_in(name, value):
        if "\0" in text:
            raise InvalidArguments(
                f"`{place}` contains a NUL character, at {text.index(chr(0)) + 1:,} of {len(text):,}; "
                "a note with one is not text.",
                hint="Leave the character out.",
            )
        if TAGS.fullmatch(place):
            require_plain_name(text, "tag")
        if text.startswith("---"):
            require_writable_text("properties", _properties_of(text))


def _properties_of(text: str) -> Mapping[str, Any]:
    return read_frontmatter(text, LineIndex(text)).properties


def require_plain_name(name: str, what: str, known: Collection[str] = ()) -> None:
    """Require a name, or the names of a path, without characters that reorder its text."""
    for part in name.split("/"):
        if part not in known and (found := REORDERING.search(part)):
            character = f"U+{ord(found[0]):04X} ({unicodedata.name(found[0])})"
            raise InvalidArguments(
                f"The {what} `{display_path(name)}` contains {character}, which makes it read as another name.",
                hint="Leave the character out.",
            )


def texts_in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield name, value
        case Mapping():
            for key, each in value.items():
                yield name, str(key)
                yield from texts_in(f"{name}.{key}", each)
        case list() | tuple():
            for at, each in enumerate(value):
                yield from texts_in(f"{name}[{at}]", each)
