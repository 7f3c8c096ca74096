"""Stores the words of the notes beside the tables, so that a start need not read all texts again."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.index.array_file import ArrayFile, Layout
from bridge.index.catalogue import NoteTable
from bridge.index.names import note_mark
from bridge.index.note import IndexedNote
from bridge.records import Record

FILE = "words"
FORMAT = b"VBWORD03"
"""The beginning of the file; changed with the format, or with how texts are split into words or words are stemmed."""

LAYOUT: Layout = (
    ("seqs", "<i8"),
    ("marks", "<u4"),
    ("counts", "<u4"),
    ("numbers", "<u4"),
    ("text", "u1"),
    ("ends", "<u4"),
    ("roots", "u1"),
    ("root_sizes", "<u4"),
    ("held", "<u4"),
    ("languages", "u1"),
    ("stems", "<u4"),
)

WordArrays = Mapping[str, "NDArray[Any]"]
"""The arrays of the file; the first two are those of the notes."""


class StoredWords(Record):
    """What the file holds."""

    notes: Sequence[IndexedNote | None]
    """The notes whose words are stored, in order; None for one that is gone or changed."""
    arrays: WordArrays


class WordFile:
    """The file of one index; what it says of notes that were written since is ignored."""

    def __init__(self, folder: Path, catalogue: NoteTable) -> None:
        """Name the folder of the index, and its live notes."""
        self._catalogue = catalogue
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "The words of the notes are read again")
        self._lock = asyncio.Lock()
        self.is_stored = False
        """Whether there is such a file, as far as known."""

    def load(self) -> StoredWords | None:
        """Load the words of the notes, for any thread; None if the file cannot be read."""
        if (arrays := self._file.load()) is None:
            return None
        self.is_stored = True
        note_of = {(entry.seq, note_mark(entry)): entry.note for entry in self._catalogue.entries()}
        keys = zip(arrays["seqs"].tolist(), arrays["marks"].tolist(), strict=True)
        return StoredWords([*map(note_of.get, keys)], arrays)

    async def save(self, notes: Sequence[IndexedNote], words: WordArrays) -> StoredWords | None:
        """Store the words of notes and load them, unless one of the notes is gone or changed meanwhile."""
        async with self._lock:
            entries = [entry for note in notes if (entry := self._catalogue.entry(note.path)) and entry.note is note]
            # Words of a note that was denied meanwhile must not be stored; an erasure waits for the lock.
            if len(entries) < len(notes):
                return None
            seqs = np.array([entry.seq for entry in entries], np.int64)
            marks = np.array([note_mark(entry) for entry in entries], np.uint32)
            await asyncio.to_thread(self._file.save, {"seqs": seqs, "marks": marks, **words})
            return await asyncio.to_thread(self.load)

    async def remove(self) -> None:
        """Delete the file, because a note is erased; what is stored next is without its words."""
        async with self._lock:
            self.is_stored = False
            self._file.remove()
