"""Every note of the index, in memory: by path, and by row numbers for search."""

from collections.abc import Collection, Iterable, Mapping
from typing import cast

from bridge.index.note import IndexedNote, Notes
from bridge.records import Record
from bridge.types import VaultPath


class NoteEntry(Record):
    """A note and its row numbers: `seq` in the notes table, `key` in the passages table."""

    note: IndexedNote
    seq: int
    key: int
    title_text: str


class NoteState(Record, eq=False):
    """The notes after a write, how many writes there were, and the paths that the last one concerned."""

    notes: Notes
    writes: int = 0
    paths: tuple[VaultPath, ...] = ()


class NoteTable:
    """The live notes; rows of anything else are deleted ones and never shown."""

    def __init__(self) -> None:
        self.state = NoteState({})
        self.last = 0
        """The highest number ever used."""
        self._entries: dict[VaultPath, NoteEntry] = {}
        self._by_seq: dict[int, NoteEntry] = {}
        self._by_key: dict[int, NoteEntry] = {}
        # By themselves, since a search within many notes asks for those of all.
        self._seqs: dict[VaultPath, int] = {}
        self._keys: dict[VaultPath, int] = {}

    @property
    def notes(self) -> Notes:
        """Every note by path. Always replaced, never changed, because other threads iterate over it."""
        return self.state.notes

    def replace(self, leaving: Collection[VaultPath], entries: Iterable[NoteEntry]) -> list[NoteEntry]:
        """Remove the notes at some paths, then add others."""
        notes, paths = dict(self.notes), dict.fromkeys(leaving)
        before: list[NoteEntry] = []
        for path in leaving:
            entry = self._entries.pop(path, None)
            if entry is not None:
                del self._by_seq[entry.seq], self._by_key[entry.key], notes[path]
                del self._seqs[path], self._keys[path]
                before.append(entry)
        for entry in entries:
            self._entries[entry.note.path] = entry
            self._by_seq[entry.seq] = entry
            self._by_key[entry.key] = entry
            self._seqs[entry.note.path], self._keys[entry.note.path] = entry.seq, entry.key
            notes[entry.note.path] = entry.note
            paths[entry.note.path] = None
            self.last = max(self.last, entry.seq, entry.key)
        self.state = NoteState(notes, self.state.writes + 1, tuple(paths))
        return before

    def next(self) -> int:
        """Return a number never used before."""
        self.last += 1
        return self.last

    def entry(self, path: VaultPath) -> NoteEntry | None:
        return self._entries.get(path)

    def require(self, path: VaultPath) -> NoteEntry:
        """Return a note that is among `notes`."""
        return self._entries[path]

    def entries(self) -> Iterable[NoteEntry]:
        """Return every note with its row numbers."""
        return self._entries.values()

    def at_seq(self, seq: int) -> IndexedNote | None:
        entry = self._by_seq.get(seq)
        return entry.note if entry else None

    def at_key(self, key: int) -> IndexedNote | None:
        entry = self._by_key.get(key)
        return entry.note if entry else None

    def believes_key(self, key: int) -> bool:
        return key in self._by_key

    def keys_of(self, paths: Collection[VaultPath]) -> set[int]:
        return _numbers(self._keys, paths)

    def seqs_of(self, paths: Collection[VaultPath]) -> set[int]:
        return _numbers(self._seqs, paths)


def _numbers(numbers: Mapping[VaultPath, int], paths: Collection[VaultPath]) -> set[int]:
    found = set(map(numbers.get, paths))
    found.discard(None)
    return cast("set[int]", found)
