"""Text views of notes, lists of them, folders and tags."""

from collections.abc import Iterable, Sequence

from bridge.api.change_view import written_view
from bridge.api.markup import (
    Answer,
    Column,
    Document,
    Element,
    Line,
    Segment,
    Table,
    aside,
    notice,
    notices,
    page_notice,
    path_of,
)
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
    Column("digest", detail=True),
)


def note_view(answer: Answer) -> Iterable[Element]:
    """Show a note: what is needed to continue or to edit it, then its text unchanged, to the end."""
    yield from _note_facts(answer)
    if answer.get("outline") is None:
        yield Document(answer["text"], TEXT)


def _note_facts(answer: Answer) -> Iterable[Element]:
    first, last = answer["lines"]
    tags = "".join(f" #{inline(tag)}" for tag in answer["tags"])
    facts = f" · lines {first}-{last} of {answer['total_lines']} · digest {answer['digest'][:SHORT_DIGEST]}"
    title = aside(f"{inline(answer['title'])}  ", "title")
    yield Line(title, path_of(answer["path"]), Segment(facts, "muted"), aside(tags, "tag"))
    yield from notices(answer.get("notices", ()))
    if answer.get("outline") is not None:
        yield from _outline(answer)
        return
    if more := answer.get("next"):
        offset = f" and `offset: {more['offset']}`" if more["offset"] else ""
        yield notice(f"Cut; read on with `lines: {more['lines']}`{offset}.")
    if (first, last) != (1, answer["total_lines"]) and answer["headings"]:
        yield f"sections: {_join_limited(answer['headings'])}"
    yield from notices(answer["problems"])


def _outline(answer: Answer) -> Iterable[Element]:
    """Show the sections of a note, one per line, and its properties; a heading's parents are in the lines above."""
    yield from (f"{name}: {inline(value)}" for name, value in answer["properties"].items())
    above: list[str] = []
    for one in answer["outline"]:
        path = one["heading"]
        while above and not path.startswith(f"{above[-1]} > "):
            above.pop()
        # Only with its parents is a heading found by its line.
        text = path.removeprefix(f"{above[-1]} > ") if above and not has_line_number(path) else path
        marks = "#" if text == path else "#" * (len(above) + 1)
        above.append(path)
        heading = Segment(inline(text), "heading")
        yield Line(f"{one['lines'][0]}-{one['lines'][1]} {marks} ", heading, f" ({one['chars']:,} characters)")
    if not answer["outline"]:
        yield "It has no headings."


def _join_limited(words: Sequence[str]) -> str:
    rest = f" | … and {len(words) - MAX_SHOWN} more" if len(words) > MAX_SHOWN else ""
    return " | ".join(map(inline, words[:MAX_SHOWN])) + rest


def notes_view(answer: Answer) -> Iterable[Element]:
    """Show several notes; each text ends with a marker of the note's digest, which no note can contain itself."""
    for part in answer["notes"]:
        if part["note"] is None:
            yield Line(Segment(inline(part["asked"]), "path"), " · ", Segment(inline(part["problem"]), "error"))
            continue
        yield from _note_facts(part["note"])
        if part["note"].get("outline") is None:
            yield Document(part["note"]["text"], TEXT, f"--- end of {part['note']['digest'][:SHORT_DIGEST]} ---")


def note_list_view(answer: Answer) -> Iterable[Element]:
    yield page_notice(answer, "notes", "note")
    yield from notices(answer.get("notices", ()))
    yield Table(NOTES, [{**one, "digest": one["digest"][:SHORT_DIGEST]} for one in answer["notes"]])


def folder_list_view(answer: Answer) -> Iterable[Element]:
    """Show the folders, one per line, each with its number of notes, including those below."""
    yield Table((Column("path", role="path"), Column("notes")), answer["folders"])
    if not answer["folders"]:
        yield notice("No folders.")


def tag_list_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer.get("notices", ()))
    yield Table((Column("tag", "#{}"), Column("count", " {}")), answer["tags"], most=MAX_SHOWN)
    if not answer["tags"]:
        yield notice("No tags.")


def daily_note_view(answer: Answer) -> Iterable[Element]:
    if answer.get("change_id") or answer["diff"]:
        yield from written_view(answer)
        return
    yield from notices(answer["warnings"], "note: ")
    if answer["text"] is None:
        yield notice(path_of(answer["path"]), f" · {answer['date']} · there is none yet")
        yield notice(aside("`append` creates it."))
    else:
        digest = f" · digest {answer['digest'][:SHORT_DIGEST]}" if answer["digest"] else ""
        yield Line(path_of(answer["path"]), Segment(f" · {answer['date']}{digest}", "muted"))
        yield Document(answer["text"], TEXT)
