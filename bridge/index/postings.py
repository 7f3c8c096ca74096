"""The inverted indexes of passages and whole notes: kept in memory, stored beside the tables, which they follow."""

import asyncio
import logging
import zlib
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from bridge.errors import BridgeError
from bridge.index.array_file import ArrayFile, Layout, OtherFormat
from bridge.index.catalogue import NoteEntry, NoteTable
from bridge.index.documents import DOCUMENTS_AT_ONCE, IndexDocument, NoteSegments, Vocabularies, index_documents
from bridge.index.inverted_index import MAX_SEGMENTS, InvertedIndex
from bridge.index.prepare import passage_forms
from bridge.index.segment import IndexSegment
from bridge.index.table import LanceTable
from bridge.index.tokens import hash_tokens
from bridge.private_files import make_private, write_private
from bridge.text.closest import find_mistyped

FILE = "words"
FORMAT = b"VBWORD05"
"""The beginning of the file; changed with the format, or with how texts are split into words."""

LAYOUT: Layout = (("lines", "u1"),)


class TermDictionary:
    """Words, each once; a word stays here until the next `pack` after the last note that contains it is gone."""

    def __init__(self, folder: Path) -> None:
        self._file = ArrayFile(folder / FILE, FORMAT, LAYOUT, "The whole notes are indexed again")
        self._lines = b"\n"
        """The packed words in order, a line break before and after each."""
        self._new: set[str] = set()
        self._being_packed: set[str] = set()

    def load(self) -> bool:
        arrays = self._file.load()
        if arrays is not None:
            self._lines = arrays["lines"].tobytes()
        return arrays is not None

    def add(self, words: Iterable[str]) -> None:
        self._new.update(words)

    def begin_packing(self) -> None:
        """Let `pack` take what was added so far."""
        self._being_packed |= self._new
        self._new = set()

    def pack(self, terms: Iterable[NDArray[np.uint64]]) -> bytes:
        """Store and return all words that are among some terms; in any thread, until `replace`."""
        words = sorted({*decode_lines(self._lines), *self._being_packed})
        live = np.isin(hash_tokens(words), np.concatenate([hash_tokens(()), *terms])).tolist()
        lines = encode("\n".join(("", *compress(words, live), "")))
        self._file.save({"lines": np.frombuffer(lines, np.uint8)})
        return lines

    def replace(self, lines: bytes) -> None:
        self._lines, self._being_packed = lines, set()

    # -- questions ----------------------------------------------------------------------------------------------------

    def words_beginning(self, prefix: str) -> list[str]:
        """Return the words that begin with a prefix, given folded."""
        encoded, lines = encode(prefix), self._lines
        # No character has this byte.
        packed = decode_lines(lines[_find_line(lines, encoded) - 1 : _find_line(lines, encoded + b"\xff")])
        return [*{*packed, *(word for word in self._new_words() if word.startswith(prefix))}]

    def similar_words(self, word: str, errors: int) -> list[tuple[str, int]]:
        """Return the words with the same first letter within so many typing errors, with their number of errors."""
        # The first letter is hardly ever the wrong one: `wetter` is not `better`.
        near = [other for other in self.words_beginning(word[:1]) if abs(len(other) - len(word)) <= errors]
        return find_mistyped(word, near, errors)

    def words_containing(self, part: str) -> Iterator[str]:
        """Yield the words that contain some letters in a row; a line break stands for the start or end of a word."""
        yield from (word for word in self._new_words() if part in f"\n{word}\n")
        encoded, lines, end = encode(part), self._lines, 0
        while (at := lines.find(encoded, end)) >= 0:
            start = lines.rfind(b"\n", 0, at + 1) + 1
            end = lines.index(b"\n", start)
            yield lines[start:end].decode("utf-8", "surrogatepass")

    def _new_words(self) -> Iterator[str]:
        # Copies, because threads ask while words are added.
        return chain(tuple(self._new), tuple(self._being_packed))


