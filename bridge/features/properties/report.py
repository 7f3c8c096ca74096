"""Which properties the notes have, and which values."""

import asyncio
from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder, Scalar
from bridge.api.note_names import snapshot, unknown_names
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.features.properties.census import PropertyCount, ValueCount, count_properties, count_values
from bridge.features.properties.schema_note import find_templates
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.search.filters import filter_notes
from bridge.search.model import SearchRequest
from bridge.text.fold import fold_case
from bridge.types import Among, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

MAX_EXAMPLE_VALUES = 5

MAX_NOTES = 3
"""Notes that are named of a value."""

Name = Annotated[str, Meta(max_length=200)]


class PropertyFacts(Record):
    """A property.

    Attributes:
        name: Its name, in the most common spelling.
        notes: Notes that have it.
        share: Their share of the notes looked at, from 0 to 1.
        types: The types of its values with the number of notes, most common first.
        obsidian_type: The type that Obsidian assigns to it, if any.
        values: Number of distinct values.
        examples: Its most common values.
        spellings: All spellings of its name.
        problems: What is inconsistent.
    """

    name: str
    notes: int
    share: float
    types: Mapping[str, int]
    obsidian_type: str | None
    values: int
    examples: tuple[str, ...]
    spellings: tuple[str, ...]
    problems: tuple[str, ...]


class ListedValue(Record):
    """A value of a property.

    Attributes:
        value: The value, in its most common spelling.
        type: Its type.
        notes: Notes that have it.
        spellings: Its spellings with the number of notes, if it has several.
        paths: The first notes that have it, at most 3.
    """

    value: Scalar
    type: str
    notes: int
    spellings: tuple[str, ...]
    paths: tuple[VaultPath, ...]


class PropertyReport(Record):
    """The properties in use, or the values of one.

    Attributes:
        properties: Most used first; none where values are asked for.
        total: Count before `limit`.
        notes: Notes looked at, or those that have the property.
        unreadable: Notes whose properties cannot be read, at most 50.
        notices: Remarks, such as on a missing folder.
        values: The values of the property, most used first; null without `name`.
    """

    properties: tuple[PropertyFacts, ...]
    total: int
    notes: int
    unreadable: tuple[VaultPath, ...] = ()
    notices: tuple[str, ...] = ()
    values: tuple[ListedValue, ...] | None = None


@operation(
    example={"folder": "Bread", "limit": 5},
    tasks=(
        "which properties do the notes have",
        "overview of the frontmatter",
        "show the properties of all notes",
        "which fields are used and with which types",
        "find properties spelled in several ways",
        "what is inconsistent in the metadata",
        "which values does a property have",
        "all values of a field with their counts",
        "find misspelled values of a property",
        "which statuses are in use",
    ),
)
async def property_report(
    call: Call,
    name: Name | None = None,
    folder: Folder | None = None,
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 50,
    among: Among | None = None,
) -> PropertyReport:
    """List the properties of notes with types, common values, spellings and inconsistencies, or the values of one.

    Templates are left out, unless there are only templates, as in their folder.

    Args:
        name: List the values of this property, items of lists each on their own.
        folder: Only notes under this folder.
        limit: Maximum properties or values.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    vault = call.vault
    vault.require_keyword()
    every = snapshot(vault, choose_among(vault, among, (folder,)))

    def count() -> PropertyReport:

        named = select_notes(every, folder)
        # What stands in a template is no value yet.
        templates = find_templates(vault, every)
        notes = [note for note in named if note.path not in templates] or named
        if name is not None:
            values = count_values(notes, name.strip())
            having = {path for one in values for path in one.paths}
            notices = unknown_names(every, folder, properties=None if having else {name: None})
            shown = tuple(map(describe_value, values[:limit]))
            return PropertyReport((), len(values), len(having), notices=notices, values=shown)
        types = {fold_case(name): kind for name, kind in read_obsidian_settings(vault.root).property_types.items()}
        found = count_properties(notes)
        unreadable = sorted(note.path for note in notes if note.problems and not note.properties)
        return PropertyReport(
            tuple(describe_property(one, len(notes), types.get(fold_case(one.name))) for one in found[:limit]),
            len(found),
            len(notes),
            tuple(path for path in unreadable if path.lower().endswith(".md"))[:50],
            unknown_names(every, folder),
        )

    return await asyncio.to_thread(count)


def select_notes(notes: Mapping[VaultPath, IndexedNote], folder: str | None) -> list[IndexedNote]:
    """Return the Markdown notes of a folder, by path, so that equal counts keep one order."""
    passing = filter_notes(notes, SearchRequest(query="", folder=folder))
    return [
        note
        for path, note in sorted(notes.items())
        if path.lower().endswith(".md") and (passing is None or path in passing)
    ]


def describe_property(found: PropertyCount, notes: int, obsidian_type: str | None) -> PropertyFacts:
    count = found.spellings.total()
    spellings = tuple(name for name, _ in found.spellings.most_common())
    kinds = {str(kind): number for kind, number in found.kinds.most_common()}
    problems = []
    if len(spellings) > 1:
        problems.append(f"It has {len(spellings)} spellings: {', '.join(spellings)}.")
    # An empty property has every type, and a single value stands for a list of one.
    real = [(kind, number) for kind, number in kinds.items() if kind not in ("empty", "list")]
    if len(real) > 1:
        problems.append(f"Its values differ in type: {', '.join(f'{number} {kind}' for kind, number in real)}.")
    examples = tuple(text or "(empty)" for text in found.common_values(MAX_EXAMPLE_VALUES))
    return PropertyFacts(
        found.name,
        count,
        round(count / notes, 3) if notes else 0.0,
        kinds,
        obsidian_type,
        len(found.values),
        examples,
        spellings,
        tuple(problems),
    )


def describe_value(found: ValueCount) -> ListedValue:
    several = found.spellings.most_common() if len(found.spellings) > 1 else []
    spellings = tuple(f"{value} ({number})" for value, number in several)
    return ListedValue(found.value, found.kind, len(found.paths), spellings, tuple(found.paths[:MAX_NOTES]))
