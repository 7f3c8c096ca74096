"""Titles, aliases and headings in memory, found by words, by prefixes, and despite small typing errors."""

import asyncio
import math
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import accumulate, groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bridge.index.apart import Apart, KeptFolder
from bridge.index.array_file import ArrayFile, Layout, decode_lists, encode_lists
from bridge.index.catalogue import NoteEntry, NoteTable
from bridge.index.hits import NameField, NameHit
from bridge.index.note import IndexedNote, Notes
from bridge.index.postings import whole_mark
from bridge.records import Record
from bridge.text.closest import find_mistyped
from bridge.text.invisible import strip_break_hints
from bridge.text.words import RUN, character_pairs, words_of
from bridge.types import Among, VaultPath


class NearWords:
    """Words that are searched despite typing errors, each with its letters as bits."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._lengths = np.fromiter(map(len, words), np.int64, len(words))
        self._letters = _letter_bits("".join(words), self._lengths)

    def find(self, word: str, errors: int, limit: int) -> list[tuple[str, int]]:
        """Return the words within so many typing errors, the nearest first, with their number of errors."""
        # An error adds and removes one letter at most. Comparing all words instead takes thirty times as long.
        apart = np.bitwise_count(self._letters ^ _letter_bits(word, np.array([len(word)])))
        alike = (apart <= 2 * errors) & (np.abs(self._lengths - len(word)) <= errors)
        return find_mistyped(word, [self.words[at] for at in np.flatnonzero(alike).tolist()], errors, limit)


def _letter_bits(text: str, lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the letters of each word in a text without spaces; letters may share a bit."""
    if not len(lengths):
        return np.empty(0, np.uint64)
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    return np.bitwise_or.reduceat(np.uint64(1) << (letters & np.uint64(63)), np.cumsum(lengths) - lengths)


EXACT_SCORE, PREFIX_SCORE, TYPO_SCORE = 1.0, 0.85, 0.7
"""Scores of a word that is equal, has the prefix, or is nearly equal."""

PART_FACTOR, HEADING_FACTOR = 0.6, 0.9
"""Factor for a name of which hardly any part was typed, and for a heading."""

MAX_MATCHED_WORDS = 400
"""Known words that one word of a query may match."""

MAX_QUERY_WORDS = 32
"""Words of a query that are used."""

HEADINGS_A_NOTE = 200

MAX_INSERTED_WORDS = 500
"""Words that are put into the sorted ones one by one; after more, all are sorted again."""


FIELDS: tuple[NameField, ...] = ("title", "alias", "heading")

_NO_NOTE = VaultPath("")
"""Stands for the note of a name that is gone."""


class NameColumns(Record):
    """All that an index of names consists of, as it is stored."""

    notes: Sequence[tuple[VaultPath | None, Sequence[int]]]
    """Each note with the numbers of its names; without a path, it is gone."""
    fields: Sequence[NameField]
    texts: Sequence[str]
    lengths: "array[float]"
    words: Sequence[str]
    """All words, in order."""
    counts: Sequence[int]
    """How many names have each word."""
    holders: "array[int]"
    """The numbers of these names, word by word."""


NO_NAMES = NameColumns((), (), (), array("f"), (), (), array("I"))