def _find_line(lines: bytes, encoded: bytes) -> int:
    """Return where the first packed word begins that is not before another."""
    first, last = 1, len(lines)
    while first < last:
        start = lines.rfind(b"\n", first - 1, (first + last) // 2) + 1
        end = lines.index(b"\n", start)
        if lines[start:end] < encoded:
            first = end + 1
        else:
            last = start
    return first


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode_lines(lines: bytes) -> list[str]:
    return lines.decode("utf-8", "surrogatepass").split("\n")[1:-1]


log = logging.getLogger(__name__)

FOLDER = "postings"
CONTENTS = "contents.json"
"""Names the files of each index; any other file was left by a crash."""

MAX_NAMED_NUMBERS = 2_000
"""Numbers that are named in a filter; with more missing, all rows are read."""


def passage_mark(entry: NoteEntry) -> int:
    """Return the checksum by which the passages of a note are told from those of another with the same number."""
    return zlib.crc32((entry.note.passages_of or entry.note.digest).encode())


def whole_mark(entry: NoteEntry) -> int:
    """Return the checksum of a whole note, whose text begins with its name."""
    return zlib.crc32(entry.note.path.encode("utf-8", "surrogatepass"), zlib.crc32(entry.note.digest.encode()))


class Postings:
    """The inverted indexes of one vault; except for building segments, everything is done by one thread."""

    def __init__(self, folder: Path) -> None:
        self.words, self.forms, self.whole = InvertedIndex(), InvertedIndex(), InvertedIndex()
        self.dictionary = TermDictionary(folder)
        """The words of `whole`."""
        self.rebuilds = 0
        """Files that could not be read, whose documents were indexed again."""
        self.vocabularies = Vocabularies.empty()
        self._folder = folder / FOLDER
        self._lock = asyncio.Lock()

    def _indexes(self) -> dict[str, InvertedIndex]:
        return {"words": self.words, "forms": self.forms, "whole": self.whole}

    # -- changes ------------------------------------------------------------------------------------------------------

    def build(
        self,
        words: Sequence[IndexDocument] = (),
        forms: Sequence[IndexDocument] = (),
        whole: Sequence[IndexDocument] = (),
    ) -> NoteSegments:
        """Index documents, in any thread but one call at a time: long notes take a second a thousand."""
        return index_documents(words, forms, whole, self.vocabularies)

    def add(self, segments: NoteSegments) -> None:
        self.dictionary.add(segments.distinct_words)
        for name, index in self._indexes().items():
            for segment in getattr(segments, name):
                index.add(segment)

    def drop_passages(self, key: int) -> None:
        self.words.drop(key)
        self.forms.drop(key)

    @property
    def unsaved_count(self) -> int:
        """The number of documents that the next start would index again."""
        segments = (segment for index in self._indexes().values() for segment in index.segments)
        return sum(len(segment) for segment in segments if segment.file is None)

    @property
    def is_crowded(self) -> bool:
        """Whether there are so many segments that some should be merged."""
        return any(len(index.segments) > MAX_SEGMENTS for index in self._indexes().values())

    async def merge(self, *, everything: bool = False) -> None:
        """Merge small segments, and those of which much is dead."""
        async with self._lock:
            for index in self._indexes().values():
                for group in index.due(everything=everything):
                    index.replace(group, await asyncio.to_thread(index.merge, group))

    async def save(self) -> None:
        """Store what is not stored yet, and delete the files of what was merged."""
        async with self._lock:
            stored = {name: index.segments for name, index in self._indexes().items()}
            self.dictionary.begin_packing()
            self.dictionary.replace(await asyncio.to_thread(self._save, stored))
        # What a few notes need is soon remembered again.
        self.vocabularies = Vocabularies.empty()

    def _save(self, stored: Mapping[str, Sequence[IndexSegment]]) -> bytes:
        # Stored first: a word too many is harmless, and one too few is not.
        words = self.dictionary.pack([segment.terms for segment in stored["whole"]])
        if not self._folder.parent.is_dir():
            # Somebody deleted the index, which must not come back in part.
            return words
        make_private(self._folder)
        last = max((int(file.stem) for file in self._folder.glob("[0-9]*.postings")), default=0)
        for segment in (each for segments in stored.values() for each in segments if each.file is None):
            last += 1
            file = self._folder / f"{last}.postings"
            write_private(file, segment.encode())
            segment.keep_in(file)
        contents = {name: [each.file.name for each in own if each.file] for name, own in stored.items()}
        write_private(self._folder / CONTENTS, orjson.dumps(contents))
        names = {CONTENTS, *(name for of_index in contents.values() for name in of_index)}
        for file in self._folder.iterdir():
            if file.name not in names:
                with suppress(OSError):
                    file.unlink()
        return words

    # -- opening ------------------------------------------------------------------------------------------------------

    async def load(
        self, catalogue: NoteTable, passages: LanceTable, notes: LanceTable, *, rebuild: bool = False
    ) -> None:
        if not rebuild:
            self._load_files()
        keys = {entry.key: (passage_mark(entry), entry.note.passages) for entry in catalogue.entries()}
        seqs = {entry.seq: (whole_mark(entry), 1) for entry in catalogue.entries()}
        lacking = keep_live(self.words, keys) | keep_live(self.forms, keys)
        for key in lacking:
            self.drop_passages(key)
        languages = {entry.key: entry.note.language for entry in catalogue.entries()}
        added = 0
        async for rows in _lacking_rows(passages, ("key", "ordinal", "start", "length", "words"), lacking):
            ids = [(row["key"], row["ordinal"], keys[row["key"]][0]) for row in rows]
            words = [IndexDocument(*own, row["words"]) for own, row in zip(ids, rows, strict=True)]
            forms = [
                IndexDocument(*own, passage_forms(row["words"], row["start"], row["length"], languages[own[0]]))
                for own, row in zip(ids, rows, strict=True)
            ]
            self.add(self.build(words, forms))
            added += len(rows)
        async for rows in _lacking_rows(notes, ("seq", "whole"), keep_live(self.whole, seqs)):
            self.add(
                self.build(whole=[IndexDocument(row["seq"], 0, seqs[row["seq"]][0], row["whole"]) for row in rows])
            )
            added += len(rows)
        if added > DOCUMENTS_AT_ONCE:
            await self.merge()
            # Without room for them, the next start builds them again.
            with suppress(BridgeError):
                await self.save()

    def _load_files(self) -> None:
        try:
            contents = orjson.loads((self._folder / CONTENTS).read_bytes())
            indexes = self._indexes()
            if not self.dictionary.load():
                del indexes["whole"]
            files = [(index, self._folder / file) for name, index in indexes.items() for file in contents[name]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError):
            self.rebuilds += 1
            return
        for index, file in files:
            try:
                with suppress(OtherFormat):
                    index.add(IndexSegment.load(file))
            except (OSError, ValueError) as error:
                log.warning("Postings are rebuilt: %s", type(error).__name__)
                self.rebuilds += 1


async def _lacking_rows(
    table: LanceTable, columns: Sequence[str], lacking: Collection[int]
) -> AsyncIterator[list[dict[str, Any]]]:
    if not lacking:
        return
    where = f"{columns[0]} IN ({', '.join(map(str, sorted(lacking)))})" if len(lacking) <= MAX_NAMED_NUMBERS else None
    async for batch in table.batches(columns, DOCUMENTS_AT_ONCE, where):
        yield [row for row in batch.to_pylist() if row[columns[0]] in lacking]


def keep_live(index: InvertedIndex, known: Mapping[int, tuple[int, int]]) -> set[int]:
    numbers = np.array(sorted(known), np.int64)
    marks = np.array([known[number][0] for number in numbers.tolist()], np.uint32)
    expected = np.array([known[number][1] for number in numbers.tolist()], np.int64)
    present = np.zeros(len(numbers), np.int64)
    places: list[tuple[IndexSegment, NDArray[np.int64], NDArray[np.bool_]]] = []
    for segment in index.segments if len(numbers) else ():
        place = np.minimum(np.searchsorted(numbers, segment.numbers), len(numbers) - 1)
        same = (numbers[place] == segment.numbers) & (marks[place] == segment.marks[:])
        present += np.bincount(place[same], minlength=len(numbers))
        places.append((segment, place, same))
    whole = present == expected
    for segment, place, same in places:
        segment.keep(same & whole[place])
    if not len(numbers):
        for segment in index.segments:
            segment.keep(np.zeros(len(segment), np.bool_))
    return set(numbers[~whole].tolist())
