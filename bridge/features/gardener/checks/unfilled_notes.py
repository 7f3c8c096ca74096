"""Notes with nothing but the text of their template."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.changes.requests.move_note import DeleteNote
from bridge.features.gardener.checks.empty_notes import is_abandoned
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.index.templates import is_template
from bridge.markdown.kinds import title_of
from bridge.markdown.note import Note
from bridge.notebook.plan_note import plan_link
from bridge.records import dataclass
from bridge.topics.ontology import is_index_note
from bridge.types import VaultPath

LONGEST: Final = 20_000
"""Bytes of a template that is compared."""

FILLED: Final = 40
"""Characters that a field of a template becomes at most."""

FEWEST: Final = 4
"""Letters around the fields of a line by which it is known again."""

TITLE: Final = "\0"
"""Stands for the title of the note."""

_TASK: Final = re.compile(r"(?:[-*+]|\d+[.)])\s+\[.\]\s+\S")
_TITLE: Final = re.compile(r"\{\{\s*title\s*\}\}|<%[-_*]?\s*tp\.file\.title\s*[-_]?%>", re.IGNORECASE)
_MOMENT: Final = re.compile(r"\{\{\s*(?:date|time)\b.*?\}\}|<%[^%]*(?:date|now|moment)\b.*?%>", re.IGNORECASE)
_FILLED: Final = re.compile(rf"(?=.*\d).{{1,{FILLED}}}")
"""What becomes of the second kind of field."""


@dataclass(frozen=True, slots=True, eq=False)
class TemplateText:
    """What a template gives to the notes that are made from it."""

    path: VaultPath
    lines: frozenset[str]
    filled: tuple[re.Pattern[str], ...]
    """The lines with fields for a day or time, as they may be filled."""
    properties: Mapping[str, Any]
    head: str
    """Its properties as they are written, which need not be YAML before their fields are filled."""

    def gives(self, line: str, title: str) -> bool:
        named = line.replace(title, TITLE)
        return any(one in self.lines or any(pattern.fullmatch(one) for pattern in self.filled) for one in (line, named))

    def sets(self, name: str, value: Any, title: str) -> bool:
        if value in (None, "", [], ()) or (name in self.properties and self.properties[name] == value):
            return True
        written = re.search(rf"(?m)^{re.escape(name)}\s*:.*", self.head)
        if written is None:
            return False
        is_moment = _MOMENT.search(written[0]) is not None and _FILLED.fullmatch(str(value)) is not None
        return is_moment or (value == title and _TITLE.search(written[0]) is not None)


class UnfilledNotes:
    """Finds notes made from a template into which nobody wrote anything, and that nobody links to."""

    name = "unfilled_notes"
    sentence = "Notes that say no more than their template, without links to them, for at least a week."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        templates = read_templates(garden)
        most = 2 * max((garden.graph_snapshot.notes[one.path].size for one in templates), default=0)
        for note in garden.fresh():
            if note.size > most or is_index_note(note.path) or not is_abandoned(garden, note):
                continue
            read = garden.read(note)
            template = None if read is None else find_template(read, templates)
            if template is not None:
                yield GardenFinding(
                    check=self.name,
                    notes=(note.path,),
                    text=f"Delete {plan_link(note.path)}",
                    why=f"it says no more than its template {plan_link(template.path)}, and nothing links to it",
                    # Its name may be what somebody wanted to keep.
                    confidence=0.7,
                    request=DeleteNote(path=note.path, digest=note.digest),
                )


def read_templates(garden: Garden) -> list[TemplateText]:
    folder = garden.style.template_folders
    found: list[TemplateText] = []
    for path, note in garden.graph_snapshot.notes.items():
        if note.kind != "note" or note.size > LONGEST or not is_template(note, folder):
            continue
        read = garden.read(note)
        if read is not None and read.text.strip():
            found.append(read_template(path, read))
    return found


def read_template(path: VaultPath, read: Note) -> TemplateText:
    lines = [_TITLE.sub(TITLE, line) for line in body_lines(read)]
    known = (line for line in lines if _MOMENT.search(line))
    patterns = (_pattern_of(line) for line in known if sum(map(str.isalpha, _MOMENT.sub("", line))) >= FEWEST)
    return TemplateText(path, frozenset(lines), tuple(patterns), read.properties, read.text[: read.body])


def _pattern_of(line: str) -> re.Pattern[str]:
    return re.compile(_FILLED.pattern.join(map(re.escape, _MOMENT.split(line))))


def find_template(note: Note, templates: list[TemplateText]) -> TemplateText | None:
    """Return the template of which a note says nothing but the text; None if it says more.

    A note of properties alone may be an entry of a list, of which the name is what counts, and tasks may be to be done.
    """
    title = title_of(note.path)
    lines = [line for line in body_lines(note) if line != f"# {title}"]
    for one in templates if lines and not any(map(_TASK.match, lines)) else ():
        if all(one.gives(line, title) for line in lines) and all(
            one.sets(name, value, title) for name, value in note.properties.items()
        ):
            return one
    return None


def body_lines(note: Note) -> list[str]:
    lines = (line.strip() for line in note.text[note.body :].splitlines())
    return [line for line in lines if line]
