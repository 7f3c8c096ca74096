"""Reading one note, whole or in parts, as it is on disk now."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from bridge.errors import InvalidArguments, NoteNotFound
from bridge.operations.call import Call
from bridge.operations.missing import no_such_note
from bridge.operations.registry import operation
from bridge.types import Digest, Lines, Span, VaultPath

if TYPE_CHECKING:
    from bridge.engine import VaultEngine
    from bridge.vault import Note

LARGE = 2**20
"""Bytes of a file after which the memory that it took is given back at once."""


@dataclass(frozen=True, slots=True)
class Next:
    """Arguments that read on where this answer was cut.

    Attributes:
        lines: The lines that are left.
        offset: Characters of them that were already read.
    """

    lines: Lines
    offset: int


@dataclass(frozen=True, slots=True)
class OutlinedSection:
    """A section of a note.

    Attributes:
        heading: Its heading path, such as `A > B`.
        lines: First and last line of the section, subsections included.
        chars: Characters of its text, subsections included.
    """

    heading: str
    lines: Lines
    chars: int


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note, or the part of it that was asked for.

    Attributes:
        path: The note.
        title: Its title.
        text: The text that was asked for.
        digest: SHA-256 of the whole file as it was read.
        lines: First and last line of `text`.
        total_lines: Lines of the whole note.
        properties: Its properties, with YAML 1.2 meaning.
        headings: The heading path of each section, such as `A > B`, or `A > B (line 12)` where several have it; each
            can be given as `section`.
        tags: Its tags, without `#`.
        aliases: Its other names.
        problems: What could not be read of it.
        next: Present when `text` was cut: arguments that read on.
        outline: Present when only the outline was asked for: its sections with their lines and sizes.
    """

    path: VaultPath
    title: str
    text: str
    digest: Digest
    lines: Lines
    total_lines: int
    properties: Mapping[str, Any]
    headings: tuple[str, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    problems: tuple[str, ...]
    next: Next | None = None
    outline: tuple[OutlinedSection, ...] | None = None


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "section": "Feeding", "max_chars": 400},
    tasks=("open a note", "show the text of a note", "read one section", "outline of a note", "read some lines"),
)
async def read_note(
    call: Call,
    path: VaultPath,
    section: str | None = None,
    lines: Lines | None = None,
    offset: Annotated[int, Interval(ge=0)] = 0,
    max_chars: Annotated[int, Interval(ge=1)] | None = None,
    outline: bool = False,
) -> ReadNote:
    """Read a note from the disk: all of it, one section, some lines, or only its outline.

    Args:
        path: The note.
        section: Only the section under this heading, such as `A > B`.
        lines: Only these lines, first and last.
        offset: Characters to skip at the start, as `next` said.
        max_chars: Most characters of text to return; `next` reads on.
        outline: Only the headings with their lines and sizes, without text: for a long note.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        HeadingNotFound: The note has no such heading; `headings` lists those it has.
        AmbiguousHeading: The heading names two sections; `headings` lists the candidates.
    """
    if (section is not None) + (lines is not None) + outline > 1:
        raise InvalidArguments("Give only one of `section`, `lines` and `outline`.")
    note = await asyncio.to_thread(opened, call.engine, path)
    if outline:
        return outlined(note)
    first, last = chosen(note, section, lines)
    return cut(note, first, last, offset, max_chars)


def opened(engine: "VaultEngine", path: VaultPath) -> "Note":
    """Read and parse a note.

    Raises:
        NoteNotFound: There is no such note.
    """
    from bridge.index import trim_soon
    from bridge.vault import is_document, read_document

    if not is_document(path):
        raise (
            no_such_note(engine, path)
            if path not in engine.names
            else NoteNotFound(
                f"`{path}` is a file without text that can be read.",
                hint="`note_links` tells which notes use it.",
                path=path,
            )
        )
    try:
        data, _ = engine.vault.read(path)
    except NoteNotFound:
        raise no_such_note(engine, path) from None
    note = read_document(path, data, max_pdf_pages=engine.settings.max_pdf_pages)
    engine.recent.keep(note.digest, data)
    if len(data) > LARGE:
        trim_soon()
    return note


def chosen(note: "Note", section: str | None, lines: Lines | None) -> Lines:
    """Return the lines that the caller means.

    Raises:
        InvalidArguments: The note has no such lines.
        HeadingNotFound: It has no such heading.
        AmbiguousHeading: The heading names two sections.
    """
    from bridge.vault import section as find_section

    total = count_lines(note.text)
    if section is not None:
        start, end = find_section(note, section)
        return line_at(note.text, start), line_at(note.text, max(start, end - 1))
    if lines is None:
        return 1, total
    first, last = lines
    if not 1 <= first <= last:
        raise InvalidArguments(f"`lines` must be a first and a last line, from 1 on, not {first} to {last}.")
    if first > total:
        raise InvalidArguments(f"`lines` begins at {first}, but `{note.path}` has {total} lines.", total_lines=total)
    return first, min(last, total)


def cut(note: "Note", first: int, last: int, offset: int, max_chars: int | None) -> ReadNote:
    """Return the lines from `first` to `last`, cut to what fits."""
    from bridge.vault import section_names

    start, end = span_of(note.text, first, last)
    start = min(start + offset, end)
    stop = end if max_chars is None else ending(note.text, start, end, max_chars)
    begun = min(line_at(note.text, start), last)
    rest = Next((line_at(note.text, stop), last), stop - line_start(note.text, stop)) if stop < end else None
    return ReadNote(
        path=note.path,
        title=note.title,
        text=note.text[start:stop],
        digest=note.digest,
        lines=(begun, line_at(note.text, stop - 1) if stop > start else begun),
        total_lines=count_lines(note.text),
        properties=note.properties,
        headings=section_names(note.headings),
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)),
        aliases=note.aliases,
        problems=note.problems,
        next=rest,
    )


def outlined(note: "Note") -> ReadNote:
    """Return a note without its text: where each section is, and how long."""
    ends = [len(note.text)] * len(note.headings)
    for at, heading in enumerate(note.headings):
        following = (later.span[0] for later in note.headings[at + 1 :] if later.level <= heading.level)
        ends[at] = next(following, len(note.text))
    read = cut(note, 1, count_lines(note.text), 0, None)
    sections = (
        OutlinedSection(path, (heading.line, line_at(note.text, max(heading.span[0], end - 1))), end - heading.span[0])
        for path, heading, end in zip(read.headings, note.headings, ends, strict=True)
    )
    return replace(read, text="", outline=tuple(sections))


def ending(text: str, start: int, end: int, max_chars: int) -> int:
    """Return where to stop: after a whole line if one fits, else inside it."""
    if end - start <= max_chars:
        return end
    return text.rfind("\n", start, start + max_chars) + 1 or start + max_chars


def count_lines(text: str) -> int:
    """Count lines split at LF; an empty file has one."""
    return max(1, text.count("\n") + (not text.endswith("\n")))


def line_at(text: str, offset: int) -> int:
    """Return the line of a character, counted from 1."""
    return text.count("\n", 0, offset) + 1


def line_start(text: str, offset: int) -> int:
    """Return where the line of a character begins."""
    return text.rfind("\n", 0, offset) + 1


def span_of(text: str, first: int, last: int) -> Span:
    """Return the characters of some lines, line ends included."""
    start = 0
    for _ in range(first - 1):
        start = text.index("\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        found = text.find("\n", end)
        if found < 0:
            return start, len(text)
        end = found + 1
    return start, end
