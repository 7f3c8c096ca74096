"""Adjusts the headings of a text that goes under another heading."""

import re
from collections.abc import Sequence
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.blocks import read_headings
from bridge.markdown.note import Heading
from bridge.markdown.parse import parse_structure
from bridge.text.lines import LineIndex

DEEPEST: Final = 6
_HASHES: Final = re.compile(r"#{1,6}(?=[ \t]|$)", re.MULTILINE)
_BLOCK_ID: Final = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")


def headings_in(text: str) -> tuple[Heading, ...]:
    return tuple(read_headings(text, parse_structure(text, 0)[0], LineIndex(text)))


def highest_level(headings: Sequence[Heading]) -> int:
    return min(heading.level for heading in headings)


def shift_headings(text: str, by: int) -> str:
    """Make the headings of a text deeper, or higher when `by` is negative."""
    for heading in reversed(headings_in(text) if by else ()):
        level = max(1, heading.level + by)
        if level > DEEPEST:
            raise InvalidArguments(
                f"`{heading.text[:100]}` would be a heading of level {level}; Markdown has {DEEPEST}.",
                hint="Use fewer levels of headings in the text.",
            )
        start, end = heading.span
        source = text[start:end]
        # An underlined heading has at most two levels, so it becomes one with `#`.
        bare = source.rpartition("\n")[0].strip() if "\n" in source else _HASHES.sub("", source, count=1).lstrip()
        text = f"{text[:start]}{'#' * level} {bare}".rstrip() + text[end:]
    return text


def repeated_heading(text: str, heading: Heading) -> Heading | None:
    """Return the heading that a text starts with if it equals the heading that the text goes under."""
    first = next(iter(headings_in(text)), None)
    if first is None or text[: first.span[0]].strip() or comparable_title(first.text) != comparable_title(heading.text):
        return None
    return first


def comparable_title(title: str) -> str:
    """Return a heading's text without its block id, for comparison."""
    return _BLOCK_ID.sub("", title).strip().casefold()
