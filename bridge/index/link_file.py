"""Stores the resolved links beside the notes, so that a start need not resolve all of them again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge.index.array_file import ArrayFile, Layout, decode_lists, encode_lists
from bridge.index.catalogue import CatalogueFile
from bridge.records import Record

FILE = "links"
FORMAT = b"VBLINK02"
"""The beginning of the file; changed with the format, or with how links are resolved."""

COLUMNS = ("owner", "source", "target", "kind", "count", "name")

LAYOUT: Layout = (("tables", "<u4"), *((name, "<i4") for name in COLUMNS), ("texts", "u1"))


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
    """The file of one index; it counts only for the notes that were loaded from, or saved in, the catalogue's file."""

    def __init__(self, folder: Path, catalogue: CatalogueFile) -> None:
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "All links are resolved again")
        self._catalogue = catalogue

    def load(self) -> StoredLinks | None:
        """Load the links of the notes that the catalogue's file holds; None if they are not stored."""
        arrays = self._file.load()
        if arrays is None or arrays["tables"].tolist() != [self._catalogue.tables]:
            return None
        nodes, labels, names, files = decode_lists(arrays["texts"])
        return StoredLinks(nodes, labels, names, files, [arrays[name] for name in COLUMNS])

    def save(self, links: StoredLinks) -> None:
        """Store the links of the notes that the catalogue's file holds, unless they are stored."""
        tables = self._catalogue.tables
        if tables is None:
            return
        texts = encode_lists([links.nodes, links.labels, links.names, links.files])
        columns = dict(zip(COLUMNS, links.columns, strict=True))
        self._file.save({"tables": np.array([tables], np.uint32), **columns, "texts": texts})

    def remove(self) -> None:
        """Delete the file, because a note is erased."""
        self._file.remove()
