"""The items of a note's lists, and their spacing."""

import re
from typing import Final

from bridge.markdown.edit.draft import Draft
from bridge.markdown.structure import Part

MARKER: Final = re.compile(
    r"(?P<sign>[-*+]|(?P<number>[0-9]{1,9})(?P<closing>[.)]))(?P<space>[ \t]+|(?=\r?$))", re.MULTILINE
)
BOX: Final = re.compile(r"\[[^\r\n]\](?:[ \t]+|(?=\r?$))", re.MULTILINE)


def items_of(draft: Draft, part: Part) -> list[Part]:
    return [
        item
        for item in draft.structure.parts
        if item.kind == "item" and item.depth == part.depth + 1 and part.start <= item.start < part.end
    ]


def is_loose(draft: Draft, part: Part) -> bool:
    """Return whether blank lines separate the last items of a list."""
    items = items_of(draft, part)
    if len(items) < 2:
        return False
    between = draft.text[items[-2].end : items[-1].start]
    return between.count("\n") > 1
