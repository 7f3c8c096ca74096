"""Every note of the index, in memory: by path, and by row numbers for search."""

import os
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from sys import intern
from typing import Any, cast

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from bridge.index.array_file import ArrayFile, Layout, decode_lists, encode_lists
from bridge.index.digests import DIGEST_BYTES, TextDigests
from bridge.index.note import NO_PROPERTIES, IndexedNote, Notes
from bridge.index.table import NOTES, PASSAGES
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


FILE = "catalogue"
FORMAT = b"VBCATA03"
"""The beginning of the file; changed with the format, or with what the tables say of a note."""

LAYOUT: Layout = (
    ("tables", "<u4"),
    ("last", "<i8"),
    ("dead_seqs", "<i8"),
    ("dead_keys", "<i8"),
    ("columns", "u1"),
    ("digests", "V32"),
)


FIELDS = IndexedNote.__struct_fields__


class StoredCatalogue(Record):
    """What the tables say of the notes: what a start would find by reading all of their rows."""

    entries: Sequence[NoteEntry]
    digests: Mapping[int, TextDigests]
    last: int
    """The highest number ever used."""
    dead_seqs: frozenset[int]
    dead_keys: frozenset[int]


class CatalogueFile:
    """The file of one index; it counts only while the tables consist of the same files as when it was written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "The catalogue is read from its tables")
        self.tables: int | None = None
        """The mark of the tables whose notes the file holds; None when it is not known to hold those in memory."""

    def load(self) -> StoredCatalogue | None:
        """Load the notes; None if the file cannot be read, or the tables were written since."""
        arrays = self._file.load()
        if arrays is None or arrays["tables"].tolist() != [mark_tables(self._folder)]:
            return None
        self.tables = int(arrays["tables"][0])
        return decode_catalogue(arrays)

    def save(self, catalogue: StoredCatalogue) -> None:
        """Store the notes, unless they are stored; nothing may be written to the tables meanwhile."""
        tables = mark_tables(self._folder)
        if tables != self.tables:
            self._file.save({"tables": np.array([tables], np.uint32), **encode_catalogue(catalogue)})
            self.tables = tables

    def remove(self) -> None:
        """Delete the file, because a note is erased."""
        self.tables = None
        self._file.remove()


def mark_tables(folder: Path) -> int:
    """Return a checksum of the names and sizes of the tables' files: every write adds files with new names."""
    listed = sorted(file for table in (NOTES, PASSAGES) for file in list_files(f"{folder}/{table}.lance", table))
    return zlib.crc32(repr(listed).encode("utf-8", "surrogatepass"))


def list_files(place: str, name: str) -> Iterator[tuple[str, int]]:
    """Yield the name and size of each file in a folder and its subfolders; none if it is missing."""
    try:
        listing = os.scandir(place)
    except (FileNotFoundError, NotADirectoryError):
        return
    with listing:
        for entry in listing:
            inside = f"{name}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from list_files(entry.path, inside)
            else:
                yield inside, entry.stat(follow_symlinks=False).st_size


def encode_catalogue(catalogue: StoredCatalogue) -> Mapping[str, NDArray[Any]]:
    entries = sorted(catalogue.entries, key=lambda entry: entry.seq)
    notes = [*zip(*(astuple(entry.note) for entry in entries), strict=True)]
    rows = [(entry.seq, entry.key, entry.title_text) for entry in entries]
    return {
        "last": np.array([catalogue.last], np.int64),
        "dead_seqs": np.array(sorted(catalogue.dead_seqs), np.int64),
        "dead_keys": np.array(sorted(catalogue.dead_keys), np.int64),
        "columns": encode_lists([*notes, *zip(*rows, strict=True)]),
        "digests": np.frombuffer(b"".join(catalogue.digests[entry.key].packed for entry in entries), "V32"),
    }


def decode_catalogue(arrays: Mapping[str, NDArray[Any]]) -> StoredCatalogue:
    *facts, seqs, keys, titles = decode_lists(arrays["columns"]) or [()] * (len(FIELDS) + 3)
    columns = dict(zip(FIELDS, facts, strict=True))
    columns |= {name: map(tuple, columns[name]) for name in ("aliases", "tags", "left_out", "problems")}
    # Few different ones.
    columns |= {name: map(intern, columns[name]) for name in ("kind", "recipe")}
    columns["properties"] = [properties or NO_PROPERTIES for properties in columns["properties"]]
    columns["arrows"] = [tuple(map(tuple, arrows)) for arrows in columns["arrows"]]
    sizes = (DIGEST_BYTES * (1 + passages) for passages in columns["passages"])
    entries = [*map(NoteEntry, map(IndexedNote, *columns.values()), seqs, keys, titles)]
    whole, ends = arrays["digests"].tobytes(), pairwise(accumulate(sizes, initial=0))
    digests = {key: TextDigests(whole[at:end]) for key, (at, end) in zip(keys, ends, strict=True)}
    dead_seqs, dead_keys = (frozenset(arrays[name].tolist()) for name in ("dead_seqs", "dead_keys"))
    return StoredCatalogue(entries, digests, int(arrays["last"][0]), dead_seqs, dead_keys)
