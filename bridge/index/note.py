"""The facts that the index keeps of each note, in memory for all notes at once."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from sys import intern
from typing import Any, cast

import msgspec
from msgspec.structs import astuple

from bridge.markdown.note import Heading, Link, LinkKind, Note, Value, field_of, property_of, type_of
from bridge.markdown.prose import has_asides
from bridge.markdown.tasks import parse_task
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.invisible import replace_surrogates
from bridge.types import Digest, NoteKind, VaultPath

Notes = Mapping[VaultPath, "IndexedNote"]

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")

NO_PROPERTIES: Mapping[str, Value] = {}


class IndexedTask(Record):
    """A task as the index keeps it: its text after the box, and the facts by which tasks are filtered."""

    status: str
    text: str
    line: int
    parent: int | None
    due: str | None
    tags: tuple[str, ...]


class IndexedNote(Record):
    """A note as the index keeps it. Headings, links and tasks are packed, and unpacked at each access."""

    path: VaultPath
    title: str
    kind: NoteKind
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, Value]
    digest: Digest
    mtime_ns: int
    size: int
    passages: int
    left_out: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str, str], ...] = ()
    """The arrows of a canvas: their ends as in `CanvasEdge`, and their labels."""
    language: str | None = None
    recipe: str = ""
    asides: bool = False
    """Whether file names may occur outside its links: in a query, or in the definition of a reference link."""
    packed_headings: str = "[]"
    packed_links: str = "[]"
    packed_tasks: str = ""
    """Empty when there are none."""
    passages_of: Digest = Digest("")
    """Digest of the version of the file that was cut into its passages, if only its properties changed since.

    Notes are compared without it.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedNote) and astuple(self)[:-1] == astuple(other)[:-1]

    def __hash__(self) -> int:
        return hash(self.path)

    @property
    def mtime(self) -> float:
        """Modification time of the file, in seconds since the epoch."""
        return self.mtime_ns / 1e9

    @property
    def note_type(self) -> str:
        """The kind of note that the property `type` names, folded, such as `decision`; empty without one."""
        return type_of(self.properties)

    @property
    def is_left_alone(self) -> bool:
        """Whether the property `tidy: ignore`, whose name was `gardener`, says that plans leave the note alone."""
        values = (property_of(self.properties, name) for name in ("tidy", "gardener"))
        return any(isinstance(value, str) and fold_case(value.strip()) == "ignore" for value in values)

    @property
    def headings(self) -> tuple[Heading, ...]:
        return _headings(self.packed_headings)

    @property
    def heading_texts(self) -> tuple[str, ...]:
        return tuple(heading[0] for heading in json.loads(self.packed_headings)) if self.packed_headings != "[]" else ()

    @property
    def targets(self) -> tuple[tuple[str, LinkKind], ...]:
        """The link targets as written, with the kind of each link; much faster than `links`."""
        if self.packed_links == "[]":
            return ()
        return tuple((link[0], link[2]) for link in json.loads(self.packed_links))

    @property
    def links(self) -> tuple[Link, ...]:
        if self.packed_links == "[]":
            return ()
        return tuple(
            Link(target, shown, cast("LinkKind", kind), line, (start, end), bool(embed))
            for target, shown, kind, line, start, end, embed in json.loads(self.packed_links)
        )

    @property
    def tasks(self) -> tuple[IndexedTask, ...]:
        """The tasks of a Markdown note, in order."""
        if not self.packed_tasks:
            return ()
        return tuple(
            IndexedTask(status, text, line, parent, due, tuple(tags))
            for status, text, line, parent, due, *tags in json.loads(self.packed_tasks)
        )


@lru_cache(maxsize=512)
def _headings(packed: str) -> tuple[Heading, ...]:
    """Unpack headings; cached, because one answer requests those of its notes repeatedly."""
    return tuple(Heading(text, level, line, (start, end)) for text, level, line, start, end in json.loads(packed))


