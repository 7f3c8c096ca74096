"""Reads properties of notes that agents write."""

from collections.abc import Mapping
from datetime import datetime

from bridge.index.note import IndexedNote
from bridge.markdown.note import Value, property_of


def field_of(properties: Mapping[str, Value], name: str) -> Value:
    """Return a property; of a list with one item that item, as Obsidian may have been told that it is a list."""
    return sole_item(property_of(properties, name))


def sole_item(value: Value) -> Value:
    """Return the item of a list that has one; other values as they are."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def time_written(note: IndexedNote) -> float:
    """Return when a note was written: as its properties say, else when its file was modified."""
    for name in ("updated", "created"):
        try:
            return datetime.fromisoformat(str(field_of(note.properties, name))).timestamp()
        except ValueError:
            continue
    return note.mtime
