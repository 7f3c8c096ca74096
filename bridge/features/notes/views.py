"""Text views of notes, lists of them, folders and tags."""

from collections.abc import Iterable, Sequence

from bridge.api.change_view import written_view
from bridge.api.markup import (
    Column,
    Document,
    Element,
    Line,
    Segment,
    Table,
    aside,
    notice,
    notices,
    path_of,
)
from bridge.api.page import page_notice
from bridge.features.notes.daily import DailyNote
from bridge.features.notes.operations import FolderList, FoundNotes, TagList
from bridge.features.notes.read import ReadNote, ReadNotes
from bridge.markdown.sections import has_line_number
from bridge.text.invisible import inline
from bridge.types import SHORT_DIGEST

TEXT = "text of the note"

MAX_SHOWN = 100
"""Most tags or sections that a model reads."""

NOTES = (
    Column("path", role="path"),
    Column("title", ""),
    Column("tags", lambda tags: " ·" + "".join(f" #{inline(tag)}" for tag in tags)),
    Column("modified", most=10),
    Column("digest", value=lambda note: note.digest[:SHORT_DIGEST], pipe=True),
    Column("linked", " · linked from {}"),
    Column("aliases", lambda aliases: " · also " + ", ".join(map(inline, aliases)), detail=True),
)


def note_view(note: ReadNote) -> Iterable[Element]:
    """Show a note: what is needed to continue or to edit it, then its text unchanged, to the end."""
    yield from _note_facts(note)
    if note.outline is None:
        yield Document(note.text, TEXT)


def _note_facts(note: ReadNote) -> Iterable[Element]:
    first, last = note.lines
    tags = "".join(f" #{inline(tag)}" for tag in note.tags)
    facts = f" · lines {first}-{last} of {note.total_lines} · digest {note.digest[:SHORT_DIGEST]}"
    title = aside(f"{inline(note.title)}  ", "title")
    yield Line(title, path_of(note.path), Segment(facts, "muted"), aside(tags, "tag"))
    yield from notices(note.notices)
    if note.outline is not None:
        yield from _outline(note)
        return
    if more := note.next:
        offset = f" and `offset: {more.offset}`" if more.offset else ""
        yield notice(f"Cut; read on with `lines: {list(more.lines)}`{offset}.")
    if (first, last) != (1, note.total_lines) and note.headings:
        yield f"sections: {_join_limited(note.headings)}"
    yield from notices(note.problems)


def _outline(note: ReadNote) -> Iterable[Element]:
    """Show the sections of a note, one per line, and its properties; a heading's parents are in the lines above."""
    yield from (f"{inline(name)}: {inline(value)}" for name, value in note.properties.items())
    above: list[str] = []
    for one in note.outline or ():
        path = one.heading
        while above and not path.startswith(f"{above[-1]} > "):
            above.pop()
        # Only with its parents is a heading found by its line.
        text = path.removeprefix(f"{above[-1]} > ") if above and not has_line_number(path) else path
        marks = "#" if text == path else "#" * (len(above) + 1)
        above.append(path)
        heading = Segment(inline(text), "heading")
        yield Line(f"{one.lines[0]}-{one.lines[1]} {marks} ", heading, f" ({one.chars:,} characters)")
    if not note.outline:
        yield "It has no headings."


def _join_limited(words: Sequence[str]) -> str:
    rest = f" | … and {len(words) - MAX_SHOWN} more" if len(words) > MAX_SHOWN else ""
    return " | ".join(map(inline, words[:MAX_SHOWN])) + rest


def notes_view(read: ReadNotes) -> Iterable[Element]:
    """Show several notes; each text ends with a marker of the note's digest, which no note can contain itself."""
    for part in read.notes:
        if part.note is None:
            yield Line(Segment(inline(part.asked), "path"), " · ", Segment(inline(part.problem), "error"))
            continue
        yield from _note_facts(part.note)
        if part.note.outline is None:
            yield Document(part.note.text, TEXT, f"--- end of {part.note.digest[:SHORT_DIGEST]} ---")


def note_list_view(found: FoundNotes) -> Iterable[Element]:
    yield page_notice(found.notes, found, "note")
    yield from notices(found.notices)
    yield Table(NOTES, found.notes)


def folder_list_view(found: FolderList) -> Iterable[Element]:
    """Show the folders, one per line, each with its number of notes, including those below."""
    yield Table((Column("path", role="path"), Column("notes")), found.folders)
    if not found.folders:
        yield notice("No folders.")


def tag_list_view(found: TagList) -> Iterable[Element]:
    yield from notices(found.notices)
    yield Table((Column("tag", "#{}"), Column("count", " {}")), found.tags, most=MAX_SHOWN)
    if not found.tags:
        yield notice("No tags.")


def daily_note_view(note: DailyNote) -> Iterable[Element]:
    if note.change_id or note.diff:
        yield from written_view(note)
        return
    yield from notices(note.warnings, "note: ")
    if note.text is None:
        yield notice(path_of(note.path), f" · {note.date} · there is none yet")
        yield notice(aside("`append` creates it."))
    else:
        digest = f" · digest {note.digest[:SHORT_DIGEST]}" if note.digest else ""
        yield Line(path_of(note.path), Segment(f" · {note.date}{digest}", "muted"))
        yield Document(note.text, TEXT)
