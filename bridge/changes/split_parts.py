"""Divides a note into a section that leaves it and the rest, each with the definitions that it uses."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from bridge.changes.relink import Edit
from bridge.errors import InvalidArguments
from bridge.markdown.definitions import Definition, labels_needed, read_definitions
from bridge.markdown.edit.draft import BLANK, Draft, editable_end, newline_at
from bridge.markdown.edit.heading_levels import shift_headings
from bridge.records import dataclass
from bridge.types import Span

_BLANK_LINE: Final = re.compile(r"(?:\A|\n|\r)[ \t]*(?:\r\n?|\n)\Z")


@dataclass(frozen=True, slots=True)
class SplitParts:
    """The spans of a note's text that a section takes along, and those that stay."""

    draft: Draft
    number: int
    """The heading of the section among those of the note."""
    section: Span
    moved: tuple[Span, ...]
    """What the new note has of the section's own text."""
    moved_definitions: tuple[Span, ...]
    """What it has of the rest, to stand below."""
    head: tuple[Span, ...]
    tail: tuple[Span, ...]
    """What stays above and below the section."""
    kept_definitions: tuple[Span, ...]
    """What stays of the section, because the rest uses it."""

    def is_moved(self, offset: int) -> bool:
        return self.section[0] <= offset < self.section[1]

    def new_text(self, edits: Iterable[Edit]) -> str:
        """Return the text of the new note: the heading has level 1, and those below it follow."""
        text, changes = self.draft.text, sorted(edits)
        newline = newline_at(text, self.section[0])
        parts = [_render(text, self.moved, changes).strip(BLANK)]
        parts += [_render(text, [span], changes).strip("\r\n") for span in self.moved_definitions]
        joined = f"{newline}{newline}".join(part for part in parts if part)
        return shift_headings(joined, 1 - self.draft.headings[self.number].level) + newline

    def rest(self, edits: Iterable[Edit], left: str) -> str:
        """Return the text of the note without the section."""
        text, changes = self.draft.text, sorted(edits)
        newline = newline_at(text, self.section[0])
        head, tail = _render(text, self.head, changes), _render(text, self.tail, changes)
        between = [left, *(_render(text, [span], changes).strip("\r\n") for span in self.kept_definitions)]
        middle = f"{newline}{newline}".join(part for part in between if part)
        above = bool(head[self.draft.body :].strip(BLANK)) if len(head) > self.draft.body else False
        if not middle and not tail.strip(BLANK):
            return head.rstrip(BLANK) + newline if head.strip(BLANK) else ""
        if above and not _BLANK_LINE.search(head):
            head += newline if head.endswith(("\n", "\r")) else newline * 2
        if middle:
            middle += newline * 2 if tail.strip(BLANK) else newline
        return head + middle + tail


def divide(draft: Draft, heading: str) -> SplitParts:
    number, end = draft.section(heading)
    start, limit = draft.headings[number].span[0], editable_end(draft)
    end = min(end, limit)
    text = draft.text
    if start >= limit:
        raise InvalidArguments(
            f"From line {draft.lines.at(limit)} on `{draft.path}` belongs to Excalidraw or Kanban.",
            hint="Choose a section above.",
        )
    # A heading may be indented.
    start = text.rfind("\n", 0, start) + 1
    if not text[draft.body : start].strip(BLANK) and not text[end:].strip(BLANK):
        raise InvalidArguments(
            f"This section is all of `{draft.path}`.", hint="Rename the note with `move_note`, or choose a subsection."
        )
    section = (start, end)
    definitions = read_definitions(text, draft.body, draft.structure)
    spans = [one.span for one in definitions]
    prose = "".join(text[slice(*span)] for span in _without([section], spans))
    others = "".join(text[slice(*span)] for span in _without([(0, start), (end, len(text))], spans))
    needed = labels_needed(prose, text, definitions)
    needed_by_rest = labels_needed(others, text, definitions)

    def inside(one: Definition) -> bool:
        return start <= one.span[0] < end

    gone = [one.span for one in definitions if not inside(one) and one.label in needed - needed_by_rest]
    stays = [one.span for one in definitions if inside(one) and one.label in needed_by_rest]
    leaves = [one.span for one in definitions if inside(one) and one.label in needed_by_rest - needed]
    along = [one.span for one in definitions if not inside(one) and one.label in needed]
    return SplitParts(
        draft,
        number,
        section,
        moved=_without([section], leaves),
        moved_definitions=tuple(along),
        head=_without([(0, start)], gone),
        tail=_without([(end, len(text))], gone),
        kept_definitions=tuple(stays),
    )


def _without(spans: Sequence[Span], removed: Sequence[Span]) -> tuple[Span, ...]:
    left: list[Span] = []
    for start, end in spans:
        at = start
        for first, last in removed:
            if at <= first < end:
                left.append((at, first))
                at = min(last, end)
        left.append((at, end))
    return tuple((start, end) for start, end in left if start < end)


def _render(text: str, spans: Iterable[Span], edits: Sequence[Edit]) -> str:
    parts: list[str] = []
    for start, end in spans:
        at = start
        for (first, last), words in edits:
            if at <= first and last <= end:
                parts += [text[at:first], words]
                at = last
        parts.append(text[at:end])
    return "".join(parts)
