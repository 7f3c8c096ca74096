"""Tells from their content where notes were moved."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from bridge.index.note import IndexedNote
from bridge.types import VaultPath


def detect_moves(gone: Collection[IndexedNote], fresh: Iterable[IndexedNote]) -> Mapping[VaultPath, VaultPath]:
    """Return where missing notes were moved, by their old path.

    A note moved to the only new note with the same content. If several have it, such as notes made from one template,
    it moved to the only one that also has the same file name: their folder was renamed.
    """
    if not gone:
        return {}
    known = list(fresh)
    return match_moves(gone, known, content_and_name_key) | match_moves(gone, known, content_key)


def content_key(note: IndexedNote) -> Hashable:
    """Identify a note by its content."""
    return note.digest


def content_and_name_key(note: IndexedNote) -> Hashable:
    """Identify a note by its content and file name."""
    return note.digest, note.path.rpartition("/")[2]


def match_moves(
    gone: Iterable[IndexedNote], fresh: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]
) -> dict[VaultPath, VaultPath]:
    """Return where notes were moved, by keys that are unique on both sides."""
    old, new = unique_by_key(gone, mark), unique_by_key(fresh, mark)
    return {path: new[each] for each, path in old.items() if each in new}


def unique_by_key(
    notes: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]
) -> Mapping[Hashable, VaultPath]:
    """Return the notes whose key no other note has, by their key."""
    marked = [(mark(note), note.path) for note in notes]
    count = Counter(each for each, _ in marked)
    return {each: path for each, path in marked if count[each] == 1}
