"""Note → what the index stores of it; pure, so that it can run in any process."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bridge.index.boilerplate import Boilerplate
from bridge.index.chunk import LineOf, PassageDraft, cut_passages
from bridge.index.note import IndexedNote, pack_note
from bridge.markdown.note import Note
from bridge.text.scripts import strip_invisible
from bridge.text.stems import index_forms, language_of
from bridge.types import Digest, Lines, Span

if TYPE_CHECKING:
    from bridge.vault.scan import Stat

PROGRAMS = frozenset({"dataview", "dataviewjs", "tasks", "query", "button", "buttons", "base", "meta-bind", "tracker"})
"""Languages of code blocks that a plugin runs: their text is not what the reader sees."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)[^\n]*$", re.MULTILINE)
_Steps = tuple[tuple[str, re.Pattern[str], str], ...]
"""What is taken away, in order: what must be there for the pattern to match, the pattern, and what takes its place."""

_LINKS: _Steps = (
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("<!--", re.compile(r"<!--.*?-->", re.DOTALL), " "),
    ("![[", re.compile(r"!\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    ("[[", re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    (
        "](",
        re.compile(r"!?\[([^\[\]\n]*)\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"),
        r"\1",
    ),
    ("<", re.compile(r"<(?:https?|mailto)[^>\s]*>"), " "),
    ("://", re.compile(r"\bhttps?://(?:www\.)?([^\s/?#<>)\]]{1,80})[^\s<>)\]]*"), r"\1"),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,400}>"), " "),
    ("&nbsp;", re.compile(r"&nbsp;"), " "),
)
_TAG = re.compile(
    r"</?[A-Za-z][\w-]*+(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))?)*+\s*+/?>|&nbsp;"
)
"""A tag of HTML with its attributes, or a blank written as an entity."""

_TICKS = re.compile(r"`+")

_SIGNS: _Steps = (
    ("[^", re.compile(r"\[\^[^\]\s]+\]:?"), ""),
    ("*", re.compile(r"\*{1,3}"), ""),
    ("`", re.compile(r"`+"), ""),
    ("_", re.compile(r"(?<!\w)_{1,3}|_{1,3}(?!\w)"), ""),
    ("~~", re.compile(r"~~"), ""),
    ("==", re.compile(r"=="), ""),
    ("|", re.compile(r"[ \t]*\|[ \t]*"), " "),
)
_MARKED = re.compile(r"[ \t]*[|>#*+_:\d-]")
"""How a line begins that any of the next three may change."""
_RULE = re.compile(
    # Possessive: else the ways to share out the blanks of a row of empty cells multiply from cell to cell.
    r"[ \t]*+>?[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)++|[ \t]*+(?:[-*_][ \t]*+){3,}+"
)
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+(?:\[![\w|-]+\][+-]?)?")
_ITEM = re.compile(r"[ \t]*(?:#{1,6}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[.\])?)[ \t]+")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*\Z")
_DATA = re.compile(r"(?<![!-~])[!-~]{120,}")
_DATA_HAS = "/=+_#&%.-"
_BLANKS = re.compile(r"[\t\r\f\v\u00a0]")
_MANY_BLANKS = re.compile(r" {2,}")


def strip_markdown(text: str) -> str:
    """Return the words of a stretch of Markdown."""
    text = _strip_signs(_LINKS, text)
    text = "\n".join(map(_strip_markers, text.split("\n")))
    text = _strip_signs(_SIGNS, text)
    # Wherever 120 characters without a blank begin, one of these twenties is among them.
    unbroken = any(" " not in text[at : at + 20] for at in range(0, len(text), 100))
    if unbroken and any(map(text.__contains__, _DATA_HAS)):
        text = _DATA.sub(" ", text)
    text = _MANY_BLANKS.sub(" ", _BLANKS.sub(" ", text))
    first, *rest = text.split("\n")
    said = [first, *filter(None, map(str.lstrip, rest))]
    return "\n".join(line.removesuffix(" ") for line in said).strip()


def strip_html_tags(text: str) -> str:
    """Return text without tags of HTML, of which only what stands between them is read; those in code stay."""
    if "<" not in text and "&nbsp;" not in text:
        return text
    kept: list[str] = []
    at = 0
    for start, end in _code_spans(text):
        kept += (_TAG.sub(" ", text[at:start]), text[start:end])
        at = end
    return "".join((*kept, _TAG.sub(" ", text[at:])))


def _code_spans(text: str) -> Iterator[Span]:
    """Yield where a text is code: between fences, and between ticks of which as many open it as close it."""
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opening is None:
            yield from _inline_code_spans(text, at, fence.start())
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2]:
            at = fence.end()
            yield opening.start(), at
            opening = None
    if opening is None:
        yield from _inline_code_spans(text, at, len(text))
    else:
        yield opening.start(), len(text)


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


def _strip_signs(steps: _Steps, text: str) -> str:
    for needed, pattern, by in steps:
        if needed in text:
            text = pattern.sub(by, text)
    return text


def _strip_markers(line: str) -> str:
    """Take the signs from a line that make it a quote, a heading or an item, and its block id."""
    if marked := _MARKED.match(line):
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
    """Drop the code blocks that a plugin would run.

    Returns:
        The rest, and what each dropped block was.
    """
    if "```" not in text and "~~~" not in text:
        return text, []
    kept: list[str] = []
    dropped: list[str] = []
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
            continue
        if fence[1].startswith(opening[1]) and not fence[2]:
            if opening[2].casefold() in PROGRAMS:
                kept.append(text[at : opening.start()])
                dropped.append(f"a `{opening[2].casefold()}` block")
                at = fence.end()
            opening = None
    if opening is not None and opening[2].casefold() in PROGRAMS:
        kept.append(text[at : opening.start()])
        dropped.append(f"a `{opening[2].casefold()}` block")
        at = len(text)
    kept.append(text[at:])
    return "".join(kept), dropped


FORMAT = 1
"""Version of the passage format; part of every digest, so that a new one embeds anew."""

REMEMBERED = 3
"""Version of what is remembered of a note beside its passages; a new one has notes read, but not embedded, anew."""

TITLE_CHARACTERS = 400
"""Characters of a title with its aliases that are embedded."""

MAX_CHARACTERS = 5_000_000
"""Characters of a file that words are searched in; the longest books are shorter."""

LEFT_OUT_SHOWN = 20
"""Lines left out of the embedding that are remembered for a note."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as it is stored.

    `words` is what full text search reads: the heading path, then `text`, then word forms no tokenizer would find.
    """

    heading: str
    lines: Lines
    words: str
    start: int
    length: int
    forms: str
    embed_text: str
    digest: Digest


@dataclass(frozen=True, slots=True)
class PreparedNote:
    """All that the index stores of one note."""

    note: IndexedNote
    chunks: tuple[Chunk, ...]
    whole: str
    title_text: str
    titled: Digest


def prepare(note: Note, stat: "Stat", boilerplate: Boilerplate) -> PreparedNote:
    """Cut a note into passages and gather what is known of it.

    Args:
        note: The parsed file.
        stat: Its time and size when it was read.
        boilerplate: What recurs across the vault and is not embedded.
    """
    note = shorten_note(note)
    title = " · ".join((note.title, *note.aliases))[:TITLE_CHARACTERS]
    language = language_of(note.text[note.body :] if len(note.text) - note.body > 200 else note.text)
    left_out: list[str] = []
    chunks = tuple(_chunks(note, cut_passages(note), boilerplate, language, left_out))
    if not any(chunk.embed_text for chunk in chunks):
        # Nothing to embed: the note is found by its title, in every lane.
        chunks = _embed_title(chunks, strip_invisible(title), language)
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
        strip_invisible(_whole_text(note, chunks)),
        strip_invisible(title),
        embedding_digest(strip_invisible(title)),
    )


