"""Stores the notes of an index beside its tables, so that a start need not decode all of their rows again."""

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.index.array_file import ArrayFile, Layout, cut, decode_texts, encode_texts
from bridge.index.catalogue import NoteEntry
from bridge.index.matrix import TextDigests
from bridge.index.note import NOTHING, IndexedNote, to_plain
from bridge.index.schema import NOTES, PASSAGES
from bridge.records import build_records, dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE = "catalogue"
FORMAT = b"VBCATA02"
"""The beginning of the file; changed with the format, or with what the tables say of a note."""

NO_DIGEST = bytes(32)
"""Stands for a passage that is not embedded."""

NUMBERS = ("mtime_ns", "size", "passages")
TEXTS = ("path", "title", "kind", "digest", "recipe", "packed_headings", "packed_links", "packed_tasks", "passages_of")
"""Fields of notes that are stored as arrays: numbers, and texts after their lengths."""

LISTS = ("aliases", "tags", "left_out", "problems", "arrows")
FACTS = (*LISTS, "properties", "language", "asides")
"""The other fields, stored as JSON: those that are tuples, and all of them."""

LAYOUT: Layout = (
    ("tables", "<u4"),
    ("last", "<i8"),
    ("dead_seqs", "<i8"),
    ("dead_keys", "<i8"),
    ("seq", "<i8"),
    ("key", "<i8"),
    *((name, "<i8") for name in NUMBERS),
    *((f"{name}_lengths", "<u4") for name in (*TEXTS, "title_text")),
    *((name, "u1") for name in (*TEXTS, "title_text")),
    ("facts", "u1"),
    ("title_digests", "V32"),
    ("digests", "V32"),
)


@dataclass(frozen=True, slots=True)
class StoredCatalogue:
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
        """Store the notes, unless they are stored; nothing may be written to the tables meanwhile.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The folder is not writable.
        """
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


def encode_catalogue(catalogue: StoredCatalogue) -> "Mapping[str, NDArray[Any]]":
    """Return the arrays of the file but for its mark."""
    entries = sorted(catalogue.entries, key=lambda entry: entry.seq)
    notes = [entry.note for entry in entries]
    digests = [catalogue.digests[entry.key] for entry in entries]
    numbers = {"seq": [entry.seq for entry in entries], "key": [entry.key for entry in entries]}
    numbers |= {name: [getattr(note, name) for note in notes] for name in NUMBERS}
    texts = {name: [getattr(note, name) for note in notes] for name in TEXTS}
    texts["title_text"] = [entry.title_text for entry in entries]
    facts = {name: [getattr(note, name) for note in notes] for name in FACTS}
    return {
        "last": np.array([catalogue.last], np.int64),
        "dead_seqs": np.array(sorted(catalogue.dead_seqs), np.int64),
        "dead_keys": np.array(sorted(catalogue.dead_keys), np.int64),
        **{name: np.array(values, np.int64) for name, values in numbers.items()},
        **{f"{name}_lengths": np.array([*map(len, values)], np.uint32) for name, values in texts.items()},
        **{name: encode_texts(values) for name, values in texts.items()},
        # As ASCII, which can hold any text of a note.
        "facts": encode_texts([json.dumps(facts, default=to_plain)]),
        "title_digests": np.array([each.title for each in digests], "V32"),
        "digests": np.array([digest or NO_DIGEST for each in digests for digest in each.passages], "V32"),
    }


def decode_catalogue(arrays: "Mapping[str, NDArray[Any]]") -> StoredCatalogue:
    """Return the notes that arrays of the file describe."""
    seqs, keys = arrays["seq"].tolist(), arrays["key"].tolist()
    texts = {name: cut(decode_texts(arrays[name]), arrays[f"{name}_lengths"]) for name in TEXTS}
    facts = json.loads(decode_texts(arrays["facts"]))
    columns = {
        **{name: arrays[name].tolist() for name in NUMBERS},
        **texts,
        # Few different ones.
        **{name: map(intern, texts[name]) for name in ("kind", "recipe")},
        **facts,
        **{name: map(tuple, facts[name]) for name in LISTS},
        "properties": [properties or NOTHING for properties in facts["properties"]],
        "arrows": [tuple(map(tuple, arrows)) for arrows in facts["arrows"]],
    }
    notes = build_records(IndexedNote, len(seqs), columns)
    titles = cut(decode_texts(arrays["title_text"]), arrays["title_text_lengths"])
    entries = build_records(NoteEntry, len(seqs), {"note": notes, "seq": seqs, "key": keys, "title_text": titles})
    digests = decode_digests(arrays["title_digests"], arrays["digests"], arrays["passages"])
    dead_seqs, dead_keys = (frozenset(arrays[name].tolist()) for name in ("dead_seqs", "dead_keys"))
    return StoredCatalogue(entries, dict(zip(keys, digests, strict=True)), int(arrays["last"][0]), dead_seqs, dead_keys)


def decode_digests(
    titles: "NDArray[np.void]", passages: "NDArray[np.void]", counts: "NDArray[np.int64]"
) -> Sequence[TextDigests]:
    """Return the digests of notes, each with so many passages."""
    texts: list[bytes | None] = passages.tolist()
    for at in np.flatnonzero(passages == np.void(NO_DIGEST)).tolist():
        texts[at] = None
    of_notes = map(tuple, cut(texts, counts))
    return build_records(TextDigests, len(counts), {"title": titles.tolist(), "passages": of_notes})
