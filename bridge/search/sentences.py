"""The sentences of a note as they read, with their places."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile, zip_longest

from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.note import Note, Piece, PieceKind
from bridge.records import Record
from bridge.search.snippet import clean_text
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.sentence import MAX_QUOTE_CHARS, sentence_ends
from bridge.text.words import count_words
from bridge.types import Lines, Span, VaultPath

_NO_PROSE: frozenset[PieceKind] = frozenset({"heading", "fence", "html", "math", "rule", "table"})
_MIN_WORDS = 3
_ADDRESSES = re.compile(r"(?:https?://\S+\s*)+")
_MARK = re.compile(r"\[\^[^\]\s]+\]|(?<=\s)\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
"""A reference to a footnote, or the name of a block."""

_FOOTNOTE_TEXT = re.compile(r"\s*\[\^[^\]\s]+\]:\s*")

_NO_PROSE_QUOTED = re.compile(r"^[ \t]*>[ \t>]*(?:\||#{1,6}[ \t]|\[![^\]\n]*\][+-]?[ \t]*$|$).*$", re.MULTILINE)
"""A row of a table or a heading inside a quote or a callout, such as an infobox, or a line without text."""

_DELIMITER = re.compile(r"\|[ \t]*:?-[-|: \t]*\Z")
"""The second row of a table."""

_UNBROKEN = re.compile(r"(`+)[^`]+\1(?!`)|\$\$[^$]+\$\$|\$[^\s$][^$\n]*\$|\[[^\]\n]+\]\([^)\n]+\)")
"""Code, mathematics and links to other places inside a text."""

_RUNNING: frozenset[PieceKind] = frozenset({"paragraph", "quote", "callout"})


class Sentence(Record):
    """A sentence of a note as it reads."""

    path: VaultPath
    text: str
    lines: Lines
    kind: PieceKind
    words: int


def iter_sentences(note: Note, near: Sequence[Lines] = ()) -> Iterator[Sentence]:
    """Yield a note's sentences in their order, without headings, code and tables; an item of a list is one."""
    lines = LineIndex(note.text)
    # They often stand between the end of a sentence and the next one.
    shown = _MARK.sub(lambda found: " " * len(found.group()), note.text)
    if ">" in shown:
        shown = _NO_PROSE_QUOTED.sub(lambda found: " " * len(found.group()), shown)
    links = sorted([*(link.span for link in note.links), *(found.span() for found in _UNBROKEN.finditer(note.text))])
    for piece in _pieces_near(note.pieces, near) if near else note.pieces:
        if piece.kind in _NO_PROSE or _FOOTNOTE_TEXT.match(note.text, piece.span[0]):
            continue
        for start, end in _split(shown, piece.span, links, by_lines=piece.kind not in _RUNNING):
            raw = shown[start:end]
            text = clean_text(raw)
            words = count_words(text)
            if words >= _MIN_WORDS and not _ADDRESSES.fullmatch(text):
                span = (start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip()))
                yield Sentence(note.path, text, lines.over(span), piece.kind, words)


def iter_asides(note: Note) -> Iterator[Sentence]:
    """Yield what a note says beside its prose: footnotes, and rows of tables as in `apples: price 3 EUR`."""
    lines = LineIndex(note.text)
    for piece in note.pieces:
        if piece.kind in {"table", "quote", "callout"}:
            rows = [row.lstrip("> \t") for row in note.text[slice(*piece.span)].rstrip().split("\n")]
            heads = [0] if piece.kind == "table" else _find_tables(rows)
            for head in heads:
                yield from _rows(note.path, rows[head:], piece.lines[0] + head)
        elif mark := _FOOTNOTE_TEXT.match(note.text, *piece.span):
            for start, end in _split(note.text, (mark.end(), piece.span[1]), (), by_lines=False):
                if text := clean_text(note.text[start:end]):
                    yield Sentence(note.path, text, lines.over((start, end)), piece.kind, count_words(text))


def _find_tables(rows: Sequence[str]) -> list[int]:
    return [at for at, (head, row) in enumerate(pairwise(rows)) if head.startswith("|") and _DELIMITER.match(row)]


def _rows(path: VaultPath, rows: Sequence[str], first: int) -> Iterator[Sentence]:
    names = _cells(rows[0])
    for line, row in enumerate(takewhile(lambda row: "|" in row, rows[2:]), first + 2):
        cells = _cells(row)
        named = [f"{name} {cell}".strip() for name, cell in zip_longest(names, cells, fillvalue="") if cell]
        if len(named) > 1:
            if any(map(str.isalpha, cells[0])):
                text = f"{cells[0].rstrip(':').rstrip()}: {', '.join(named[1:])}"
            else:
                text = ", ".join(named)
            yield Sentence(path, text[:MAX_QUOTE_CHARS], (line, line), "table", count_words(text))


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [clean_text(cell.replace("\\|", "|")) for cell in UNESCAPED_BAR.split(inner)]


def _pieces_near(pieces: Sequence[Piece], near: Sequence[Lines]) -> list[Piece]:
    inside = [any(lines_overlap(piece.lines, lines) for lines in near) for piece in pieces]
    return [piece for at, piece in enumerate(pieces) if any(inside[max(0, at - 1) : at + 2])]


def _split(text: str, span: Span, links: Sequence[Span], *, by_lines: bool) -> Iterator[Span]:
    """Yield the spans of sentences; none ends inside a link."""
    at, end = span
    for stop in sentence_ends(text, span, by_lines=by_lines):
        before = links[bisect_right(links, (stop - 1, len(text))) - 1] if links else (0, 0)
        if not before[0] < stop < before[1]:
            yield at, stop
            at = stop
    if at < end:
        yield at, end