def pack_note(
    note: Note,
    *,
    mtime_ns: int,
    size: int,
    passages: int,
    left_out: tuple[str, ...],
    language: str | None,
    recipe: str,
) -> IndexedNote:
    return IndexedNote(
        path=note.path,
        title=note.title,
        kind=note.kind,
        aliases=note.aliases,
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)),
        properties=note.properties or NO_PROPERTIES,
        digest=note.digest,
        mtime_ns=mtime_ns,
        size=size,
        passages=passages,
        left_out=left_out,
        problems=note.problems,
        arrows=tuple((edge.source, edge.target, edge.label) for edge in note.edges),
        language=language,
        recipe=recipe,
        asides=has_asides(note.text),
        packed_headings=json.dumps([[h.text, h.level, h.line, *h.span] for h in note.headings]),
        packed_links=json.dumps(
            [[each.target, each.shown, each.kind, each.line, *each.span, each.embed] for each in note.links]
        ),
        packed_tasks=_packed_tasks(note),
    )


def _packed_tasks(note: Note) -> str:
    """Pack the tasks of a Markdown note; line numbers of other files do not refer to the file."""
    if not note.tasks or note.kind != "note":
        return ""
    tags: defaultdict[int, list[str]] = defaultdict(list)
    for tag in note.tags:
        tags[tag.line].append(tag.name)
    return json.dumps(
        [
            [task.status, task.text, task.line, task.parent, parse_task(task.text).due, *tags[task.line]]
            for task in note.tasks
        ]
    )


def encode_facts(note: IndexedNote) -> str:
    """Serialise the facts without a column of their own; as ASCII JSON, which can hold any text of a note."""
    facts = {
        "aliases": note.aliases,
        "tags": note.tags,
        "properties": dict(note.properties),
        "left_out": note.left_out,
        "problems": note.problems,
        "arrows": note.arrows,
        "language": note.language,
        "asides": note.asides,
        "title": note.title,
        "tasks": note.packed_tasks,
        "passages_of": note.passages_of,
        # A name that is not valid Unicode cannot be stored in the column.
        "path": None if note.path == replace_surrogates(note.path) else note.path,
    }
    return json.dumps({name: value for name, value in facts.items() if value}, default=to_plain)


def to_plain(value: object) -> object:
    """Convert nested mappings and sequences of any type to plain ones."""
    return dict(value) if isinstance(value, Mapping) else list(cast("Any", value))


FACT_COLUMNS = ("path", "kind", "digest", "recipe", "mtime_ns", "size", "passages", "facts", "headings", "links")
"""The columns of the notes table from which a note is decoded."""


def decode_note(
    path: str,
    kind: NoteKind,
    digest: str,
    recipe: str,
    mtime_ns: int,
    size: int,
    passages: int,
    facts: str,
    headings: str,
    links: str,
) -> IndexedNote:
    """Decode a row of the notes table: the values of `FACT_COLUMNS`."""
    known = read_json(facts)
    return IndexedNote(
        path=VaultPath(known.get("path", path)),
        title=known.get("title", ""),
        kind=cast("NoteKind", intern(kind)),
        aliases=tuple(known.get("aliases", ())),
        tags=tuple(known.get("tags", ())),
        properties=known.get("properties") or NO_PROPERTIES,
        digest=Digest(digest),
        mtime_ns=mtime_ns,
        size=size,
        passages=passages,
        left_out=tuple(known.get("left_out", ())),
        problems=tuple(known.get("problems", ())),
        arrows=tuple((source, target, label) for source, target, label in known.get("arrows", ())),
        language=known.get("language"),
        recipe=intern(recipe),
        asides=known.get("asides", False),
        passages_of=Digest(known.get("passages_of", "")),
        packed_headings=headings,
        packed_links=links,
        packed_tasks=known.get("tasks", ""),
    )


def read_json(data: str | bytes) -> Any:
    """Decode JSON, also such with texts that are no valid Unicode, as those of a note may be."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return json.loads(data)


def day_in_name(path: VaultPath) -> date | None:
    """Return the day that the name of a file gives, as in `2026-05-01 Sowing.md`."""
    for found in _DAY.finditer(path.rpartition("/")[2]):
        try:
            return date(*map(int, found.groups()))
        except ValueError:
            continue
    return None


def time_written(note: IndexedNote) -> float:
    """Return when a note was written: as its properties say, else when its file was modified."""
    return _time_in(note, ("updated", "created"))


def time_created(note: IndexedNote) -> float:
    """Return when a note was created: as its properties say, else when its file was modified."""
    return _time_in(note, ("created", "date"))


def _time_in(note: IndexedNote, names: tuple[str, ...]) -> float:
    for name in names:
        try:
            return datetime.fromisoformat(str(field_of(note.properties, name))).timestamp()
        except ValueError:
            continue
    return note.mtime
