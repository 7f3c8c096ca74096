"""Converts prepared notes to table rows, and rows to passages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

import orjson

from bridge.index.catalogue import NoteEntry
from bridge.index.digests import TextDigests
from bridge.index.note import IndexedNote, encode_facts
from bridge.index.open_file import OpenFile
from bridge.index.prepare import Chunk, PreparedNote, embedding_digest
from bridge.index.table import notes_schema, passages_schema
from bridge.records import Record
from bridge.text.invisible import replace_surrogates
from bridge.types import Digest, Lines, Span, VaultPath

BLOCK_PASSAGES = 16
"""Passages compressed together: more of them compress better, but all must be unpacked to read one."""

COLUMNS = ("ordinal", "first", "last", "start", "length", "words")

PackedPassage = Sequence[Any]
"""The values of these columns."""

Place = tuple[int, int, int]
"""The size of some passages without compression, and where in a file they begin and end."""


class PackedPassages:
    """The passages of notes by the note's key. A key never gets other passages, so that nothing here becomes stale.

    They are in a file without a name, which the system keeps in its cache as long as nothing else needs the memory.
    """

    def __init__(self, folder: Path) -> None:
        """Start without passages; the folder is for the file."""
        self._folder = folder
        self._places: dict[int, tuple[Place, ...]] = {}
        self._file: OpenFile | None = None
        self._end = 0

    def __contains__(self, key: int) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def put(self, packed: Mapping[int, Sequence[tuple[int, bytes]]]) -> None:
        self._file = self._file or OpenFile.scratch(self._folder)
        blocks = [block for of_note in packed.values() for _, block in of_note]
        self._file.write(memoryview(b"".join(blocks)), self._end)
        for key, of_note in packed.items():
            ends = [*accumulate((len(block) for _, block in of_note), initial=self._end)]
            self._places[key] = tuple(
                (size, at, end) for (size, _), (at, end) in zip(of_note, pairwise(ends), strict=True)
            )
            self._end = ends[-1]

    def keep(self, live: Callable[[int], bool]) -> None:
        """Forget all notes but some, whose passages are moved to another file."""
        kept = {
            key: [(size, self._read(at, end)) for size, at, end in of_note]
            for key, of_note in self._places.items()
            if live(key)
        }
        self._places, self._file, self._end = {}, None, 0
        self.put(kept)

    def get(self, key: int, ordinals: Iterable[int]) -> dict[int, PackedPassage]:
        blocks = self._places.get(key, ())
        found: dict[int, PackedPassage] = {}
        for number, wanted in groupby(sorted(ordinals), lambda ordinal: ordinal // BLOCK_PASSAGES):
            if 0 <= number < len(blocks):
                size, at, end = blocks[number]
                passages = _decompress(size, self._read(at, end))
                found.update(
                    (ordinal, orjson.loads(passages[place]))
                    for ordinal in wanted
                    if (place := ordinal % BLOCK_PASSAGES) < len(passages)
                )
        return found

    def _read(self, at: int, end: int) -> bytes:
        if self._file is None:
            raise AssertionError(at)
        content = bytearray(end - at)
        self._file.read(memoryview(content), at)
        return bytes(content)


def pack_passages(passages: Iterable[tuple[int, Sequence[PackedPassage]]]) -> dict[int, tuple[tuple[int, bytes], ...]]:
    """Compress the passages of notes, each given by its key with all its passages in any order; for any thread."""
    packed = {}
    for key, rows in passages:
        ordered = sorted(rows, key=lambda row: row[0])
        lines = [*map(orjson.dumps, ordered)]
        texts = [b"\n".join(lines[start : start + BLOCK_PASSAGES]) for start in range(0, len(lines), BLOCK_PASSAGES)]
        packed[key] = tuple((len(text), _codec().compress(text, asbytes=True)) for text in texts)
    return packed


def _decompress(size: int, block: bytes) -> list[bytes]:
    passages: list[bytes] = _codec().decompress(block, size, asbytes=True).split(b"\n")
    return passages


@cache
def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("lz4")


class StoredPassage(Record):
    """A passage as written in the note; `embedded` when it has a vector or needs none.

    `labels` are the places in its text of labels that recur across notes; `lead` is the passage to show in its place
    where it says nothing else.
    """

    path: VaultPath
    ordinal: int
    heading: str
    lines: Lines
    text: str
    embedded: bool
    labels: tuple[Span, ...] = ()
    lead: "StoredPassage | None" = None


DELETION_MARK = -1
"""The passage count in a row that marks a note as deleted."""


_AS_THEY_ARE = ("kind", "digest", "recipe", "mtime_ns", "size", "passages")
"""Columns of notes that are fields of them."""


def note_rows(written: Sequence[tuple[NoteEntry, str]], gone: Mapping[int, VaultPath]) -> Any:
    import pyarrow as pa

    tombstones = [
        NoteEntry(IndexedNote(path, "", "note", (), (), {}, Digest(""), 0, 0, DELETION_MARK), seq, seq, "")
        for seq, path in gone.items()
    ]
    entries = [*tombstones, *(entry for entry, _ in written)]
    notes = [entry.note for entry in entries]
    return pa.table(
        {
            "seq": [entry.seq for entry in entries],
            "key": [entry.key for entry in entries],
            "path": [replace_surrogates(note.path) for note in notes],
            **{name: [getattr(note, name) for note in notes] for name in _AS_THEY_ARE},
            "title_text": [entry.title_text for entry in entries],
            "facts": [encode_facts(note) for note in notes],
            "headings": [note.packed_headings for note in notes],
            "links": [note.packed_links for note in notes],
            "whole": [*("" for _ in tombstones), *(whole for _, whole in written)],
        },
        schema=notes_schema(),
    )


def passage_rows(written: Sequence[tuple[int, Sequence[Chunk]]]) -> Any:
    import pyarrow as pa

    keys = [(key, ordinal) for key, chunks in written for ordinal in range(len(chunks))]
    chunks = [chunk for _, chunks in written for chunk in chunks]
    return pa.table(
        {
            "key": [key for key, _ in keys],
            "ordinal": [ordinal for _, ordinal in keys],
            "first": [chunk.lines[0] for chunk in chunks],
            "last": [chunk.lines[1] for chunk in chunks],
            "start": [chunk.start for chunk in chunks],
            "length": [chunk.length for chunk in chunks],
            "digest": [bytes.fromhex(chunk.digest) for chunk in chunks],
            "words": [chunk.words for chunk in chunks],
            "embed_text": [chunk.embed_text for chunk in chunks],
        },
        schema=passages_schema(),
    )


def text_digests(prepared: PreparedNote) -> TextDigests:
    passages = (bytes.fromhex(chunk.digest) if chunk.embed_text else None for chunk in prepared.chunks)
    return TextDigests.of(bytes.fromhex(prepared.titled), passages)


NOT_EMBEDDED = bytes.fromhex(embedding_digest(""))
"""The digest of a passage in which nothing is left to embed."""


def decode_passage(path: VaultPath, row: PackedPassage, *, embedded: bool) -> StoredPassage:
    """Decode a row of the passages table; the heading path is read from the start of the words."""
    ordinal, first, last, start, length, words = row
    return StoredPassage(
        path, ordinal, words[: max(0, start - 1)], (first, last), words[start : start + length], embedded
    )
