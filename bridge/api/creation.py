"""When a note was created, as far as that is known."""

from pathlib import Path
from typing import Final

from bridge.api.moments import iso
from bridge.bases.values import parse_date
from bridge.index.note import IndexedNote
from bridge.text.fold import fold_case
from bridge.vault.birth_time import birth_time

PROPERTIES: Final = ("created", "date created")
"""The properties that say it, in any case; the first one counts."""


def creation_time(note: IndexedNote, root: Path) -> float | None:
    """Return when a note was created, in seconds since 1970: by its properties, else as the system tells."""
    stated = {fold_case(name): value for name, value in note.properties.items() if isinstance(value, str)}
    for name in PROPERTIES:
        found = parse_date(stated.get(name, "").strip().removeprefix("[[").removesuffix("]]"))
        if found is not None:
            return found.moment.timestamp()
    born = birth_time(root / note.path)
    return None if born is None else min(born, note.mtime)


def creation_text(note: IndexedNote, root: Path) -> str | None:
    """Return when a note was created, in local ISO 8601; None where nothing tells."""
    seconds = creation_time(note, root)
    return None if seconds is None else iso(seconds)