class NameIndex:
    """Every name of every note."""

    def __init__(self) -> None:
        self._paths: list[VaultPath] = []
        """By name: its note."""
        self._fields = bytearray()
        """By name: the place of its field among all."""
        self._texts: list[str] = []
        self._free: list[int] = []
        """A heap, so that the numbers of a note's names rise in the order of the names."""
        self._of: dict[VaultPath, Sequence[int]] = {}
        self._holders: dict[str, array[int]] = {}
        self._sorted: list[str] = []
        self._changed: set[str] = set()
        """Words that came or went since the words were sorted."""
        self._near = NearWords(())
        self._length = array("f")
        self._worth = array("f")

    def columns(self) -> NameColumns:
        """Return a copy of everything, which another thread may store."""
        words = self._vocabulary()
        holders = [self._holders[word] for word in words]
        fields, texts = [FIELDS[field] for field in self._fields], [*self._texts]
        joined = array("I", b"".join(holders))
        return NameColumns([*self._of.items()], fields, texts, self._length[:], words, [*map(len, holders)], joined)

    @classmethod
    def restore(cls, columns: NameColumns) -> Self:
        """Return the index of which these are the columns, without the names of notes that are gone."""
        index = cls()
        index._paths = paths = [_NO_NOTE] * len(columns.texts)
        free = set(range(len(paths)))
        for path, numbers in columns.notes:
            free.difference_update(numbers)
            for number in numbers:
                paths[number] = path or _NO_NOTE
        index._fields, index._texts = bytearray(map(FIELDS.index, columns.fields)), [*columns.texts]
        index._free = sorted(free)
        index._length = columns.lengths[:]
        index._worth = array("f", map({field: _worth(field) for field in FIELDS}.__getitem__, columns.fields))
        ends = accumulate(columns.counts, initial=0)
        parts = (columns.holders[start:end] for start, end in pairwise(ends))
        index._holders = dict(zip(columns.words, parts, strict=True))
        index._sorted = [*columns.words]
        for path, numbers in columns.notes:
            if path is None:
                index._remove(numbers)
            else:
                index._of[path] = array("I", numbers)
        return index

    def put(self, path: VaultPath, title: str, aliases: Iterable[str], headings: Iterable[str]) -> None:
        self.drop(path)
        numbers = array("I", self._add(path, "title", (title,)))
        numbers.extend(self._add(path, "alias", aliases))
        numbers.extend(self._add(path, "heading", islice(dict.fromkeys(headings), HEADINGS_A_NOTE)))
        self._of[path] = numbers

    def _add(self, path: VaultPath, field: NameField, texts: Iterable[str]) -> Iterator[int]:
        worth, place = _worth(field), FIELDS.index(field)
        for text in texts:
            words = set(name_words(text))
            if not words:
                continue
            if self._free:
                number = heappop(self._free)
                self._paths[number], self._fields[number], self._texts[number] = path, place, text
                self._length[number], self._worth[number] = len(words), worth
            else:
                number = len(self._texts)
                self._paths.append(path)
                self._fields.append(place)
                self._texts.append(text)
                self._length.append(len(words))
                self._worth.append(worth)
            for word in words:
                holders = self._holders.get(word)
                if holders is None:
                    holders = self._holders[word] = array("I")
                    self._changed.add(word)
                holders.append(number)
            yield number

    def drop(self, path: VaultPath) -> None:
        """Remove a note's names."""
        self._remove(self._of.pop(path, ()))

    def _remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            text = self._texts[number]
            self._paths[number], self._texts[number] = _NO_NOTE, ""
            heappush(self._free, number)
            for word in set(name_words(text)):
                holders = self._holders[word]
                holders.remove(number)
                if not holders:
                    del self._holders[word]
                    self._changed.add(word)

    def find(self, text: str, limit: int, within: Collection[VaultPath] | None) -> list[NameHit]:
        """Return the notes whose names best match a text, one hit per note, best first."""
        words = list(dict.fromkeys(name_words(text)))[:MAX_QUERY_WORDS]
        if not words or limit < 1:
            return []
        hits: dict[VaultPath, NameHit] = {}
        for number, score in self._rank(*self._scores(words)):
            path = self._paths[number]
            if path not in hits and (within is None or path in within):
                hits[path] = NameHit(path, FIELDS[self._fields[number]], self._texts[number], min(1.0, score))
                if len(hits) == limit:
                    break
        return list(hits.values())

    def _scores(self, words: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """Score names by the share of the query that they match, rare words most, and by the share of them typed."""
        matches = [self._holders_of(word, unfinished=word is words[-1]) for word in words]
        numbers = np.unique(np.concatenate([holders for holders, _ in matches]))
        sums = np.zeros(len(numbers), np.float32)
        coverage = np.zeros_like(sums)
        total = 0.0
        for holders, scores_of_word in matches:
            share = np.zeros_like(sums)
            share[np.searchsorted(numbers, holders)] = scores_of_word
            weight = math.log(1 + (len(self._texts) - len(self._free)) / max(1, int(np.count_nonzero(share))))
            sums += np.float32(weight) * share
            coverage += share
            total += weight
        full = np.minimum(1, coverage / np.frombuffer(self._length, np.float32)[numbers])
        worth = np.frombuffer(self._worth, np.float32)[numbers]
        return numbers, sums / np.float32(total or 1) * (PART_FACTOR + (1 - PART_FACTOR) * full) * worth

    def _holders_of(self, word: str, *, unfinished: bool) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """Return the numbers of the names with a word, and the score of each; of a repeated one, the last is best."""
        scores = self._match_words(word, unfinished=unfinished)
        known = sorted(scores, key=scores.__getitem__)
        holders = [self._holders[each] for each in known]
        sizes = [*map(len, holders)]
        numbers = np.frombuffer(b"".join(holders), np.uint32)
        return numbers, np.repeat(np.array([scores[each] for each in known], np.float32), sizes)

    def _rank(self, numbers: NDArray[np.uint32], scores: NDArray[np.float32]) -> Iterator[tuple[int, float]]:
        """Return names with their scores, best first, shorter ones first when equal, then by path."""
        lengths = np.frombuffer(self._length, np.float32)[numbers]
        order = np.lexsort((lengths, -scores))
        ranks = zip(scores[order].tolist(), lengths[order].tolist(), numbers[order].tolist(), strict=True)
        for (score, _), equal in groupby(ranks, key=itemgetter(0, 1)):
            own = sorted((number for *_, number in equal), key=lambda number: (self._paths[number], number))
            yield from ((number, score) for number in own)

    def _match_words(self, word: str, *, unfinished: bool) -> dict[str, float]:
        found: dict[str, float] = {}
        if word in self._holders:
            found[word] = EXACT_SCORE
        if len(word) >= (2 if unfinished else 4) or RUN.match(word):
            for longer in self._words_with_prefix(word):
                found.setdefault(longer, PREFIX_SCORE * (0.7 + 0.3 * len(word) / len(longer)))
        if not found and len(word) >= 4 and not RUN.match(word):
            found = self._nearly(word)
        return found

    def _vocabulary(self) -> list[str]:
        if len(self._changed) > MAX_INSERTED_WORDS:
            self._sorted = sorted(self._holders)
        elif self._changed:
            words = self._sorted.copy()
            for word in self._changed:
                at = bisect_left(words, word)
                if word not in self._holders:
                    del words[at : at + (words[at : at + 1] == [word])]
                elif words[at : at + 1] != [word]:
                    words.insert(at, word)
            self._sorted = words
        self._changed.clear()
        return self._sorted

    def _words_with_prefix(self, word: str) -> Sequence[str]:
        words = self._vocabulary()
        start = bisect_left(words, word)
        end = bisect_left(words, word + "\U0010ffff", start)
        return words[start : min(end, start + MAX_MATCHED_WORDS)]

    def _nearly(self, word: str) -> dict[str, float]:
        words = self._vocabulary()
        if self._near.words is not words:
            self._near = NearWords(words)
        near = self._near.find(word, 1 if len(word) < 8 else 2, MAX_MATCHED_WORDS)
        return {found: TYPO_SCORE * (1 - distance / (2 * len(word))) for found, distance in near}


def _worth(field: NameField) -> float:
    return HEADING_FACTOR if field == "heading" else 1.0


def name_words(text: str) -> list[str]:
    """Split a name into comparable words, also at apostrophes; scripts without spaces into overlapping pairs."""
    words: list[str] = []
    for word in words_of(strip_break_hints(text)):
        words += character_pairs(word) if RUN.match(word) else word.split("'")
    return words


MIN_LANGUAGE_SHARE = 0.01
"""Share of the notes in a language from which queries are stemmed in it."""


class KnownNames:
    """Names and languages of the current notes."""

    def __init__(self, columns: NameColumns = NO_NAMES, notes: Iterable[IndexedNote] = ()) -> None:
        self.names = NameIndex.restore(columns)
        stored = {path for path, _ in columns.notes}
        self.unsaved = len(columns.notes) - len(stored - {None})
        """The number of notes whose names differ from those stored."""
        self.languages: Counter[str] = Counter()
        for note in notes:
            if note.path in stored:
                self._count_language(note, 1)
            else:
                self.learn(note)

    def learn(self, note: IndexedNote) -> None:
        self.unsaved += 1
        self.names.put(note.path, note.title, note.aliases, note.heading_texts)
        self._count_language(note, 1)

    def forget(self, note: IndexedNote) -> None:
        self.unsaved += 1
        self.names.drop(note.path)
        self._count_language(note, -1)

    def _count_language(self, note: IndexedNote, notes: int) -> None:
        if note.language:
            self.languages[note.language] += notes


class NamesBySide:
    """Names and languages of the notes in the folder that is kept apart, and of all others."""

    def __init__(self, apart: Apart, known: KnownNames) -> None:
        self._apart = apart
        self._folder = KeptFolder()
        self._inside, self._outside = KnownNames(), known
        self._languages: dict[Among, tuple[str, ...]] = {}
        """Those that were asked for since a note changed: a search asks several times."""

    def learn(self, note: IndexedNote) -> None:
        self._of(note.path).learn(note)
        self._languages = {}

    def forget(self, note: IndexedNote) -> None:
        self._of(note.path).forget(note)
        self._languages = {}
        # They may have been stored before the folder was kept apart.
        self._outside.unsaved += self._folder.holds(note.path)

    def add_renumbered(self, notes: int) -> None:
        """Record that so many notes have the same names in other rows."""
        self._outside.unsaved += notes

    def follow(self, notes: Notes) -> None:
        """Regroup the notes of a folder that is kept apart since, or no longer."""
        folder = self._apart.folder
        if folder == self._folder:
            return
        before = self._outside.unsaved
        moving = [note for path, note in notes.items() if folder.holds(path) or self._folder.holds(path)]
        for note in moving:
            self.forget(note)
        self._folder = folder
        for note in moving:
            self.learn(note)
        # Each start moves them, which is no reason to store the others again.
        self._outside.unsaved = max(0, before - len(moving))

    def find(self, text: str, limit: int, within: Collection[VaultPath] | None, among: Among) -> list[NameHit]:
        """Return the notes whose names best match a text, best first; arguments as for `NameIndex.find`."""
        hits = [hit for side in self._sides(among) for hit in side.names.find(text, limit, within)]
        return hits if among != "all" else sorted(hits, key=lambda hit: -hit.score)[:limit]

    def languages(self, among: Among) -> tuple[str, ...]:
        """Return the languages of the notes that use the Latin script, most frequent first."""
        # A thread that still counts keeps this one after a change.
        languages = self._languages
        if among not in languages:
            counts = sum((side.languages for side in self._sides(among)), Counter[str]())
            least = MIN_LANGUAGE_SHARE * counts.total()
            known = [(-count, language) for language, count in counts.items() if count > 0 and count >= least]
            languages[among] = tuple(language for _, language in sorted(known))
        return languages[among]

    def _of(self, path: VaultPath) -> KnownNames:
        return self._inside if self._folder.holds(path) else self._outside

    def _sides(self, among: Among) -> Sequence[KnownNames]:
        return {"notes": (self._outside,), "agents": (self._inside,), "all": (self._outside, self._inside)}[among]


FILE = "names"
FORMAT = b"VBNAME03"
"""The beginning of the file; changed with the format, or with how names are split into words."""

LAYOUT: Layout = (
    ("lists", "u1"),
    ("fields", "u1"),
    ("lengths", "<f4"),
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
        keys, numbers, texts, words, counts = decode_lists(stored["lists"])
        return NameColumns(
            notes=list(zip((path_of.get((seq, mark)) for seq, mark in keys), numbers, strict=True)),
            fields=[FIELDS[field] for field in stored["fields"].tolist()],
            texts=texts,
            lengths=array("f", stored["lengths"].tobytes()),
            words=words,
            counts=counts,
            holders=array("I", stored["holders"].tobytes()),
        )

    async def save(self, known: KnownNames, catalogue: NoteTable, most_unsaved: int = 0) -> None:
        """Store the names of the notes, if more than some differ from those stored."""
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
        keys = [(entry.seq, note_mark(entry)) for entry in entries]
        numbers = [[*numbers] for _, numbers in columns.notes]
        arrays = {
            "lists": encode_lists([keys, numbers, columns.texts, columns.words, columns.counts]),
            "fields": [FIELDS.index(field) for field in columns.fields],
            "lengths": columns.lengths,
            "holders": columns.holders,
        }
        self._file.save({name: np.array(arrays[name], kind) for name, kind in LAYOUT})


def note_mark(entry: NoteEntry) -> int:
    """Return the checksum by which the names of a note are told from those of another with the same number."""
    return zlib.crc32(entry.note.recipe.encode(), whole_mark(entry))
