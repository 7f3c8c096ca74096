"""Splits a note into passages: along headings, at a good size for a model, between pieces where possible."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from bridge.markdown.note import Heading, Note, PieceKind
from bridge.markdown.sections import MAX_HEADING_CHARS
from bridge.markdown.structure import html_comments
from bridge.text.budget import estimate_tokens
from bridge.text.sentence import sentence_ends
from bridge.types import Lines, Span

TARGET = 180
"""Target size of a passage in tokens."""

MAX_PASSAGE_TOKENS = 256
"""Maximum size of a passage in tokens, used where a piece would be split otherwise."""

SMALL = 48
"""Sections with fewer tokens are joined to their neighbours under the same parent."""

FARTHEST = 8 * MAX_PASSAGE_TOKENS
"""Number of characters that exceeds a passage in any script."""

_TEXT = re.compile(r"\S")


class PassageDraft(NamedTuple):
    """A span of a note that becomes one passage."""

    heading: tuple[str, ...]
    span: Span
    tokens: int
    bare: bool = False
    """Whether it contains only headings."""


class Unit(NamedTuple):
    """A part that is not split further."""

    kind: PieceKind
    span: Span
    tokens: int


def cut_passages(note: Note) -> list[PassageDraft]:
    """Cut a note into spans, in order; every character with content is in one of them."""
    cut: list[PassageDraft] = []
    for path, units in iter_sections(note):
        cut += pack(path, units)
    return join_small(cut)


def iter_sections(note: Note) -> Iterator[tuple[tuple[str, ...], list[Unit]]]:
    headings = {heading.line: heading for heading in note.headings}
    above: list[Heading] = []
    units: list[Unit] = []
    for kind, span, line in iter_pieces(note):
        heading = headings.get(line) if kind == "heading" else None
        if heading is not None:
            if units:
                yield tuple(h.text[:MAX_HEADING_CHARS] for h in above), units
            units = []
            while above and above[-1].level >= heading.level:
                above.pop()
            above.append(heading)
        units += split(note.text, kind, span)
    if units:
        yield tuple(h.text[:MAX_HEADING_CHARS] for h in above), units


def iter_pieces(note: Note) -> Iterator[tuple[PieceKind, Span, int]]:
    at = note.body
    for piece in note.pieces:
        # Most pieces are separated only by a line break.
        if note.kind == "note" and not note.text[at : piece.span[0]].isspace():
            for gap in visible_spans(note, (at, piece.span[0])):
                yield "paragraph", gap, 0
        if piece.span[1] > at:
            yield piece.kind, (max(at, piece.span[0]), piece.span[1]), piece.lines[0]
            at = piece.span[1]
    if note.kind == "note" or not note.pieces:
        for gap in visible_spans(note, (at, len(note.text))):
            yield "paragraph", gap, 0


def visible_spans(note: Note, span: Span) -> Iterator[Span]:
    start, end = span
    comments = note.comments
    if comments:
        first = bisect_right(comments, start, key=itemgetter(1))
        comments = comments[first : bisect_left(comments, end, lo=first, key=itemgetter(0))]
    for comment in (*comments, (end, end)):
        found = _TEXT.search(note.text, start, max(start, comment[0]))
        if found:
            stop = max(start, comment[0])
            yield found.start(), found.start() + len(note.text[found.start() : stop].rstrip())
        start = max(start, comment[1])


def split(text: str, kind: PieceKind, span: Span) -> list[Unit]:
    """Return a piece as one unit, or as several if it is longer than a passage may be."""
    size = _count_tokens(text[slice(*span)])
    if size <= MAX_PASSAGE_TOKENS:
        return [Unit(kind, span, size)]
    has_lines = kind in {"fence", "table", "math", "html"}
    lines = (match.end() for match in _LINE.finditer(text, *span))
    cuts = lines if has_lines else sentence_ends(text, span, by_lines=True)
    units: list[Unit] = []
    start = span[0]
    last = start
    for cut in (*cuts, span[1]):
        # A token has at least one character.
        if cut - start <= TARGET:
            last = cut
            continue
        if last > start and is_long(text, start, cut, TARGET):
            units.append(Unit(kind, (start, last), _count_tokens(text[start:last])))
            start = last
        while is_long(text, start, cut, MAX_PASSAGE_TOKENS):
            # No boundary within reach: a line of data, or a script without full stops.
            stop = _hard_cut(text, start, min(cut, start + FARTHEST))
            units.append(Unit(kind, (start, stop), _count_tokens(text[start:stop])))
            start = stop
        last = cut
    if start < span[1]:
        units.append(Unit(kind, (start, span[1]), _count_tokens(text[start : span[1]])))
    return list(drop_comments(text, kind, span, units))


def _count_tokens(text: str) -> int:
    """Estimate the tokens of a part, at least one, so that no number of parts fits into one passage."""
    return max(1, estimate_tokens(text))


def drop_comments(text: str, kind: PieceKind, span: Span, units: Iterable[Unit]) -> Iterator[Unit]:
    code = kind in {"fence", "math"}
    # In a block of HTML a comment without an end includes everything after it.
    comments = [] if code else list(html_comments(text, *span, unclosed=kind == "html"))
    for unit in units:
        start, end = unit.span
        before = bisect_left(comments, start, key=itemgetter(0)) - 1
        first = max(start, comments[before][1]) if before >= 0 else start
        if first == start:
            yield unit
        elif first < end:
            yield Unit(unit.kind, (first, end), _count_tokens(text[first:end]))


def is_long(text: str, start: int, end: int, most: int) -> bool:
    """Return whether a span has more than so many tokens, reading no more than needed."""
    length = end - start
    return length > most and (length > FARTHEST or _count_tokens(text[start:end]) > most)


_LINE = re.compile(r"\n")


def _hard_cut(text: str, start: int, end: int) -> int:
    reach = start + max(1, (end - start) * TARGET // max(1, _count_tokens(text[start:end])))
    space = text.rfind(" ", start + 1, reach)
    return space + 1 if space > start + (reach - start) // 2 else max(reach, start + 1)


def pack(path: tuple[str, ...], units: Sequence[Unit]) -> list[PassageDraft]:
    """Join the units of one section into spans of about the target size."""
    if len(units) == 1:
        return [_draft(path, units)]
    packed: list[PassageDraft] = []
    start = 0
    size = 0
    for position, unit in enumerate(units):
        full = size + unit.tokens > TARGET
        if full and size + unit.tokens <= MAX_PASSAGE_TOKENS + TARGET:
            full = not has_only_headings(units[start:position])
        if position > start and (full or is_far(units[position - 1].span, unit.span)):
            packed.append(_draft(path, units[start:position]))
            start, size = position, 0
        size += unit.tokens
    tail = _draft(path, units[start:])
    small = tail.tokens < SMALL and packed and packed[-1].tokens + tail.tokens <= MAX_PASSAGE_TOKENS
    if small and not is_far(packed[-1].span, tail.span):
        last = packed.pop()
        tail = last._replace(span=(last.span[0], tail.span[1]), tokens=last.tokens + tail.tokens)
    return [*packed, tail]


def is_far(first: Span, second: Span) -> bool:
    """Return whether so much text lies between two spans, mostly comments, that no passage should include both."""
    return second[0] - first[1] > FARTHEST


def has_only_headings(units: Iterable[Unit]) -> bool:
    return all(unit.kind == "heading" for unit in units)


def _draft(path: tuple[str, ...], units: Sequence[Unit]) -> PassageDraft:
    first = units[0]
    if len(units) == 1:
        return PassageDraft(path, first.span, first.tokens, first.kind == "heading")
    span = (first.span[0], units[-1].span[1])
    return PassageDraft(path, span, sum(unit.tokens for unit in units), has_only_headings(units))


def join_small(cut: Sequence[PassageDraft]) -> list[PassageDraft]:
    result: list[PassageDraft] = []
    for draft in cut:
        if result and (heading := shared_heading(result[-1], draft)) is not None:
            last = result.pop()
            result.append(
                PassageDraft(
                    heading, (last.span[0], draft.span[1]), last.tokens + draft.tokens, last.bare and draft.bare
                )
            )
        else:
            result.append(draft)
    return result


def shared_heading(first: PassageDraft, second: PassageDraft) -> tuple[str, ...] | None:
    """Return the heading path of two neighbours when joined, or None if they should stay separate."""
    if first.tokens + second.tokens > TARGET and not (
        first.bare and first.tokens + second.tokens <= MAX_PASSAGE_TOKENS
    ):
        return None
    if is_far(first.span, second.span):
        return None
    below = second.heading[: len(first.heading)] == first.heading
    if first.bare:
        return second.heading if below else None
    if max(first.tokens, second.tokens) >= SMALL:
        return None
    if below:
        return first.heading
    common = _common_headings(first.heading, second.heading)
    return common if common and len(common) >= len(second.heading) - 1 else None


def _common_headings(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    same = 0
    while same < min(len(first), len(second)) and first[same] == second[same]:
        same += 1
    return first[:same]


class LineOf:
    """Maps offsets to lines; the offsets must not decrease."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def __call__(self, offset: int) -> int:
        """Return the line of an offset, which must not be before the previous one."""
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line

    def lines(self, span: Span) -> Lines:
        return self(span[0]), self(max(span[0], span[1] - 1))
