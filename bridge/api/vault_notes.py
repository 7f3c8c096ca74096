"""What operations ask of the notes of a vault: their links, and when they were created."""

from pathlib import Path
from typing import Final

from bridge.api.moments import iso
from bridge.api.note_names import no_such_note
from bridge.bases.values import parse_date
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.open_vault import OpenVault
from bridge.index.note import IndexedNote, Notes
from bridge.text.fold import fold_case
from bridge.types import Among, VaultPath
from bridge.vault.birth_time import birth_time


def snapshot(vault: OpenVault, among: Among = "all") -> Notes:
    """Copy the note table, so that a thread can iterate over it while the index changes."""
    return dict(vault.index.view(among).notes)


def sources_of(vault: OpenVault, resolved_links: ResolvedLinks, notes: Notes, path: VaultPath) -> set[VaultPath]:
    """Return the notes that link to a file."""
    if path not in vault.names and path not in notes:
        raise no_such_note(vault, path)
    return notes.keys() & resolved_links.sources(path)


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
