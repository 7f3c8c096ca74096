"""The parts of a note that can stand for it: all of it, a section, passages or its headings."""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile

from bridge.index.boilerplate import DIAGRAMS
from bridge.markdown.note import Note, Piece
from bridge.markdown.sections import Outline, section_spans
from bridge.records import Record
from bridge.search.model import Form, ShownPassage
from bridge.text.invisible import one_line, visible_text, without_blank_lines
from bridge.text.lines import LineIndex, lines_overlap
from bridge.types import Span, VaultPath

MAX_OUTLINE_LEVEL = 3
"""The lowest level of the headings in an outline."""

MUCH_LONGER = 2
"""How many times longer than its passage a paragraph must be for the passage to stand alone."""


_DIAGRAM = re.compile(rf"\s*(?:`{{3,}}|~{{3,}})[ \t]*(?:{'|'.join(sorted(DIAGRAMS))}|css)\b", re.IGNORECASE)
"""The beginning of code that draws or styles, and says nothing to a reader."""

_ASKS_FOR_CODE = re.compile(
    r"mermaid|plantuml|graphviz|tikz|\bcss\b|\bcode\b|diagram|flowchart|图表|流程图", re.IGNORECASE
)


class Excerpts(Record):
    """A note in each form, the longest first."""

    path: VaultPath
    score: float
    note: ShownPassage | None = None
    section: ShownPassage | None = None
    """The section of the best passage."""
    passages: tuple[ShownPassage, ...] = ()
    """Best first; none contains text of another."""
    outline: ShownPassage | None = None


def cut_excerpts(note: Note, score: float, passages: Sequence[ShownPassage], query: str = "") -> Excerpts:
    """Cut a Markdown note into the forms in which it can be shown, for a query without the code of diagrams."""
    cut = _Cut(note, without_code=bool(query) and not _ASKS_FOR_CODE.search(query))
    return Excerpts(
        note.path,
        score,
        note=cut.excerpt("note", (note.body, len(note.text))),
        section=cut.section(passages[0].lines[0]) if passages else None,
        passages=tuple(cut.passages(passages)),
        outline=_outline(note),
    )


class _Cut:
    """Cuts one Markdown note between its blocks."""

    def __init__(self, note: Note, *, without_code: bool) -> None:
        self._note = note
        self._code = [
            piece.span
            for piece in (note.pieces if without_code else ())
            if piece.kind == "fence" and _DIAGRAM.match(note.text, piece.span[0])
        ]
        self._lines = LineIndex(note.text)
        self._outline = Outline(note)

    def excerpt(self, form: Form, span: Span) -> ShownPassage | None:
        """Return the visible text of a span; None when it has none."""
        start, end = span
        text = self._note.text[start:end]
        start += len(text) - len(text.lstrip())
        end = start + len(text.strip())
        shown = without_blank_lines(visible_text(self._readable(start, end))).strip()
        if not shown:
            return None
        return ShownPassage(self._outline.at(start), self._lines.over((start, end)), shown, form)

    def _readable(self, start: int, end: int) -> str:
        parts = []
        for first, last in self._code:
            if start <= first < end:
                parts.append(self._note.text[start:first].rstrip())
                start = min(last, end)
        return "".join((*parts, self._note.text[start:end]))

    def section(self, line: int) -> ShownPassage | None:
        """Return the innermost section of a line; None before the first heading."""
        headings = self._note.headings
        spans = section_spans(headings, len(self._note.text))
        inside = [span for heading, span in zip(headings, spans, strict=True) if heading.line <= line]
        return self.excerpt("section", inside[-1]) if inside else None

    def passages(self, passages: Sequence[ShownPassage]) -> Iterator[ShownPassage]:
        """Extend each passage to whole blocks that no better one contains."""
        pieces = self._note.pieces
        taken: set[int] = set()
        for passage in passages:
            inside = [at for at, piece in enumerate(pieces) if lines_overlap(piece.lines, passage.lines)]
            if _is_cut_paragraph([pieces[at] for at in inside], passage):
                yield passage
                continue
            free = list(dropwhile(taken.__contains__, inside))
            own = list(takewhile(lambda at: at not in taken, free))
            taken.update(own)
            found = self.excerpt("passage", (pieces[own[0]].span[0], pieces[own[-1]].span[1])) if own else None
            if found is not None:
                yield found


def _is_cut_paragraph(pieces: Sequence[Piece], passage: ShownPassage) -> bool:
    if len(pieces) != 1 or pieces[0].kind != "paragraph":
        return False
    start, end = pieces[0].span
    return end - start > MUCH_LONGER * len(passage.text)


def _outline(note: Note) -> ShownPassage | None:
    shown = [heading for heading in note.headings if heading.level <= MAX_OUTLINE_LEVEL]
    if not shown:
        return None
    text = "\n".join(f"{'#' * heading.level} {one_line(heading.text)}" for heading in shown)
    return ShownPassage("", (shown[0].line, note.text.count("\n") + 1), text, "outline")
