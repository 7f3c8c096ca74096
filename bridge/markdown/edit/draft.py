"""A note's text as edits use it: its blocks and headings, and the range that may be changed."""

import re
from functools import lru_cache
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.blocks import read_headings
from bridge.markdown.decode import BOM
from bridge.markdown.excalidraw import is_drawing
from bridge.markdown.frontmatter import cut_frontmatter, read_frontmatter
from bridge.markdown.note import Heading, Note
from bridge.markdown.parse import parse_structure
from bridge.markdown.sections import find_section
from bridge.markdown.structure import Part, Structure
from bridge.records import Record
from bridge.text.lines import LineIndex
from bridge.types import Digest, Span, VaultPath

BLANK: Final = " \t\r\n"
_DRAWING: Final = re.compile(
    r"^(?:%%[ \t]*\r?\n)?#{1,6} (?:Excalidraw Data|Text Elements|Element Links|Embedded [Ff]iles|Drawing)[ \t]*\r?$",
    re.MULTILINE,
)
_BREAK: Final = re.compile(r"\r\n?|\n")
_BOARD: Final = re.compile(r"^%% kanban:settings[ \t]*\r?$", re.MULTILINE)


class Draft(Record):
    """A text and its parsed Markdown; offsets count characters after the byte order mark."""

    path: VaultPath
    text: str
    body: int
    """Offset at which the properties end."""
    structure: Structure
    comments: tuple[Span, ...]
    headings: tuple[Heading, ...]
    lines: LineIndex

    @property
    def tops(self) -> list[Part]:
        return [part for part in self.structure.parts if part.depth == 0]

    def section(self, heading: str) -> tuple[int, int]:
        """Return the index of the named heading in `headings`, and where its section ends."""
        note = Note(self.path, "", "note", Digest(""), self.text, headings=self.headings)
        start, end = find_section(note, heading)
        return next(at for at, each in enumerate(self.headings) if each.span[0] == start), end


def open_draft(path: VaultPath, data: bytes) -> Draft:
    """Read the bytes of a note to be edited."""
    if not path.lower().endswith(".md"):
        raise InvalidArguments(f"Only Markdown notes can be edited; `{path}` is not one.", path=path)
    try:
        return read_draft(path, data.removeprefix(BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidArguments(
            f"`{path}` contains bytes that are not UTF-8, first in line {line}.",
            hint="Save the note as UTF-8 first.",
            path=path,
        ) from None


# A change reads the old and the new text: to edit, to verify that nothing else changed, and to lint.
@lru_cache(maxsize=4)
def read_draft(path: VaultPath, text: str) -> Draft:
    cut = cut_frontmatter(text)
    body = cut[1] if cut else 0
    structure, comments = parse_structure(text, body)
    lines = LineIndex(text)
    return Draft(path, text, body, structure, comments, tuple(read_headings(text, structure, lines)), lines)


def editable_end(draft: Draft) -> int:
    """Return where the editable text ends: at the end, or above the data that Excalidraw and Kanban keep there."""
    text, head = draft.text, draft.text[: draft.body]
    # YAML is slow, and most notes do not contain these words.
    properties = read_frontmatter(text, draft.lines).properties if "excalidraw-" in head or "kanban-" in head else {}
    found = None
    if is_drawing(draft.path, properties):
        found = _DRAWING.search(text, draft.body)
    elif "kanban-plugin" in properties:
        found = _BOARD.search(text, draft.body)
    return found.start() if found else len(text)


def line_end(text: str, offset: int) -> int:
    """Return where the line of an offset ends, its line break included; Markdown counts a lone CR as one."""
    found = _BREAK.search(text, offset)
    return found.end() if found else len(text)


def content_end(text: str, start: int, end: int) -> int:
    """Return the end of a span's last line that is not blank; `start` when all are blank."""
    last = start + len(text[start:end].rstrip(BLANK))
    return line_end(text, last) if last > start else start


def append_offset(text: str, start: int, end: int) -> int:
    """Return where text appended to a span goes: after its last line that is not blank.

    If all lines are blank, it goes after the first, unless that leaves no blank line below it.
    """
    where, first = content_end(text, start, end), line_end(text, start)
    return first if where == start < end and (first < end or end == len(text)) else where


def content_start(text: str, start: int, end: int) -> int:
    """Return the start of a span's first line that is not blank; `end` when all are blank."""
    rest = text[start:end]
    first = start + len(rest) - len(rest.lstrip(BLANK))
    return max(start, text.rfind("\n", 0, first) + 1, text.rfind("\r", 0, first) + 1) if first < end else end


def newline_at(text: str, offset: int) -> str:
    """Return the line break used around an offset."""
    last = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
    found = (
        _BREAK.match(text, last - (text[last - 1 : last + 1] == "\r\n")) if last >= 0 else _BREAK.search(text, offset)
    )
    return found[0] if found else "\n"
