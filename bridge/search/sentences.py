"""The sentences of a note as they read, with their places."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from bridge.markdown.note import Note, Piece, PieceKind
from bridge.records import dataclass
from bridge.search.snippet import clean_text
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.sentence import PARAGRAPH_SENTENCE_END, SENTENCE_END
from bridge.text.words import count_words
from bridge.types import Lines, Span, VaultPath

_NO_PROSE: frozenset[PieceKind] = frozenset({"heading", "fence", "html", "math", "rule", "table"})
_LEAST_WORDS = 3
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]")
_FOOTNOTE_TEXT = re.compile(r"\s*\[\^[^\]\s]+\]:")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[“\"'.])(?:[^\W\d_]|St|Dr|Mr|Mrs|Ms|Prof|No|Nr|vs|etc|ca|cf|al|bzw|vgl|usw)\.\s*$"
)
"""An end of a text at which a full stop ends no sentence: an initial, or a common abbreviation."""

_LONGEST_END = 12
"""Characters before the end of a sentence that are looked at."""

_RUNNING: frozenset[PieceKind] = frozenset({"paragraph", "quote", "callout"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a note as it reads."""

    path: VaultPath
    text: str
    lines: Lines
    kind: PieceKind
    words: int


def iter_sentences(note: Note, near: Sequence[Lines] = ()) -> Iterator[Sentence]:
    """Yield a note's sentences in their order, without headings, code and tables; an item of a list is one.

    Args:
        note: The note.
        near: Only the sentences of blocks in these lines, and of the blocks next to them; all if empty.
    """
    lines = LineIndex(note.text)
    # A reference to a footnote often stands between the end of a sentence and the next one.
    shown = _FOOTNOTE.sub(lambda found: " " * len(found.group()), note.text)
    links = [link.span for link in note.links]
    for piece in _pieces_near(note.pieces, near) if near else note.pieces:
        if piece.kind in _NO_PROSE or _FOOTNOTE_TEXT.match(note.text, piece.span[0]):
            continue
        end_of = PARAGRAPH_SENTENCE_END if piece.kind in _RUNNING else SENTENCE_END
        for start, end in _split(shown, piece.span, end_of, links):
            raw = shown[start:end]
            text = clean_text(raw)
            words = count_words(text)
            if words >= _LEAST_WORDS:
                span = (start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip()))
                yield Sentence(note.path, text, lines.over(span), piece.kind, words)


def _pieces_near(pieces: Sequence[Piece], near: Sequence[Lines]) -> list[Piece]:
    inside = [any(lines_overlap(piece.lines, lines) for lines in near) for piece in pieces]
    return [piece for at, piece in enumerate(pieces) if any(inside[max(0, at - 1) : at + 2])]


def _split(text: str, span: Span, end_of: re.Pattern[str], links: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans of sentences; none ends inside a link, or after an abbreviation."""
    at, end = span
    for found in end_of.finditer(text, at, end):
        before = links[bisect_right(links, (found.start(), len(text))) - 1] if links else (0, 0)
        in_link = before[0] <= found.start() < before[1]
        if in_link or _ABBREVIATION.search(text, max(at, found.end() - _LONGEST_END), found.end()):
            continue
        yield at, found.end()
        at = found.end()
    if at < end:
        yield at, end
