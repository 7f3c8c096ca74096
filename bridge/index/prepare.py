"""Prepares what the index stores of a note; pure, so that it can run in any process."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, Self

from msgspec.structs import replace

from bridge.index.boilerplate import PROGRAMS, Boilerplate
from bridge.index.documents import IndexDocument, NoteSegments, Vocabularies, index_documents
from bridge.index.note import IndexedNote, pack_note
from bridge.markdown.links import inside_wiki
from bridge.markdown.note import Heading, Note, PieceKind
from bridge.markdown.sections import MAX_HEADING_CHARS
from bridge.markdown.structure import html_comments
from bridge.records import Record
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import strip_break_hints, strip_hidden_elements
from bridge.text.lines import LineIndex
from bridge.text.sentence import sentence_ends
from bridge.text.stems import index_forms, language_of
from bridge.types import Digest, Lines, Span
from bridge.vault.scan import Stat

TARGET_TOKENS = 180
"""Target size of a passage in tokens."""

MAX_PASSAGE_TOKENS = 256
"""Maximum size of a passage in tokens, used where a piece would be split otherwise."""

SMALL_SECTION_TOKENS = 48
"""Sections with fewer tokens are joined to their neighbours under the same parent."""

MAX_PASSAGE_CHARS = 8 * MAX_PASSAGE_TOKENS
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
        if cut - start <= TARGET_TOKENS:
            last = cut
            continue
        if last > start and is_long(text, start, cut, TARGET_TOKENS):
            units.append(Unit(kind, (start, last), _count_tokens(text[start:last])))
            start = last
        while is_long(text, start, cut, MAX_PASSAGE_TOKENS):
            # No boundary within reach: a line of data, or a script without full stops.
            stop = _hard_cut(text, start, min(cut, start + MAX_PASSAGE_CHARS))
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
    return length > most and (length > MAX_PASSAGE_CHARS or _count_tokens(text[start:end]) > most)


_LINE = re.compile(r"\n")


def _hard_cut(text: str, start: int, end: int) -> int:
    reach = start + max(1, (end - start) * TARGET_TOKENS // _count_tokens(text[start:end]))
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
        full = size + unit.tokens > TARGET_TOKENS
        if full and size + unit.tokens <= MAX_PASSAGE_TOKENS + TARGET_TOKENS:
            full = not has_only_headings(units[start:position])
        if position > start and (full or is_far(units[position - 1].span, unit.span)):
            packed.append(_draft(path, units[start:position]))
            start, size = position, 0
        size += unit.tokens
    tail = _draft(path, units[start:])
    small = tail.tokens < SMALL_SECTION_TOKENS and packed and packed[-1].tokens + tail.tokens <= MAX_PASSAGE_TOKENS
    if small and not is_far(packed[-1].span, tail.span):
        last = packed.pop()
        tail = last._replace(span=(last.span[0], tail.span[1]), tokens=last.tokens + tail.tokens)
    return [*packed, tail]


def is_far(first: Span, second: Span) -> bool:
    """Return whether so much text lies between two spans, mostly comments, that no passage should include both."""
    return second[0] - first[1] > MAX_PASSAGE_CHARS


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
    if first.tokens + second.tokens > TARGET_TOKENS and not (
        first.bare and first.tokens + second.tokens <= MAX_PASSAGE_TOKENS
    ):
        return None
    if is_far(first.span, second.span):
        return None
    below = second.heading[: len(first.heading)] == first.heading
    if first.bare:
        return second.heading if below else None
    if max(first.tokens, second.tokens) >= SMALL_SECTION_TOKENS:
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


_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)[^\n]*$", re.MULTILINE)

_inner = itemgetter(1)
"""The replacement `\\1`, which `re` would read again at every match."""

_LINKS = (
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("<!--", re.compile(r"<!--.*?-->", re.DOTALL), " "),
    ("![[", re.compile(rf"!\[\[(?:{inside_wiki('|')}*+\|)?({inside_wiki()}*+)\]\]"), _inner),
    ("[[", re.compile(rf"\[\[(?:{inside_wiki('|')}*+\|)?({inside_wiki()}*+)\]\]"), _inner),
    (
        "](",
        re.compile(r"!?\[([^\[\]\n]*)\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"),
        _inner,
    ),
    ("<", re.compile(r"<(?:https?|mailto)[^>\s]*>"), " "),
    ("://", re.compile(r"\bhttps?://(?:www\.)?([^\s/?#<>)\]]{1,80})[^\s<>)\]]*"), _inner),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,400}>"), " "),
)
"""Replacements in order: text that must be present for the pattern to match, the pattern, and its replacement."""

_TAG = re.compile(
    r"</?[A-Za-z][\w-]*+(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))?)*+\s*+/?>|&nbsp;"
)
"""An HTML tag with its attributes, or a space written as an entity."""

_TICKS = re.compile(r"`+")

_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?")
# Begins with a character, so that the search skips to it.
_UNDERSCORES = re.compile(r"_(?:(?<!\w_)_{0,2}|_{0,2}(?!\w))")
_MARKED_LINE = re.compile(r"[ \t]*[|>#*+_:\d-]")
"""Starts of the lines that any of the next three patterns may change."""
_RULE = re.compile(
    # Possessive: otherwise the ways to divide the spaces in a row of empty cells multiply from cell to cell.
    r"[ \t]*+>?[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)++|[ \t]*+(?:[-*_][ \t]*+){3,}+"
)
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+(?:\[![\w|-]+\][+-]?)?")
_ITEM = re.compile(r"[ \t]*(?:#{1,6}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[.\])?)[ \t]+")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*\Z")
_DATA = re.compile(r"(?<![!-~])[!-~]{120,}")
_DATA_HAS = "/=+_#&%.-"
_BLANKS = re.compile(r"[\t\r\f\v\u00a0]")
_MANY_BLANKS = re.compile(r"   *")


def strip_markdown(text: str) -> str:
    by: str | Callable[[re.Match[str]], str]
    for needed, pattern, by in _LINKS:
        if needed in text:
            text = pattern.sub(by, text)
    text = text.replace("&nbsp;", " ")
    text = "\n".join(map(_strip_markers, text.split("\n")))
    text = _FOOTNOTE.sub("", text) if "[^" in text else text
    text = text.replace("*", "").replace("`", "")
    text = _UNDERSCORES.sub("", text) if "_" in text else text
    text = text.replace("~~", "").replace("==", "")
    if "|" in text:
        text = _join_cells(text)
    # Any 120 characters without a space contain one of these runs of twenty.
    unbroken = any(" " not in text[at : at + 20] for at in range(0, len(text), 100))
    if unbroken and any(map(text.__contains__, _DATA_HAS)):
        text = _DATA.sub(" ", text)
    text = _MANY_BLANKS.sub(" ", _BLANKS.sub(" ", text))
    first, *rest = text.split("\n")
    said = [first, *filter(None, map(str.lstrip, rest))]
    return "\n".join(line.removesuffix(" ") for line in said).strip()


def _join_cells(text: str) -> str:
    first, *middle, last = text.split("|")
    return " ".join((first.rstrip(" \t"), *(cell.strip(" \t") for cell in middle), last.lstrip(" \t")))


def strip_html_tags(text: str) -> str:
    """Strip HTML tags, keeping the text between them unless it is hidden; tags in code stay."""
    if "<" not in text and "&nbsp;" not in text:
        return text
    text = strip_hidden_elements(text)
    kept: list[str] = []
    at = 0
    for start, end in _code_spans(text):
        kept += (_TAG.sub(" ", text[at:start]), text[start:end])
        at = end
    return "".join((*kept, _TAG.sub(" ", text[at:])))


def _fenced_blocks(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the language of each fenced block, and where it is; the last one may have no end."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opening is None:
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2]:
            yield opening[2], (opening.start(), fence.end())
            opening = None
    if opening is not None:
        yield opening[2], (opening.start(), len(text))


def _code_spans(text: str) -> Iterator[Span]:
    at = 0
    for _, (start, end) in _fenced_blocks(text):
        yield from _inline_code_spans(text, at, start)
        yield start, end
        at = end
    yield from _inline_code_spans(text, at, len(text))


def _inline_code_spans(text: str, start: int, end: int) -> Iterator[Span]:
    runs = list(_TICKS.finditer(text, start, end))
    closes: dict[int, int] = {}
    upcoming: dict[int, int] = {}
    for place in reversed(range(len(runs))):
        length = len(runs[place].group())
        closes[place] = upcoming.get(length, -1)
        upcoming[length] = place
    place = 0
    while place < len(runs):
        if (closed := closes[place]) > 0:
            yield runs[place].start(), runs[closed].end()
            place = closed
        place += 1


def _strip_markers(line: str) -> str:
    if not line[:1].isalpha() and (marked := _MARKED_LINE.match(line)):
        sign = line[marked.end() - 1]
        if sign in "|>:-*_" and _RULE.fullmatch(line):
            return ""
        if sign == ">" and (quote := _QUOTE.match(line)):
            line = line[quote.end() :]
        if sign not in "|:_" and (item := _ITEM.match(line)):
            line = line[item.end() :]
    if "^" in line and (block_id := _BLOCK_ID.search(line)):
        line = line[: block_id.start()]
    return line


def drop_programs(text: str) -> tuple[str, list[str]]:
    kept: list[str] = []
    dropped: list[str] = []
    at = 0
    for language, (start, end) in _fenced_blocks(text):
        if language.casefold() in PROGRAMS:
            kept.append(text[at:start])
            dropped.append(f"a `{language.casefold()}` block")
            at = end
    return "".join((*kept, text[at:])), dropped


PASSAGE_FORMAT = 1
"""Version of the passage format; part of every digest, so that a new one embeds everything again."""

FACTS_VERSION = 9
"""Version of the facts kept of a note beside its passages; a new one reads notes again without embedding them."""

TITLE_CHARACTERS = 400
"""Characters of a title with its aliases that are embedded."""

MAX_CHARACTERS = 5_000_000
"""Characters of a file that are searchable; the longest books are shorter."""

LEFT_OUT_SHOWN = 20
"""Lines left out of the embedding that are recorded for a note."""


class Chunk(NamedTuple):
    """A passage as stored; a tuple, as thousands go from one process to another.

    `words` is the input of full text search: the heading path, then `text`, then word forms that no tokenizer would
    find.
    """

    heading: str
    lines: Lines
    words: str
    start: int
    length: int
    embed_text: str
    digest: Digest


class PreparedNote(Record):
    """Everything that the index stores of one note."""

    note: IndexedNote
    chunks: tuple[Chunk, ...]
    whole: str
    title_text: str
    titled: Digest
    segments: NoteSegments | None = None
    """Its words, indexed together with those of notes that were read with it; None until they are."""
    place: int = 0
    """Its place among these notes."""


def prepare(note: Note, stat: Stat, boilerplate: Boilerplate) -> PreparedNote:
    """Cut a note into passages and collect its facts."""
    note = shorten_note(note)
    title = " · ".join((note.title, *note.aliases))[:TITLE_CHARACTERS]
    language = language_of(note.text[note.body :] if len(note.text) - note.body > 200 else note.text)
    left_out: list[str] = []
    chunks = tuple(_chunks(note, boilerplate, left_out))
    if not any(chunk.embed_text for chunk in chunks):
        # Nothing to embed: every retriever finds the note by its title.
        chunks = _embed_title(chunks, strip_break_hints(title))
    indexed = pack_note(
        note,
        mtime_ns=stat.mtime_ns,
        size=stat.size,
        passages=len(chunks),
        left_out=tuple(dict.fromkeys(left_out))[:LEFT_OUT_SHOWN],
        language=language,
        recipe=preparation_version(boilerplate),
    )
    return PreparedNote(
        indexed,
        chunks,
        strip_break_hints(_whole_text(note, chunks)),
        strip_break_hints(title),
        embedding_digest(strip_break_hints(title)),
    )


def shorten_note(note: Note) -> Note:
    """Cut what exceeds the limit for one file, and report from which line on."""
    if len(note.text) <= MAX_CHARACTERS:
        return note
    end = note.text.rfind("\n", note.body, MAX_CHARACTERS) + 1 or MAX_CHARACTERS
    line = note.text.count("\n", 0, end) + 1
    return replace(
        note,
        text=note.text[:end],
        body=min(note.body, end),
        pieces=tuple(piece for piece in note.pieces if piece.span[1] <= end),
        problems=(*note.problems, f"Search leaves out what follows the first {end:,} characters, from line {line} on."),
    )


def preparation_version(boilerplate: Boilerplate) -> str:
    """Return the current preparation version; a note prepared by another one is read again."""
    return f"{PASSAGE_FORMAT}.{FACTS_VERSION}.{boilerplate.version}"


def passage_version(recipe: str) -> list[str]:
    """Return of a preparation version what passages depend on: their format and the recurring lines."""
    return recipe.split(".")[::2]


def embedding_digest(embed_text: str) -> Digest:
    return Digest(hashlib.sha256(f"{PASSAGE_FORMAT}\n{embed_text}".encode()).hexdigest())


def _chunks(note: Note, boilerplate: Boilerplate, left_out: list[str]) -> list[Chunk]:
    line_index = LineIndex(note.text)
    paths: dict[tuple[str, ...], _HeadingPath] = {}
    chunks: list[Chunk] = []
    for draft in cut_passages(note):
        path = paths.get(draft.heading) or paths.setdefault(draft.heading, _HeadingPath.of(draft.heading, boilerplate))
        text = strip_break_hints(note.text[slice(*draft.span)])
        embed_text = _embed_text(text, path, boilerplate, left_out, bare=draft.bare)
        lines = line_index.over(draft.span)
        chunks.append(_chunk(path.full, lines, strip_html_tags(text), embed_text))
    return chunks


class _HeadingPath(Record):
    """A heading path in the forms that each of its passages needs."""

    full: str
    lasting: tuple[str, ...]
    """The headings that do not recur across the vault."""
    words: str

    @classmethod
    def of(cls, headings: tuple[str, ...], boilerplate: Boilerplate) -> Self:
        lasting = tuple(heading for heading in headings if f"# {heading}" not in boilerplate)
        return cls(strip_break_hints(" > ".join(headings)), lasting, strip_markdown(" > ".join(lasting)))


def _chunk(heading: str, lines: Lines, text: str, embed_text: str) -> Chunk:
    """Build a stored passage, whose text is stored once, between the words that only search needs."""
    front = f"{heading}\n" if heading else ""
    return Chunk(
        heading=heading,
        lines=lines,
        words=front + text,
        start=len(front),
        length=len(text),
        embed_text=embed_text,
        digest=embedding_digest(embed_text),
    )


def _embed_text(text: str, path: _HeadingPath, boilerplate: Boilerplate, left_out: list[str], *, bare: bool) -> str:
    said, programs = drop_programs(text)
    left_out += programs
    if boilerplate.recurring:
        lines = said.split("\n")
        recurring = {line: None for line in dict.fromkeys(lines) if line in boilerplate}
        if recurring:
            left_out += [line.strip() for line in recurring]
            said = "\n".join(line for line in lines if line not in recurring)
    body = strip_markdown(said)
    # The section's own headings are already in front.
    shown = body.split("\n")
    own = next((at for at, line in enumerate(shown) if line not in path.lasting), len(shown))
    body = "\n".join(shown[own:]).strip()
    if not body and not bare:
        return ""
    return "\n".join(part for part in (path.words, body) if part)


def _embed_title(chunks: tuple[Chunk, ...], title: str) -> tuple[Chunk, ...]:
    if not chunks:
        return (_chunk("", (1, 1), title, title),)
    first = chunks[0]
    return (first._replace(embed_text=title, digest=embedding_digest(title)), *chunks[1:])


def _whole_text(note: Note, chunks: Sequence[Chunk]) -> str:
    text = note.text if note.kind == "note" else "\n".join((note.text[: note.body], *(c.words for c in chunks)))
    return whole_text(note.title, note.aliases, text, html=note.kind == "note")


def whole_text(title: str, aliases: Sequence[str], text: str, *, html: bool = True) -> str:
    front = " ".join((title, *aliases))
    body = strip_html_tags(text) if html else text
    return "\n".join(part for part in (front, body) if part)


def add_segments(notes: Sequence[PreparedNote], vocabularies: Vocabularies) -> list[PreparedNote]:
    """Return the notes with the segments of all of them, in which the number of a document is the place of its note."""
    passages = [(place, number, chunk) for place, note in enumerate(notes) for number, chunk in enumerate(note.chunks)]
    words = [IndexDocument(place, number, 0, chunk.words) for place, number, chunk in passages]
    forms = [
        IndexDocument(
            place, number, 0, passage_forms(chunk.words, chunk.start, chunk.length, notes[place].note.language)
        )
        for place, number, chunk in passages
    ]
    whole = [IndexDocument(place, 0, 0, note.whole) for place, note in enumerate(notes)]
    segments = index_documents(words, forms, whole, vocabularies)
    return [replace(note, segments=segments, place=place) for place, note in enumerate(notes)]


def passage_forms(words: str, start: int, length: int, language: str | None) -> str:
    return index_forms(words[: start + length], language)
