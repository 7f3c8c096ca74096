"""Writes topics as values of the topic property, as the user would."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from bridge.changes.requests.edit_note import SetProperties
from bridge.index.note import IndexedNote
from bridge.linking.apply import write_link
from bridge.markdown.names import Names, note_name
from bridge.topics.assignments import Assignments, property_spelling
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings


class TopicWriter:
    """Writes the values of the topic property."""

    def __init__(self, property_name: str, names: Names, style: ObsidianSettings, assignments: Assignments) -> None:
        """Prepare to write."""
        self._property = property_name
        self._names = names
        wiki, markdown = assignments.styles["wiki"], assignments.styles["markdown"]
        self._style = style if wiki == markdown else replace(style, markdown_links=markdown > wiki)

    def link(self, topic: VaultPath, source: VaultPath) -> str:
        """Return a topic as a value of a note; the topic need not exist yet."""
        shown, names = note_name(topic), self._names
        if topic not in names:
            names = names.copy()
            names.add(topic)
        return write_link(shown, topic, source, names, self._style) or f"[[{topic}]]"

    def values(self, note: IndexedNote) -> tuple[str, Sequence[Any]]:
        """Return the name of the topic property as a note spells it, and all its values."""
        name = property_spelling(note, self._property)
        value = note.properties.get(name)
        if isinstance(value, list | tuple):
            return name, value
        return name, () if value is None or value == "" else (value,)

    def change(
        self, note: IndexedNote, *, add: Collection[VaultPath] = (), remove: Collection[str] = ()
    ) -> SetProperties:
        """Return the request that adds topics to a note, and removes values as they are written."""
        name, values = self.values(note)
        kept = [value for value in values if value not in remove]
        kept += [link for topic in add if (link := self.link(topic, note.path)) not in kept]
        if not kept:
            return SetProperties(note.path, note.digest, remove=(name,))
        return SetProperties(note.path, note.digest, {name: kept})
