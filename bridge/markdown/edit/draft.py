"""A note's text as edits use it: its blocks and headings, the range that may be changed, and the places of edits."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.blocks import read_blocks, read_headings
from bridge.markdown.decode import BOM
from bridge.markdown.documents import is_drawing
from bridge.markdown.frontmatter import cut_frontmatter, read_frontmatter
from bridge.markdown.note import BlockId, Heading, Note
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


class TextDraft(Record):
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
        note = Note(
            path=self.path,
            title="",
            kind="note",
            digest=Digest(""),
            text=self.text,
            headings=self.headings,
            end=self.structure.end,
        )
        start, end = find_section(note, heading)
        return next(at for at, each in enumerate(self.headings) if each.span[0] == start), end


def open_draft(path: VaultPath, data: bytes) -> TextDraft:
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
def read_draft(path: VaultPath, text: str) -> TextDraft:
    cut = cut_frontmatter(text)
    body = cut[1] if cut else 0
    structure, comments = parse_structure(text, body)
    lines = LineIndex(text)
    return TextDraft(path, text, body, structure, comments, tuple(read_headings(text, structure, lines)), lines)


def list_block_ids(draft: TextDraft) -> list[BlockId]:
    return list(read_blocks(draft.text, draft.body, draft.structure, draft.lines))


def editable_end(draft: TextDraft) -> int:
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


class TextEdit(Record):
    """A span and its replacement, whose lines end with LF."""

    start: int
    end: int
    text: str
    literal: bool = False
    """Insert the text exactly as it is; otherwise it is Markdown blocks, set apart from those around them."""
    apart: bool | None = None
    """Whether a blank line goes before it; None leaves that to the blocks around it."""


def trim_blank_lines(text: str, op: str) -> str:
    """Return the caller's Markdown blocks, without the blank lines around them."""
    lines = normalise_newlines(text).split("\n")
    written = [at for at, line in enumerate(lines) if line.strip(BLANK)]
    if not written:
        raise InvalidArguments(f"`{op}` needs text that is not blank.")
    return "\n".join(lines[written[0] : written[-1] + 1])


def normalise_newlines(text: str) -> str:
    """Return the caller's text with LF line endings."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArguments("The text contains a lone surrogate, which is half a character.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def order_edits(draft: TextDraft, planned: Sequence[Sequence[TextEdit]]) -> list[TextEdit]:
    """Return the places of all edits from first to last.

    Several at one place keep the order given, except that those which continue a list come first: below another text
    they would not be in the list.
    """
    numbered = [(place, number) for number, places in enumerate(planned, 1) for place in places]
    numbered.sort(key=lambda each: (each[0].start, each[0].end, each[0].apart is None))
    for (one, first), (other, second) in pairwise(numbered):
        if other.start < one.end:
            line = draft.lines.at(other.start)
            former, latter = sorted((first, second))
            raise InvalidArguments(
                f"Edits {former} and {latter} both change line {line}; edits must not overlap.",
                hint="Merge them into one edit, or send them one after the other.",
            )
    places = [place for place, _ in numbered]
    if places and max(max(place.start, place.end) for place in places) > editable_end(draft):
        raise InvalidArguments(
            f"From line {draft.lines.at(editable_end(draft))} on `{draft.path}` belongs to Excalidraw or Kanban.",
            hint="Change the text above, or the drawing or the board's settings in Obsidian.",
        )
    return places


class Splice(Record):
    """A span of the old text, and the span of its replacement in the new text."""

    start: int
    end: int
    at: int
    length: int


END: Final = attrgetter("end")


class EditedText(Record):
    """A text after changes, with the changes in order."""

    text: str
    changes: tuple[Splice, ...]

    def map_offset(self, offset: int) -> int:
        """Return the new offset of a character that was not changed."""
        index = bisect_right(self.changes, offset, key=END)
        before = self.changes[index - 1] if index else Splice(0, 0, 0, 0)
        return offset + before.at + before.length - before.end

    def is_touched(self, start: int, end: int) -> bool:
        index = bisect_right(self.changes, start, key=END)
        return index < len(self.changes) and self.changes[index].start < end


def splice(text: str, places: Sequence[TextEdit]) -> EditedText:
    """Insert texts exactly as they are, apart from their line breaks."""
    pieces: list[str] = []
    changes: list[Splice] = []
    done = length = 0
    for place in places:
        new = place.text.replace("\n", newline_at(text, place.start)) if "\n" in place.text else place.text
        unchanged = text[done : place.start]
        pieces += [unchanged, new]
        changes.append(Splice(place.start, place.end, length + len(unchanged), len(new)))
        length += len(unchanged) + len(new)
        done = place.end
    return EditedText("".join([*pieces, text[done:]]), tuple(changes))
