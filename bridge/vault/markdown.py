"""Everything a Markdown text holds below its property block, in one pass over its structure."""

import re
from dataclasses import dataclass
from typing import Final

from bridge.types import Span
from bridge.vault.block_ids import read_blocks
from bridge.vault.comments import find_comments
from bridge.vault.decode import blank, shadow_of
from bridge.vault.fields import read_fields
from bridge.vault.lines import LineIndex
from bridge.vault.links import read_links
from bridge.vault.note import Block, Callout, Heading, InlineField, Link, Piece, Tag, Task
from bridge.vault.outline import read_callouts, read_headings, read_pieces, read_tasks
from bridge.vault.structure import Structure, read_structure
from bridge.vault.tags import read_tags

MAX_CHARACTERS: Final = 2_000_000
"""Characters that are read as Markdown; what follows in a longer text is plain text."""

_READ_IN_COMMENTS: Final = re.compile(r"[#^]|::")
"""What begins a tag, a block id or a field: without one of these it does not matter what a comment holds."""


@dataclass(frozen=True, slots=True)
class Markdown:
    """The parts of a Markdown text."""

    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    tasks: tuple[Task, ...]
    blocks: tuple[Block, ...]
    fields: tuple[InlineField, ...]
    callouts: tuple[Callout, ...]
    comments: tuple[Span, ...]
    pieces: tuple[Piece, ...]
    end: int
    """Where reading ended; what follows is plain text."""


def read_markdown(text: str, lines: LineIndex, start: int = 0) -> Markdown:
    """Read a Markdown text.

    Args:
        text: The text.
        lines: Its lines.
        start: Where to begin, behind a property block.
    """
    structure, comments = structure_of(text, start)
    return Markdown(
        headings=tuple(read_headings(text, structure, lines)),
        links=tuple(read_links(text, start, structure, lines)),
        tags=tuple(read_tags(text, start, structure, lines)),
        tasks=tuple(read_tasks(text, structure, lines)),
        blocks=tuple(read_blocks(text, start, structure, lines)),
        fields=tuple(read_fields(text, start, structure, lines)),
        callouts=tuple(read_callouts(text, structure, lines)),
        comments=comments,
        pieces=tuple(read_pieces(text, structure, lines)),
        end=structure.end,
    )


def structure_of(text: str, start: int) -> tuple[Structure, tuple[Span, ...]]:
    """Parse a text behind its property block, its block comments blanked out.

    Of a block comment Obsidian's cache holds the tags alone; inside a paragraph a comment hides nothing from it.
    """
    shadow = shadow_of(_readable(text, start))
    blocks, inlines = find_comments(shadow)
    if not blocks:
        structure = read_structure(shadow, base=start)
        return structure, _before(structure.end, _moved(inlines, start))
    visible: list[str] = []
    end = 0
    for first, last in blocks:
        visible += [shadow[end:first], blank(shadow, first, last)]
        end = last
    structure = read_structure("".join([*visible, shadow[end:]]), base=start)
    parts, links, end = len(structure.parts), len(structure.links), structure.end
    for first, last in blocks:
        if start + last <= end and _READ_IN_COMMENTS.search(shadow, first, last):
            read_structure(shadow[first:last], structure, start + first)
    del structure.parts[parts:], structure.links[links:]
    structure.end = end
    structure.hidden = list(_before(end, _moved(blocks, start)))
    structure.holes.sort()
    return structure, _before(end, _moved(sorted([*blocks, *inlines]), start))


def _readable(text: str, start: int) -> str:
    """Return what of a text behind its property block is read as Markdown: whole lines, where it has any."""
    most = start + MAX_CHARACTERS
    if len(text) > most:
        return text[start : text.rfind("\n", start, most) + 1 or most]
    return text[start:] if start else text


def _before(end: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(span for span in spans if span[1] <= end) if spans and spans[-1][1] > end else spans


def _moved(spans: list[Span], by: int) -> tuple[Span, ...]:
    return tuple((first + by, last + by) for first, last in spans)
