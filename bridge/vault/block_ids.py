"""Block ids, `^like-this`, and the block each one names."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.vault.lines import LineIndex
from bridge.vault.note import Block
from bridge.vault.structure import Part, Structure

_ID: Final = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_BEFORE: Final = frozenset(" \t\n>")
_ALONE: Final = re.compile(r"\^[A-Za-z0-9-]+")


def read_blocks(text: str, start: int, structure: Structure, lines: LineIndex) -> Iterator[Block]:
    """Yield the block ids of a text from `start` on, with the lines of the block that each names."""
    parts = structure.parts
    around: list[int] = []
    following = 0
    for found in _ID.finditer(text, start, structure.end):
        offset = found.start()
        if (offset and text[offset - 1] not in _BEFORE) or structure.covers(offset):
            continue
        while following < len(parts) and parts[following].start <= offset:
            around.append(following)
            following += 1
        while around and parts[around[-1]].end <= offset:
            around.pop()
        if around:
            part = _named(text, parts, around[-1])
            yield Block(found[1], lines.over((part.start, part.end)))


def _named(text: str, parts: list[Part], index: int) -> Part:
    """Return the part an id inside `parts[index]` names: the one before it when the id stands alone."""
    part = parts[index]
    if part.kind != "paragraph" or not _ALONE.fullmatch(text, part.start, part.end):
        return part
    for before in range(index - 1, -1, -1):
        earlier = parts[before]
        if earlier.depth < part.depth or earlier.kind == "heading":
            break
        if earlier.depth == part.depth:
            return earlier
    return part
