"""Headings, pieces, callouts, tasks, block ids and inline fields, as Obsidian reads them."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.markdown.links import inside_wiki
from bridge.markdown.note import BlockId, Callout, Heading, InlineField, Piece, PieceKind, Task
from bridge.markdown.structure import Part, Structure
from bridge.text.lines import LineIndex

_CALLOUT: Final = re.compile(r">[ \t]*\[!([^\]\r\n]+)\][-+]?[ \t]*([^\r\n]*)")
_TASK: Final = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[([^\r\n])\](?:[ \t]+([^\r\n]*)|[ \t]*(?=[\r\n]|\Z))")
_KINDS: Final[dict[str, PieceKind]] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "item": "list_item",
    "fence": "fence",
    "html": "html",
    "table": "table",
    "footnote": "paragraph",
    "rule": "rule",
    "math": "math",
}


def read_headings(text: str, structure: Structure, lines: LineIndex) -> Iterator[Heading]:
    """Yield the headings, except those inside quotes and lists, which Obsidian's outline omits too."""
    for part in structure.parts:
        if part.kind == "heading" and part.depth == 0:
            yield Heading(
                _heading_text(text[part.start : part.end]), part.level, lines.at(part.start), (part.start, part.end)
            )


def read_pieces(text: str, structure: Structure, lines: LineIndex) -> Iterator[Piece]:
    """Yield the top-level parts of a text; a list yields one piece per item of its own."""
    depth = 0
    for part in structure.parts:
        if part.depth == 0:
            depth = int(part.kind == "list")
        if part.depth == depth and (kind := _piece_kind(text, part)) is not None:
            span = (part.start, part.end)
            yield Piece(kind, span, lines.over(span))


def read_callouts(text: str, structure: Structure, lines: LineIndex) -> Iterator[Callout]:
    for part in structure.parts:
        if part.kind == "quote" and (found := _CALLOUT.match(text, part.start)):
            kind = found[1].split("|", 1)[0].strip().lower()
            yield Callout(kind, found[2].strip(), lines.over((part.start, part.end)))


def read_tasks(text: str, structure: Structure, lines: LineIndex) -> Iterator[Task]:
    """Yield the list items with a box, whatever its character."""
    around: list[tuple[int, int]] = []
    for part in structure.parts:
        if part.kind == "item" and (found := _TASK.match(text, part.start)):
            while around and around[-1][0] <= part.start:
                around.pop()
            line = lines.at(part.start)
            yield Task(found[1], (found[2] or "").strip(), line, around[-1][1] if around else None)
            around.append((part.end, line))


def _heading_text(source: str) -> str:
    if "\n" in source:
        return source.partition("\n")[0].strip()
    text = source.lstrip("#").strip()
    opened = text.rstrip("#")
    # Closing `#`s count only after a space.
    return text if opened and not opened[-1].isspace() else opened.rstrip()


def _piece_kind(text: str, part: Part) -> PieceKind | None:
    if part.kind == "quote":
        return "callout" if _CALLOUT.match(text, part.start) else "quote"
    if part.kind == "html" and text.startswith("<!--", part.start) and text.find("-->", part.start) == part.end - 3:
        return None
    return _KINDS[part.kind]


_ID: Final = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_CHARS_BEFORE_ID: Final = frozenset(" \t\n>")
LONE_BLOCK_ID: Final = re.compile(r"\^[A-Za-z0-9-]+")


def read_blocks(text: str, start: int, structure: Structure, lines: LineIndex) -> Iterator[BlockId]:
    parts = structure.parts
    around: list[int] = []
    following = 0
    for found in _ID.finditer(text, start, structure.end):
        offset = found.start()
        if (offset and text[offset - 1] not in _CHARS_BEFORE_ID) or structure.covers(offset):
            continue
        while following < len(parts) and parts[following].start <= offset:
            around.append(following)
            following += 1
        while around and parts[around[-1]].end <= offset:
            around.pop()
        if around:
            part = _named_part(text, parts, around[-1])
            yield BlockId(found[1], lines.over((part.start, part.end)))


def _named_part(text: str, parts: list[Part], index: int) -> Part:
    part = parts[index]
    if part.kind != "paragraph" or not LONE_BLOCK_ID.fullmatch(text, part.start, part.end):
        return part
    for before in range(index - 1, -1, -1):
        earlier = parts[before]
        if earlier.depth < part.depth or earlier.kind == "heading":
            break
        if earlier.depth == part.depth:
            return earlier
    return part


_KEY: Final = r"[^\W_](?:[^\n\r:\[\]()`|#]|:(?!:))*?"
_LINE: Final = re.compile(
    rf"^[ \t>]*(?:(?:[-*+]|[0-9]{{1,9}}[.)])[ \t]+(?:\[.\][ \t]+)?)?([*_~=]{{0,3}}{_KEY})::(?!:)([^\r\n]*)",
    re.MULTILINE,
)
_BRACKETED_FIELD: Final = re.compile(
    rf"\[({_KEY})::([^\[\]\r\n]*(?:\[\[{inside_wiki()}*\]\][^\[\]\r\n]*)*)\]|\(({_KEY})::([^()\r\n]*)\)"
)
_MARKS: Final = "*_~= \t"


def read_fields(text: str, start: int, structure: Structure, lines: LineIndex) -> list[InlineField]:
    if text.find("::", start) < 0:
        return []
    found = [(match.start(1), match[1], match[2]) for match in _LINE.finditer(text, start, structure.end)]
    for match in _BRACKETED_FIELD.finditer(text, start, structure.end):
        key, value = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
        found.append((match.start(), key, value))
    return [
        InlineField(key.strip(_MARKS), value.strip(), lines.at(at))
        for at, key, value in sorted(found)
        if not structure.covers(at)
    ]
