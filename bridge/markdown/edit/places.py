"""The places of edits: spans of the original text, in order and without overlaps."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.edit.draft import BLANK, Draft, editable_end, newline_at
from bridge.records import Record


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


def order_edits(draft: Draft, planned: Sequence[Sequence[TextEdit]]) -> list[TextEdit]:
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
        """Return whether something inside a span was changed."""
        index = bisect_right(self.changes, start, key=END)
        return index < len(self.changes) and self.changes[index].start < end


def splice(text: str, places: Sequence[TextEdit]) -> EditedText:
    """Insert texts exactly as they are, apart from their line breaks."""
    pieces: list[str] = []
    changes: list[Splice] = []
    done = length = 0
    for place in places:
        new = place.text.replace("\n", newline_at(text, place.start))
        unchanged = text[done : place.start]
        pieces += [unchanged, new]
        changes.append(Splice(place.start, place.end, length + len(unchanged), len(new)))
        length += len(unchanged) + len(new)
        done = place.end
    return EditedText("".join([*pieces, text[done:]]), tuple(changes))
