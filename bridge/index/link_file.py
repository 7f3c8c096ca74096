"""Stores the resolved links beside the notes, so that a start need not resolve all of them again."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge.index.array_file import ArrayFile, Layout, decode_lists, encode_lists
from bridge.index.note import Notes
from bridge.records import Record

FILE = "links"
FORMAT = b"VBLINK03"
"""The beginning of the file; changed with the format, or with how links are resolved."""

COLUMNS = ("owner", "source", "target", "kind", "count", "name")

LAYOUT: Layout = (("notes", "<u4"), *((name, "<i4") for name in COLUMNS), ("texts", "u1"))


class StoredLinks(Record):
    """Every link of the notes, and the files to which links could resolve."""

    nodes: Sequence[str]
    """By number: the key of a file or of a name without one."""
    labels: Sequence[str]
    """By the same number: how it is shown."""
    names: Sequence[str]
    """By number: a name that links ask for."""
    files: Sequence[str]
    columns: Sequence[NDArray[np.int32]]
    """The links by row, one array for each of `COLUMNS`."""


class LinkFile:
    """The file of one index; it counts only for the notes with which it was saved."""

    def __init__(self, folder: Path) -> None:
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "All links are resolved again")

    def load(self, notes: Notes) -> StoredLinks | None:
        """Load the links of the notes; None if they are not stored."""
        arrays = self._file.load()
        if arrays is None or arrays["notes"].tolist() != [_mark(notes)]:
            return None
        nodes, labels, names, files = decode_lists(arrays["texts"])
        return StoredLinks(nodes, labels, names, files, [arrays[name] for name in COLUMNS])

    def save(self, links: StoredLinks, notes: Notes) -> None:
        """Store the links of the notes, unless they are stored."""
        texts = encode_lists([links.nodes, links.labels, links.names, links.files])
        columns = dict(zip(COLUMNS, links.columns, strict=True))
        self._file.save({"notes": np.array([_mark(notes)], np.uint32), **columns, "texts": texts})

    def remove(self) -> None:
        """Delete the file, because a note is erased."""
        self._file.remove()


def _mark(notes: Notes) -> int:
    """Return a checksum of all that links are resolved by: which files there are, and what is in them."""
    facts = sorted(f"{path}\n{note.digest}\n{note.recipe}\n" for path, note in notes.items())
    return zlib.crc32("".join(facts).encode("utf-8", "surrogatepass"))
