"""The sentences of a note as they read, with their places."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise, takewhile, zip_longest

from msgspec.structs import replace

from bridge.markdown.links import UNESCAPED_BAR
from bridge.markdown.note import Note, Piece, PieceKind
from bridge.records import Record
from bridge.search.snippet import clean_text
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.sentence import MAX_QUOTE_CHARS, sentence_ends
from bridge.text.words import count_words
from bridge.types import Lines, Span, VaultPath

_NO_PROSE: frozenset[PieceKind] = frozenset({"heading", "fence", "html", "math", "rule", "table"})
MIN_WORDS = 3
"""Words of a sentence without a stop; fewer may be a label."""

_STOP_AT_END = re.compile(r"\w[.!?。！？؟।۔][\"'”’»)]*\Z")
_NOT_SAID = re.compile(r"(?:https?://\S++\s*+)++|-{6,}|-{3,}+[^-]++-{3,}")
"""Addresses, or a line that only divides."""

_FORMULA = re.compile(r"\$\$[^$]*(?:\$\$|$)|\\(?:begin|end)\{\w+\}")
"""A displayed formula, or what is left of one in which blank lines stand."""

_STOPS_AFTER = re.compile(
    r"^[ \t>]*[\w -]{1,30}::[ \t].*(?:\n|\Z)"
    r"|\$\$[^$]+\$\$[ \t]*\n"
    r"|^[ \t]*>[ \t>]*(`{3,}|~{3,}).*\n(?:[ \t]*>.*\n){0,99}?[ \t]*>[ \t>]*\1[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
"""A field for Dataview, a formula at the end of a line, and code inside a quote, none of which ends in a full stop."""

_CODE_QUOTED = re.compile(r"[\s>]*(?:```|~~~)")
_MARK = re.compile(r"\[\^[^\[\]\s]++\]|(?<=\s)\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
"""A reference to a footnote, or the name of a block."""

_FOOTNOTE_TEXT = re.compile(r"\s*\[\^[^\]\s]+\]:\s*")

_NO_PROSE_QUOTED = re.compile(r"^[ \t]*>[ \t>]*(?:\||#{1,6}[ \t]|\[![^\]\n]*\][+-]?[ \t]*$|$).*$", re.MULTILINE)
"""A row of a table or a heading inside a quote or a callout, such as an infobox, or a line without text."""

_DELIMITER = re.compile(r"\|[ \t]*:?-[-|: \t]*\Z")
"""The second row of a table."""

BLANK = re.compile(r"(?:null|n/a|[-–—?]+)?", re.IGNORECASE)
"""What a cell or property has where nothing is known."""

_UNBROKEN = re.compile(r"(?<!`)(`++)[^`]+\1(?!`)|\$\$[^$]+\$\$|\$[^\s$][^$\n]*\$|\[[^\[\]\n]++\]\([^)\n]{1,1000}\)")
"""Code, mathematics and links to other places inside a text."""

_MAX_SENTENCE_CHARS = 2_000
"""Length from which a text without a stop is no sentence; what reads sentences counts on a bound."""

_PROSE_KINDS: frozenset[PieceKind] = frozenset({"paragraph", "quote", "callout"})

COLONS = (":", "：")
LINES_BELOW = 2
"""Lines below a colon within which what it introduces begins."""

MAX_LEAD_CHARS = 80
"""Characters of a line above a list that introduces it without a colon."""

_MAX_INTRODUCED_LINES = 60
_MAX_COLONS = 2
"""Colons of a sentence that are followed, as in `The steps are:` above `On a phone:` above a list."""

_MIN_ROOM = 60
"""Characters that there are for what a long sentence introduces."""


LIST_MARK = re.compile(r"[ \t]*(?:[-*+]|(\d{1,9}[.)]))[ \t]")
ITEM_QUOTED = re.compile(r"^[ \t]*>[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_CALLOUT_TITLE = re.compile(r"[ \t]*>[ \t>]*\[![^\]\n]*\][+-]?[ \t]+\S")
_HEAD = re.compile(r"(?:\d{1,9}[.)] )?[^:：.。]{2,60}(?=[:：])")
_MIN_HEADS = 3
_MIN_ITEMS = 2
PAUSE = re.compile(r"[.!?…:;,。！？：；，、।۔]\Z")
_UNSPACED_END = re.compile(r"[。！？；，、][”’」』）]?\Z")
_DIAGRAM_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*(?:mermaid|dataview|tasks|base)")
"""Code of which a reader sees a picture or a list."""

_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)


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
    stops = [at for found in _STOPS_AFTER.finditer(shown) for at in (_start_of(found), found.end())]
    for piece in _pieces_near(note.pieces, near) if near else note.pieces:
        if piece.kind in _NO_PROSE or _FOOTNOTE_TEXT.match(note.text, piece.span[0]):
            continue
        for start, end in _split(shown, piece.span, links, stops, by_lines=_is_by_lines(note, piece)):
            raw = shown[start:end]
            text = clean_text(raw)
            words = count_words(text)
            if (words >= MIN_WORDS or (words and _STOP_AT_END.search(text))) and _says_something(raw, text):
                span = (start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip()))
                yield Sentence(note.path, text, lines.over(span), piece.kind, words)


def _is_by_lines(note: Note, piece: Piece) -> bool:
    """Return whether each line stands for itself, as in a list, also one that is quoted."""
    return piece.kind not in _PROSE_KINDS or len(ITEM_QUOTED.findall(note.text, *piece.span)) >= _MIN_ITEMS


def iter_asides(note: Note) -> Iterator[Sentence]:
    """Yield what a note says beside its prose: footnotes, and rows of tables as in `apples: price 3 EUR`."""
    lines = LineIndex(note.text)
    for piece in note.pieces:
        if piece.kind in {"table", "quote", "callout"}:
            rows = [row.lstrip("> \t") for row in note.text[slice(*piece.span)].rstrip().split("\n")]
            heads = [0] if piece.kind == "table" else _find_tables(rows)
            for head in heads:
                yield from iter_rows(note.path, rows[head:], piece.lines[0] + head)
        elif mark := _FOOTNOTE_TEXT.match(note.text, *piece.span):
            for start, end in _split(note.text, (mark.end(), piece.span[1]), (), (), by_lines=False):
                if text := clean_text(note.text[start:end]):
                    yield Sentence(note.path, text, lines.over((start, end)), piece.kind, count_words(text))


def _find_tables(rows: Sequence[str]) -> list[int]:
    return [at for at, (head, row) in enumerate(pairwise(rows)) if head.startswith("|") and _DELIMITER.match(row)]


def iter_rows(path: VaultPath, rows: Sequence[str], first: int) -> Iterator[Sentence]:
    """Yield the rows of a table that begins on a line."""
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
    cells = (clean_text(cell.replace("\\|", "|")) for cell in UNESCAPED_BAR.split(inner))
    return ["" if BLANK.fullmatch(cell) else cell for cell in cells]


def _pieces_near(pieces: Sequence[Piece], near: Sequence[Lines]) -> list[Piece]:
    inside = [any(lines_overlap(piece.lines, lines) for lines in near) for piece in pieces]
    return [piece for at, piece in enumerate(pieces) if any(inside[max(0, at - 1) : at + 2])]


def join_introduced(
    note: Note, said: Iterable[Sentence], chars: int, *, code: bool, leads: bool = False
) -> Iterator[Sentence]:
    """Yield sentences of a note; one with a colon at its end, or that leads to a list, with what it introduces."""
    rows: list[str] = []
    for one in said:
        whole = one
        for _ in range(_MAX_COLONS):
            rows = rows or note.text.split("\n")
            if whole.text.endswith(COLONS) or (
                code and whole is one and (leads or one.kind != "paragraph") and _has_items_below(rows, one)
            ):
                below = list(_iter_below(note, rows, whole, code=code))
                whole = _extend(whole, _shorten_items(below, chars - len(whole.text)) if code else below, chars)
        yield whole


def _shorten_items(below: Sequence[tuple[str, int]], room: int) -> Sequence[tuple[str, int]]:
    """Return items with what stands before their colons only, if each has that and not all of them fit."""
    heads = [(found[0], line) if (found := _HEAD.match(text)) else None for text, line in below]
    if len(below) < _MIN_HEADS or sum(len(text) + 2 for text, _ in below) <= room or not all(heads):
        return below
    return [head for head in heads if head is not None]


def _has_items_below(rows: Sequence[str], one: Sentence) -> bool:
    """Return whether a list is below an item of another, the title of a callout, or a line that leads to it."""
    last = one.lines[1]
    if one.kind == "paragraph":
        below = next(filter(str.strip, rows[last : last + LINES_BELOW]), "")
        return LIST_MARK.match(below) is not None and len(one.text) <= MAX_LEAD_CHARS and not PAUSE.search(one.text)
    if one.kind == "callout" and last < len(rows):
        return _CALLOUT_TITLE.match(rows[last - 1]) is not None and ITEM_QUOTED.match(rows[last]) is not None
    return (
        one.kind == "list_item"
        and last < len(rows)
        and LIST_MARK.match(rows[last]) is not None
        and _indent(rows[last]) > _indent(rows[one.lines[0] - 1])
    )


def iter_short_leads(note: Note, near: Sequence[Lines] = ()) -> Iterator[Sentence]:
    """Yield what introduces a list but is no sentence: items that have others below them, headings, and the title."""
    pieces = _pieces_near(note.pieces, near) if near else note.pieces
    rows = note.text.split("\n") if any(piece.kind == "list_item" for piece in pieces) else []
    if rows and note.pieces[0].kind == "list_item":
        above = note.pieces[0].lines[0] - 1
        yield Sentence(note.path, f"{note.title}:", (above, above), "heading", count_words(note.title))
    for at, piece in enumerate(pieces if rows else ()):
        if piece.kind == "heading" and [one.kind for one in pieces[at + 1 : at + 2]] == ["list_item"]:
            if text := clean_text(note.text[slice(*piece.span)]).strip("# "):
                yield Sentence(note.path, f"{text}:", piece.lines, piece.kind, count_words(text))
        elif piece.kind == "list_item":
            for line in range(piece.lines[0], piece.lines[1]):
                if LIST_MARK.match(rows[line - 1]) and (text := clean_text(rows[line - 1])):
                    one = Sentence(note.path, text, (line, line), piece.kind, count_words(text))
                    if one.words < MIN_WORDS and _has_items_below(rows, one):
                        yield one


def find_leads(note: Note) -> Callable[[int], str]:
    """Return what tells what stands above a line: the items that its own is below, and what introduces their list."""
    leads: dict[int, str] = {}
    rows: list[str] = []
    above: list[tuple[int, str]] = []
    last: Piece | None = None
    for piece in note.pieces:
        if piece.kind == "list_item":
            rows = rows or note.text.split("\n")
            if last is None or last.kind != "list_item":
                above = []
                if last is not None and last.kind == "paragraph" and piece.lines[0] - last.lines[1] <= LINES_BELOW:
                    text = rows[last.lines[1] - 1].strip()
                    is_lead = text.endswith(COLONS) or (len(text) <= MAX_LEAD_CHARS and not PAUSE.search(text))
                    above = [(-1, text)] if is_lead else []
            for line in range(piece.lines[0], piece.lines[1] + 1):
                if (row := rows[line - 1]).strip():
                    while above and above[-1][0] >= _indent(row):
                        above.pop()
                    leads[line] = " ".join(text for _, text in above)
                    above.append((_indent(row), row.strip()))
        last = piece
    return lambda line: leads.get(line, "")


def widen(note: Note, one: Sentence, chars: int) -> Sentence:
    """Return a sentence with those beside it, in so many characters: of its paragraph, or the item that it is below."""
    at = bisect_right(note.pieces, one.lines[0], key=lambda piece: piece.lines[0]) - 1
    if at < 0 or note.pieces[at].kind not in {"paragraph", "list_item"}:
        return one
    own = note.pieces[at]
    beside = [each for each in iter_sentences(note, [own.lines]) if own.lines[0] <= each.lines[0] <= own.lines[1]]
    if own.kind == "list_item":
        beside = [each for each in beside if each.lines[0] in {own.lines[0], one.lines[0]}]
    if one not in beside:
        return one
    first = last = beside.index(one)
    room = chars - len(one.text)
    while last + 1 < len(beside) and (size := len(beside[last + 1].text) + 1) <= room:
        last, room = last + 1, room - size
    while first > 0 and (size := len(beside[first - 1].text) + 1) <= room:
        first, room = first - 1, room - size
    text = "".join(f"{each.text}{'' if _UNSPACED_END.search(each.text) else ' '}" for each in beside[first : last + 1])
    lines = beside[first].lines[0], beside[last].lines[1]
    return replace(one, text=text.rstrip(), lines=lines, words=count_words(text))


def _extend(lead: Sentence, parts: Iterable[tuple[str, int]], chars: int) -> Sentence:
    text, last = lead.text, lead.lines[1]
    for part, line in parts:
        gap = " " if PAUSE.search(text) else ": " if lead.kind == "paragraph" and text == lead.text else "; "
        room = chars - len(text)
        if len(part) > room:
            if last > lead.lines[1]:
                text += " …"
            else:
                room = max(_MIN_ROOM, room)
                text, last = f"{text}{gap}{part[:room].rpartition(' ')[0] or part[:room]}…", line
            break
        text, last = f"{text}{gap}{part}", line
    return replace(lead, text=text, lines=(max(1, lead.lines[0]), last), words=count_words(text))


def _iter_below(note: Note, rows: Sequence[str], lead: Sentence, *, code: bool) -> Iterator[tuple[str, int]]:
    """Yield the items, rows or sentences below a sentence, each with its last line."""
    start, end = lead.lines
    at = bisect_right(note.pieces, end, key=lambda piece: piece.lines[0])
    own, below = note.pieces[at - 1], next(iter(note.pieces[at : at + 1]), None)
    if at and own.kind == "list_item":
        deeper = takewhile(lambda row: not row.strip() or _indent(row) > _indent(rows[start - 1]), rows[end:])
        yield from _items(list(islice(deeper, min(own.lines[1] - end, _MAX_INTRODUCED_LINES))), end + 1)
    elif at and own.kind == "callout" and end < own.lines[1]:
        yield from _items([row.lstrip("> \t") for row in rows[end : own.lines[1]]], end + 1)
    elif (not at or own.lines[1] == end) and below is not None and below.lines[0] - end <= LINES_BELOW:
        (first, last), kind = below.lines, below.kind
        if kind == "list_item":
            *_, (_, _, (_, last)) = takewhile(lambda piece: piece.kind == kind, note.pieces[at:])
        shown = rows[first - 1 : min(last, first + _MAX_INTRODUCED_LINES)]
        if kind == "list_item":
            yield from _items(shown, first)
        elif kind == "table":
            yield from ((one.text, one.lines[1]) for one in iter_rows(note.path, shown, first))
        elif kind in _PROSE_KINDS:
            text = clean_text(_MARK.sub(" ", "\n".join(shown)))
            yield from (
                (text[slice(*span)].strip(), last) for span in _split(text, (0, len(text)), (), (), by_lines=False)
            )
        elif code and kind in {"fence", "math"} and not _DIAGRAM_FENCE.match(shown[0]):
            text = " ".join(_FENCE_LINE.sub("", "\n".join(shown)).split())
            yield (f"`{text}`" if kind == "fence" and "`" not in text else text), last


def _items(rows: Sequence[str], first: int) -> Iterator[tuple[str, int]]:
    for line, row in enumerate(rows, first):
        if text := clean_text(_MARK.sub(" ", row)):
            item = LIST_MARK.match(row)
            yield (f"{item[1]} {text}" if item and item[1] else text), line


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _start_of(found: re.Match[str]) -> int:
    """Return where a field begins; a formula and code belong to what stands before them."""
    return found.end() if found[0].lstrip("> \t").startswith(("$$", "```", "~~~")) else found.start()


def _says_something(raw: str, text: str) -> bool:
    if _NOT_SAID.fullmatch(text) or _CODE_QUOTED.match(raw):
        return False
    return "$$" not in raw or count_words(_FORMULA.sub(" ", raw)) >= MIN_WORDS


def _split(text: str, span: Span, links: Sequence[Span], stops: Sequence[int], *, by_lines: bool) -> Iterator[Span]:
    """Yield the spans of sentences; none ends inside a link, unless it is longer than any."""
    at, end = span
    own = stops[bisect_right(stops, at) : bisect_left(stops, end)]
    for stop in (*sorted({*sentence_ends(text, span, by_lines=by_lines), *own}), end):
        before = links[bisect_right(links, (stop - 1, len(text))) - 1] if links else (0, 0)
        if at < stop and (stop == end or not before[0] < stop < before[1]):
            while stop - at > _MAX_SENTENCE_CHARS:
                cut = max(text.rfind(" ", at, at + _MAX_SENTENCE_CHARS) + 1, at + _MAX_SENTENCE_CHARS // 2)
                yield at, cut
                at = cut
            yield at, stop
            at = stop
