"""Stores the names of the notes beside the tables, so that a start need not split all of them into words again."""

import asyncio
import zlib
from array import array
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from bridge.index.array_file import ArrayFile, Layout, cut, decode_texts, encode_texts
from bridge.index.catalogue import NoteEntry, NoteTable
from bridge.index.names import FIELDS, NO_NAMES, KnownNames, NameColumns
from bridge.index.postings import whole_mark

FILE = "names"
FORMAT = b"VBNAME02"
"""The beginning of the file; changed with the format, or with how names are split into words."""

LAYOUT: Layout = (
    ("seqs", "<i8"),
    ("marks", "<u4"),
    ("counts", "<u4"),
    ("numbers", "<u4"),
    ("fields", "u1"),
    ("lengths", "<f4"),
    ("text_lengths", "<u4"),
    ("texts", "u1"),
    ("word_lengths", "<u4"),
    ("words", "u1"),
    ("holder_counts", "<u4"),
    ("holders", "<u4"),
)


class NameFile:
    """The file of one index; what it says of notes that were written since is ignored."""

    def __init__(self, folder: Path) -> None:
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "Names are split into words again")
        self._lock = asyncio.Lock()

    def load(self, catalogue: NoteTable) -> NameColumns:
        """Load the names of the notes; none if the file cannot be read."""
        if (stored := self._file.load()) is None:
            return NO_NAMES
        path_of = {(entry.seq, note_mark(entry)): entry.note.path for entry in catalogue.entries()}
        keys = zip(stored["seqs"].tolist(), stored["marks"].tolist(), strict=True)
        return NameColumns(
            notes=list(zip(map(path_of.get, keys), cut(stored["numbers"].tolist(), stored["counts"]), strict=True)),
            fields=[FIELDS[field] for field in stored["fields"].tolist()],
            texts=cut(decode_texts(stored["texts"]), stored["text_lengths"]),
            lengths=array("f", stored["lengths"].tobytes()),
            words=cut(decode_texts(stored["words"]), stored["word_lengths"]),
            counts=stored["holder_counts"].tolist(),
            holders=array("I", stored["holders"].tobytes()),
        )

    async def save(self, known: KnownNames, catalogue: NoteTable, most_unsaved: int = 0) -> None:
        """Store the names of the notes, if more than some differ from those stored.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The folder is not writable.
        """
        async with self._lock:
            if known.unsaved <= most_unsaved:
                return
            unsaved, known.unsaved = known.unsaved, 0
            columns = known.names.columns()
            entries = [entry for path, _ in columns.notes if path and (entry := catalogue.entry(path))]
            try:
                await asyncio.to_thread(self._write, columns, entries)
            except BaseException:
                known.unsaved += unsaved
                raise

    def _write(self, columns: NameColumns, entries: Sequence[NoteEntry]) -> None:
        numbers = [numbers for _, numbers in columns.notes]
        arrays = {
            "seqs": [entry.seq for entry in entries],
            "marks": [note_mark(entry) for entry in entries],
            "counts": [len(each) for each in numbers],
            "numbers": list(chain.from_iterable(numbers)),
            "fields": [FIELDS.index(field) for field in columns.fields],
            "lengths": columns.lengths,
            "text_lengths": [len(text) for text in columns.texts],
            "texts": encode_texts(columns.texts),
            "word_lengths": [len(word) for word in columns.words],
            "words": encode_texts(columns.words),
            "holder_counts": columns.counts,
            "holders": columns.holders,
        }
        self._file.save({name: np.array(arrays[name], kind) for name, kind in LAYOUT})


def note_mark(entry: NoteEntry) -> int:
    """Return the checksum by which the names of a note are told from those of another with the same number."""
    return zlib.crc32(entry.note.recipe.encode(), whole_mark(entry))
