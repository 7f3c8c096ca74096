"""Heeds what becomes of notes: links that were accepted and are gone, and notes that were moved."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

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
    """Return where notes that are gone went; the old path comes first.

    To the only new note that says the same. Of several that do, as notes made of one template, to the only one that has
    the same name too: their folder was renamed.
    """
    if not gone:
        return {}
    known = list(fresh)
    return paired(gone, known, named) | paired(gone, known, said)


def said(note: IndexedNote) -> Hashable:
    """Tell a note by its text."""
    return note.digest


def named(note: IndexedNote) -> Hashable:
    """Tell a note by its text and the name of its file."""
    return note.digest, note.path.rpartition("/")[2]


def paired(
    gone: Iterable[IndexedNote], fresh: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]
) -> dict[VaultPath, VaultPath]:
    """Return where notes went, by marks that only one of each has."""
    old, new = by_mark(gone, mark), by_mark(fresh, mark)
    return {path: new[each] for each, path in old.items() if each in new}


def by_mark(notes: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]) -> Mapping[Hashable, VaultPath]:
    """Return notes by their mark, those alone that share it with no other."""
    marked = [(mark(note), note.path) for note in notes]
    count = Counter(each for each, _ in marked)
    return {each: path for each, path in marked if count[each] == 1}
