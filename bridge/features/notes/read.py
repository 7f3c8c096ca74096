"""Reading one note, whole or in parts, as it is on disk now."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import find_place
from bridge.api.note_text import count_lines, line_at, line_start, open_note, open_note_early, select_lines, span_of
from bridge.api.registry import operation
from bridge.api.write import proposal_notices
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound
from bridge.features.memory.public import count_use
from bridge.markdown.note import Note
from bridge.markdown.sections import section_names, section_spans
from bridge.records import Record
from bridge.text.lines import LineIndex
from bridge.text.words import count_words
from bridge.types import EXACT_MARK, Digest, Exact, Lines, VaultPath


class Next(Record):
    """Arguments that continue a truncated answer.

    Attributes:
        lines: The remaining lines.
        offset: Characters of them already returned.
    """

    lines: Lines
    offset: int


class OutlinedSection(Record):
    """A section of a note.

    Attributes:
        heading: Its heading path, such as `A > B`.
        lines: First and last line, subsections included.
        chars: Characters, subsections included.
        words: Words, subsections included.
    """

    heading: str
    lines: Lines
    chars: int
    words: int


class ReadNote(Record):
    """A note, or the requested part of it.

    Attributes:
        path: The note.
        title: Its title.
        text: The requested text.
        digest: SHA-256 of the whole file.
        lines: First and last line of `text`.
        total_lines: Lines of the whole note.
        properties: Its properties, parsed as YAML 1.2.
        headings: Heading paths of its sections, such as `A > B`, or `A > B (line 12)` if repeated; valid as `section`.
        tags: Its tags, without `#`.
        aliases: Its aliases.
        problems: What could not be parsed.
        next: Arguments to read on, if truncated.
        outline: Its sections, if requested.
        notices: Remarks, such as on a proposal that waits for it.
    """

    path: VaultPath
    title: str
    text: Exact
    digest: Digest
    lines: Lines
    total_lines: int
    properties: Annotated[Mapping[str, Any], EXACT_MARK]
    headings: tuple[str, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    problems: tuple[str, ...]
    next: Next | None = None
    outline: tuple[OutlinedSection, ...] | None = None
    notices: tuple[str, ...] = ()


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "section": "Feeding", "max_chars": 400},
    tasks=("open a note", "show the text of a note", "read one section", "outline of a note", "read some lines"),
)
async def read_note(
    call: Call,
    path: VaultPath,
    section: str | None = None,
    lines: Lines | None = None,
    offset: Annotated[int, Meta(ge=0)] = 0,
    max_chars: Annotated[int, Meta(ge=1)] | None = None,
    outline: bool = False,
) -> ReadNote:
    """Read a note from disk: all of it, one section, some lines, or only its outline.

    Args:
        path: The note.
        section: Only the section under this heading, such as `A > B`.
        lines: Only these lines, first and last.
        offset: Characters to skip, from `next`.
        max_chars: Maximum characters of text; `next` reads on.
        outline: Only headings, with lines and sizes: for a long note.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
    """
    if (section is not None) + (lines is not None) + outline > 1:
        raise InvalidArguments("Give only one of `section`, `lines` and `outline`.")

    def read() -> ReadNote:
        try:
            note = open_note_early(call.host, path)
        except NoteNotFound as error:
            if waiting := read_notices(call.host, path):
                error.hint = " ".join(waiting)
            raise
        if outline:
            part = outline_note(note)
        else:
            first, last = select_lines(note, section, lines)
            part = slice_note(note, first, last, offset, max_chars)
        with suppress(BridgeError):
            count_use(call.host.vault, [note.path])
        return replace(part, notices=read_notices(call.host, path))

    # All of it in a thread: one note may be as large as a vault.
    return await asyncio.to_thread(read)


def read_notices(host: Host, path: VaultPath) -> tuple[str, ...]:
    """Return the notices for who reads a note; none while the vault is not open."""
    try:
        vault = host.vault
    except BridgeError:
        return ()
    return proposal_notices(vault, [path])


def slice_note(note: Note, first: int, last: int, offset: int, max_chars: int | None) -> ReadNote:
    start, end = span_of(note.text, first, last)
    start = min(start + offset, end)
    stop = end if max_chars is None else end_offset(note.text, start, end, max_chars)
    first_line = min(line_at(note.text, start), last)
    rest = Next((line_at(note.text, stop), last), stop - line_start(note.text, stop)) if stop < end else None
    return ReadNote(
        path=note.path,
        title=note.title,
        text=note.text[start:stop],
        digest=note.digest,
        lines=(first_line, line_at(note.text, stop - 1) if stop > start else first_line),
        total_lines=count_lines(note.text),
        properties=note.properties,
        headings=section_names(note.headings),
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)),
        aliases=note.aliases,
        problems=note.problems,
        next=rest,
    )


def outline_note(note: Note) -> ReadNote:
    """Return a note without its text: where each section is, and how long."""
    read = slice_note(note, 1, count_lines(note.text), 0, None)
    line = LineIndex(note.text)
    sections = (
        OutlinedSection(
            path, (heading.line, line.at(max(start, end - 1))), end - start, count_words(note.text[start:end])
        )
        for path, heading, (start, end) in zip(
            read.headings, note.headings, section_spans(note.headings, len(note.text)), strict=True
        )
    )
    return replace(read, text="", outline=tuple(sections))


def end_offset(text: str, start: int, end: int, max_chars: int) -> int:
    if end - start <= max_chars:
        return end
    return text.rfind("\n", start, start + max_chars) + 1 or start + max_chars


View = Literal["whole", "head", "outline"]

HEAD_CHARS = 600
"""Characters of a note that are its head."""

MAX_NOTES = 20
"""Notes of one call."""


class ReadPart(Record):
    """One of the notes, or why it could not be read.

    Attributes:
        asked: The requested path.
        note: The note, or the requested part; null if unreadable.
        problem: Why it is unreadable.
    """

    asked: str
    note: ReadNote | None
    problem: str | None


class ReadNotes(Record):
    """Several notes.

    Attributes:
        notes: In the requested order.
    """

    notes: tuple[ReadPart, ...]


WantedNote = tuple[Note, int, int]
"""A note and its lines that are asked for, first and last."""


@operation(
    example={
        "paths": ["Bread/Starters/Levain.md", "Bread/Starters/Sourdough starter.md#Feeding"],
        "max_chars": 2_000,
    },
    tasks=(
        "open many notes",
        "read many notes at once",
        "read several notes together",
        "get the contents of all these notes",
        "sections of several notes",
        "first lines and properties of several notes",
    ),
)
async def read_notes(
    call: Call,
    paths: Annotated[tuple[Annotated[str, Meta(max_length=5_000)], ...], Meta(min_length=1, max_length=MAX_NOTES)],
    view: View = "whole",
    section: str | None = None,
    max_chars: Annotated[int, Meta(ge=1, le=1_000_000)] = 24_000,
) -> ReadNotes:
    """Read up to 20 notes at once; one that cannot be read does not hold back the others.

    Args:
        paths: The notes; `path#A#B` or `path#A > B` reads only that section.
        view: `head` is the properties and first lines, `outline` the headings without text.
        section: Only this section of each note whose path names none.
        max_chars: Maximum characters in all; long notes are cut first, and `read_note` reads on with `next`.
    """
    return await asyncio.to_thread(read_all, call.vault, paths, view, section, max_chars)


def read_all(vault: OpenVault, paths: Sequence[str], view: View, section: str | None, max_chars: int) -> ReadNotes:
    """Read the notes, then share the characters among them."""
    found = [read_part(vault, path, view, section) for path in paths]
    count_use(vault, (each[0].path for each in found if not isinstance(each, BridgeError)))
    sizes = [0 if isinstance(each, BridgeError) else size(each, view) for each in found]
    return ReadNotes(
        tuple(
            ReadPart(path, None, f"{each.code}: {each.message}")
            if isinstance(each, BridgeError)
            else ReadPart(path, cut_part(vault, each, view, share), None)
            for path, each, share in zip(paths, found, share_budget(sizes, max_chars), strict=True)
        )
    )


def cut_part(vault: OpenVault, part: WantedNote, view: View, share: int) -> ReadNote:
    found = outline_note(part[0]) if view == "outline" else slice_note(*part, 0, share)
    return replace(found, notices=proposal_notices(vault, [found.path]))


def read_part(vault: OpenVault, asked: str, view: View, section: str | None) -> WantedNote | BridgeError:
    try:
        path, place = find_place(vault.files, vault.names, asked)
        note = open_note(vault, path)
        heading = place if place is not None else section
        first, last = select_lines(note, heading, None)
    except BridgeError as error:
        return error
    first_line = line_at(note.text, note.body) if view == "head" and heading is None else first
    return note, min(first_line, count_lines(note.text)), last


def size(part: WantedNote, view: View) -> int:
    note, first, last = part
    whole = len(slice_note(note, first, last, 0, None).text)
    return 0 if view == "outline" else min(whole, HEAD_CHARS) if view == "head" else whole


def share_budget(sizes: Sequence[int], budget: int) -> list[int]:
    """Share characters: the shorter ones get all that they need, the longer ones as much as each other."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for left, at in zip(range(len(order), 0, -1), order, strict=True):
        given[at] = min(sizes[at], budget // left)
        budget -= given[at]
    return given
