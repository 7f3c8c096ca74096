"""Note → what the index stores of it; pure, so that it can run in any process."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bridge.index.boilerplate import Boilerplate
from bridge.index.chunk import Draft, LineOf, drafts
from bridge.index.language import forms, language_of
from bridge.index.note import IndexedNote, packed
from bridge.index.reduce import reduced, without_programs, without_tags
from bridge.index.script import seen
from bridge.types import Digest, Lines
from bridge.vault import Note

if TYPE_CHECKING:
    from bridge.vault import Stat

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
class Prepared:
    """All that the index stores of one note."""

    note: IndexedNote
    chunks: tuple[Chunk, ...]
    whole: str
    title_text: str
    titled: Digest


def prepare(note: Note, stat: "Stat", boilerplate: Boilerplate) -> Prepared:
    """Cut a note into passages and gather what is known of it.

    Args:
        note: The parsed file.
        stat: Its time and size when it was read.
        boilerplate: What recurs across the vault and is not embedded.
    """
    note = shortened(note)
    title = " · ".join((note.title, *note.aliases))[:TITLE_CHARACTERS]
    language = language_of(note.text[note.body :] if len(note.text) - note.body > 200 else note.text)
    left_out: list[str] = []
    chunks = tuple(_chunks(note, drafts(note), boilerplate, language, left_out))
    if not any(chunk.embed_text for chunk in chunks):
        # Nothing to embed: the note is found by its title, in every lane.
        chunks = _titled(chunks, seen(title), language)
    indexed = packed(
        note,
        mtime_ns=stat.mtime_ns,
        size=stat.size,
        passages=len(chunks),
        left_out=tuple(dict.fromkeys(left_out))[:LEFT_OUT_SHOWN],
        language=language,
        recipe=recipe(boilerplate),
    )
    return Prepared(indexed, chunks, seen(_whole(note, chunks)), seen(title), digest_of(seen(title)))


def shortened(note: Note) -> Note:
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


def recipe(boilerplate: Boilerplate) -> str:
    """Name the way in which notes are prepared now; a note prepared in another way is read again."""
    return f"{FORMAT}.{REMEMBERED}.{boilerplate.version}"


def digest_of(embed_text: str) -> Digest:
    """Name a text that is embedded, under the passage format."""
    return Digest(hashlib.sha256(f"{FORMAT}\n{embed_text}".encode()).hexdigest())


def _chunks(
    note: Note, cut: Sequence[Draft], boilerplate: Boilerplate, language: str | None, left_out: list[str]
) -> list[Chunk]:
    """Make each stretch a passage, noting what is left out."""
    line_of = LineOf(note.text)
    chunks: list[Chunk] = []
    for draft in cut:
        text = seen(note.text[slice(*draft.span)])
        heading = seen(" > ".join(draft.heading))
        embed_text = _embed_text(draft, text, boilerplate, left_out)
        chunks.append(_chunk(heading, line_of.lines(draft.span), without_tags(text), embed_text, language))
    return chunks


def _chunk(heading: str, lines: Lines, text: str, embed_text: str, language: str | None) -> Chunk:
    """Store a passage's text once, between the words that only search needs."""
    front = f"{heading}\n" if heading else ""
    korean = forms(text, None)
    return Chunk(
        heading=heading,
        lines=lines,
        words=f"{front}{text}\n{korean}" if korean else front + text,
        start=len(front),
        length=len(text),
        forms=forms(front + text, language),
        embed_text=embed_text,
        digest=digest_of(embed_text),
    )


def _embed_text(draft: Draft, text: str, boilerplate: Boilerplate, left_out: list[str]) -> str:
    """Return what of a passage is embedded: its heading path and its words, without what recurs."""
    said, programs = without_programs(text)
    left_out += programs
    if boilerplate.recurring:
        lines = said.split("\n")
        recurring = [line for line in lines if line in boilerplate]
        if recurring:
            left_out += [line.strip() for line in recurring]
            dropped = frozenset(recurring)
            said = "\n".join(line for line in lines if line not in dropped)
    body = reduced(said)
    path = [heading for heading in draft.heading if f"# {heading}" not in boilerplate]
    # The section's own headings stand in front already.
    shown = body.split("\n")
    while shown and shown[0] in path:
        shown.pop(0)
    body = "\n".join(shown).strip()
    if not body and not draft.bare:
        return ""
    return "\n".join(part for part in (reduced(" > ".join(path)), body) if part)


def _titled(chunks: tuple[Chunk, ...], title: str, language: str | None) -> tuple[Chunk, ...]:
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
            digest_of(title),
        ),
        *chunks[1:],
    )


def _whole(note: Note, chunks: Sequence[Chunk]) -> str:
    """Return the whole note's words, title, aliases and properties too."""
    front = " ".join((note.title, *note.aliases))
    body = (
        without_tags(note.text)
        if note.kind == "note"
        else "\n".join((note.text[: note.body], *(c.words for c in chunks)))
    )
    korean = forms(front + "\n" + body, None)
    return "\n".join(part for part in (front, body, korean) if part)
