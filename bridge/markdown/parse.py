"""Parses a Markdown file's bytes to a `Note`; never raises."""

import re
from typing import Final

from msgspec.structs import asdict

from bridge.markdown.blocks import read_blocks, read_callouts, read_fields, read_headings, read_pieces, read_tasks
from bridge.markdown.decode import DecodedText, blank, decode, shadow_of
from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.kinds import title_of
from bridge.markdown.links import read_links
from bridge.markdown.note import Markdown, Note
from bridge.markdown.structure import Structure, read_structure
from bridge.markdown.tags import read_tags
from bridge.text.invisible import find_comments
from bridge.text.lines import LineIndex
from bridge.types import NoteKind, Span, VaultPath

MAX_CHARACTERS: Final = 2_000_000
"""Characters that are read as Markdown; the rest of a longer text is plain text."""

_READ_IN_COMMENTS: Final = re.compile(r"[#^]|::")
"""Starts of a tag, block id or field; a comment without any of these need not be read."""


def read_markdown(text: str, lines: LineIndex, start: int = 0) -> Markdown:
    structure, comments = parse_structure(text, start)
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


def parse_structure(text: str, start: int) -> tuple[Structure, tuple[Span, ...]]:
    """Parse a text after its property block, with its block comments blanked out.

    Obsidian's cache holds only the tags of a block comment; a comment inside a paragraph hides nothing from it.
    """
    shadow = shadow_of(_parseable_text(text, start))
    blocks, inlines = find_comments(shadow)
    if not blocks:
        structure = read_structure(shadow, base=start)
        return structure, _spans_before(structure.end, _shift_spans(inlines, start))
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
    structure.hidden = list(_spans_before(end, _shift_spans(blocks, start)))
    structure.holes.sort()
    return structure, _spans_before(end, _shift_spans(sorted([*blocks, *inlines]), start))


def _parseable_text(text: str, start: int) -> str:
    """Return the part of a text after its property block that is read as Markdown: whole lines if it has any."""
    most = start + MAX_CHARACTERS
    if len(text) > most:
        return text[start : text.rfind("\n", start, most) + 1 or most]
    return text[start:] if start else text


def _spans_before(end: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(span for span in spans if span[1] <= end) if spans and spans[-1][1] > end else spans


def _shift_spans(spans: list[Span], by: int) -> tuple[Span, ...]:
    return tuple((first + by, last + by) for first, last in spans)


def parse(path: VaultPath, data: bytes) -> Note:
    return parse_decoded(path, decode(data))


def parse_decoded(path: VaultPath, decoded: DecodedText, kind: NoteKind = "note") -> Note:
    text = decoded.text
    lines = LineIndex(text)
    front = read_frontmatter(text, lines)
    markdown = read_markdown(text, lines, front.body)
    own = {**asdict(markdown), "links": front.links + markdown.links, "tags": front.tags + markdown.tags}
    return Note(
        path=path,
        title=title_of(path),
        kind=kind,
        digest=decoded.digest,
        text=text,
        body=front.body,
        aliases=front.aliases,
        properties=front.properties,
        problems=decoded.problems + front.problems + _unread_notice(text, markdown.end, lines),
        **own,
    )


def _unread_notice(text: str, end: int, lines: LineIndex) -> tuple[str, ...]:
    if not text[end:].strip():
        return ()
    why = "The note is too long or has too many blocks to be read whole"
    return (f"{why}: from line {lines.at(end)} on it is plain text, without headings, links, tags and tasks.",)