def shorten_note(note: Note) -> Note:
    """Leave out what is more than one file may cost, and say from where on."""
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
    """Name the way in which notes are prepared now; a note prepared in another way is read again."""
    return f"{FORMAT}.{REMEMBERED}.{boilerplate.version}"


def embedding_digest(embed_text: str) -> Digest:
    """Name a text that is embedded, under the passage format."""
    return Digest(hashlib.sha256(f"{FORMAT}\n{embed_text}".encode()).hexdigest())


def _chunks(
    note: Note, cut: Sequence[PassageDraft], boilerplate: Boilerplate, language: str | None, left_out: list[str]
) -> list[Chunk]:
    """Make each stretch a passage, noting what is left out."""
    line_of = LineOf(note.text)
    chunks: list[Chunk] = []
    for draft in cut:
        text = strip_invisible(note.text[slice(*draft.span)])
        heading = strip_invisible(" > ".join(draft.heading))
        embed_text = _embed_text(draft, text, boilerplate, left_out)
        chunks.append(_chunk(heading, line_of.lines(draft.span), strip_html_tags(text), embed_text, language))
    return chunks


def _chunk(heading: str, lines: Lines, text: str, embed_text: str, language: str | None) -> Chunk:
    """Store a passage's text once, between the words that only search needs."""
    front = f"{heading}\n" if heading else ""
    korean = index_forms(text, None)
    return Chunk(
        heading=heading,
        lines=lines,
        words=f"{front}{text}\n{korean}" if korean else front + text,
        start=len(front),
        length=len(text),
        forms=index_forms(front + text, language),
        embed_text=embed_text,
        digest=embedding_digest(embed_text),
    )


def _embed_text(draft: PassageDraft, text: str, boilerplate: Boilerplate, left_out: list[str]) -> str:
    """Return what of a passage is embedded: its heading path and its words, without what recurs."""
    said, programs = drop_programs(text)
    left_out += programs
    if boilerplate.recurring:
        lines = said.split("\n")
        recurring = [line for line in lines if line in boilerplate]
        if recurring:
            left_out += [line.strip() for line in recurring]
            dropped = frozenset(recurring)
            said = "\n".join(line for line in lines if line not in dropped)
    body = strip_markdown(said)
    path = [heading for heading in draft.heading if f"# {heading}" not in boilerplate]
    # The section's own headings stand in front already.
    shown = body.split("\n")
    while shown and shown[0] in path:
        shown.pop(0)
    body = "\n".join(shown).strip()
    if not body and not draft.bare:
        return ""
    return "\n".join(part for part in (strip_markdown(" > ".join(path)), body) if part)


def _embed_title(chunks: tuple[Chunk, ...], title: str, language: str | None) -> tuple[Chunk, ...]:
    """Let the title speak for a note that says nothing to embed."""
    if not chunks:
        return (_chunk("", (1, 1), title, title, language),)
    first = chunks[0]
    return (
        Chunk(
            first.heading,
            first.lines,
            first.words,
            first.start,
            first.length,
            first.forms,
            title,
            embedding_digest(title),
        ),
        *chunks[1:],
    )


def _whole_text(note: Note, chunks: Sequence[Chunk]) -> str:
    """Return the whole note's words, title, aliases and properties too."""
    front = " ".join((note.title, *note.aliases))
    body = (
        strip_html_tags(note.text)
        if note.kind == "note"
        else "\n".join((note.text[: note.body], *(c.words for c in chunks)))
    )
    korean = index_forms(front + "\n" + body, None)
    return "\n".join(part for part in (front, body, korean) if part)
