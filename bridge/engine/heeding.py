"""Heeds what becomes of notes: links that were accepted and are gone, and notes that were moved."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from bridge.engine.links import targets
from bridge.index import IndexedNote
from bridge.store import Store
from bridge.types import VaultPath
from bridge.vault import Names


def heed_links(store: Store, notes: Iterable[IndexedNote], names: Names) -> None:
    """Learn from the links of notes that were just written."""
    accepting = store.accepting
    for note in notes:
        if note.path in accepting:
            store.follow_links(note.path, frozenset(targets(note, names)), names.__contains__)


def moves(gone: Collection[IndexedNote], fresh: Iterable[IndexedNote]) -> Mapping[VaultPath, VaultPath]:
    """Return where notes that are gone went: to the only new note that says the same; the old path comes first."""
    if not gone:
        return {}
    old, new = by_content(gone), by_content(fresh)
    return {path: new[content] for content, path in old.items() if content in new}


def by_content(notes: Iterable[IndexedNote]) -> Mapping[str, VaultPath]:
    """Return notes by what they say, those alone that no other says too."""
    known = list(notes)
    said = Counter(note.digest for note in known)
    return {note.digest: note.path for note in known if said[note.digest] == 1}
