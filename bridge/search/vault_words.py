"""The words of each note: weights of words, and corrections of mistyped ones."""

import asyncio
import logging
import math
import time
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bridge.errors import BridgeError
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.index.word_file import StoredWords, WordArrays
from bridge.priority import lower_priority
from bridge.search.word_list import NO_WORDS, ROOT, WordList, build_word_list, hash_each, hash_stems, roots_of, stems_in
from bridge.text.closest import find_mistyped
from bridge.text.fold import fold_word
from bridge.text.words import RUN, SPACED_WORD
from bridge.types import VaultPath
from bridge.worker_pool import WorkerPool

MAX_WORD_CHARS = 100
"""Maximum length of a recorded word."""

MAX_CACHED_WORDS = 500_000
"""Words whose folded form is remembered: some 80 MB."""


class FoldedWords(dict[str, str]):
    """The folded form of each word that was met; "" for one that is too long."""

    def __missing__(self, word: str) -> str:
        folded = fold_word(word)
        self[word] = found = folded if len(folded) <= MAX_WORD_CHARS else ""
        return found

    def words_in(self, text: str) -> set[str]:
        if len(self) > MAX_CACHED_WORDS:
            self.clear()
        # No word has a space in it, and most of them repeat.
        words = set(map(self.__getitem__, SPACED_WORD.findall(" ".join(set(text.split())))))
        words.update([part for word in words if "'" in word for part in word.split("'")])
        if "\u200c" in text:
            words.update(map(self.__getitem__, SPACED_WORD.findall(text.replace("\u200c", " "))))
        words.discard("")
        return words


class _Numbers(dict[str, int]):
    """The numbers of words, in the order in which they are first met."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(zip(words, range(len(words)), strict=True))
        self.words = [*words]

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self.words)
        self.words.append(word)
        return number


class WordReader:
    """Gathers the words of notes, and builds what is stored of them."""

    def __init__(self, words: Sequence[str] = (), rows: Sequence[NDArray[np.uint32]] = ()) -> None:
        """Begin with the words, by number, and their numbers in each note read so far."""
        self._numbers = _Numbers(words)
        self._rows = [*rows]
        self._folded = FoldedWords()

    def read(self, texts: Iterable[str]) -> None:
        for text in texts:
            numbers = map(self._numbers.__getitem__, self._folded.words_in(text))
            self._rows.append(np.fromiter(numbers, np.uint32))

    def build(self, languages: Iterable[str]) -> WordArrays:
        """Return the arrays of the word file, without those that identify the notes; no word is left without a note."""
        words = self._numbers.words
        numbers = np.concatenate([np.empty(0, np.uint32), *self._rows])
        order = np.array(sorted(np.unique(numbers).tolist(), key=words.__getitem__), np.int64)
        place = np.zeros(len(words), np.uint32)
        place[order] = np.arange(len(order))
        counts = np.array([*map(len, self._rows)], np.uint32)
        return {
            "counts": counts,
            "numbers": place[numbers],
            **build_word_list([words[at] for at in order], languages),
        }


_readers: list[WordReader] = []
"""That of a worker process."""


def begin_words(words: str, numbers: NDArray[np.uint32], counts: NDArray[np.uint32]) -> None:
    """Begin to read in a worker process, which gives way to others from now on."""
    lower_priority()
    _readers[:] = [WordReader(words.split(" ") if words else (), np.split(numbers, np.cumsum(counts))[:-1])]


def read_words(texts: Sequence[str]) -> None:
    """Read further notes in the worker process."""
    _readers[0].read(texts)


def build_words(languages: Sequence[str]) -> WordArrays:
    return _readers.pop().build(languages)


MANY = 5
"""New words of a note above which the stems under their roots are recomputed instead of extended."""

CACHED = 1_000
"""Words of queries whose forms are cached: a search asks for those of each word several times."""


class NumberedWords:
    """The words of notes, each with a number and the count of the notes that contain it.

    Stored words have the numbers of their list. Words that are new since have higher ones, and are kept in memory.
    """

    def __init__(self, stored: WordList = NO_WORDS, counts: NDArray[np.int64] | None = None) -> None:
        """Begin with stored words, and how many notes contain each."""
        self._stored = stored
        self.counts = array("I", (np.empty(0) if counts is None else counts).astype(np.uint32).tobytes())
        """By number: how many notes contain the word; 0 for stored words that no note contains any more."""
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []
        self._free: list[int] = []
        self._begun: defaultdict[str, list[str]] = defaultdict(list)
        """By root: the new words whose stem may begin with it."""
        self._stems: dict[str, dict[str, NDArray[np.uint32]]] = {}
        """By root and language: the hashes of these words' stems, in order."""
        self._forms: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        """By word and languages: the numbers of its forms, until the words change."""

    def snapshot(self) -> tuple[WordList, Sequence[str]]:
        """Return the stored words, and a copy of the others in the order of their numbers."""
        return self._stored, [*self._words]

    # -- changes ------------------------------------------------------------------------------------------------------

    def add(self, words: Collection[str]) -> NDArray[np.uint32]:
        """Count the words of a note, and return their numbers."""
        known = dict(zip(words, map(self._numbers.get, words), strict=True))
        unknown = [word for word, number in known.items() if number is None]
        known.update((word, self._stored.find(word)) for word in unknown)
        new = [word for word in unknown if known[word] is None]
        self._add_new(new)
        known.update((word, self._numbers[word]) for word in new)
        numbers = np.fromiter(known.values(), np.uint32, len(words))
        np.frombuffer(self.counts, np.uint32)[numbers] += 1
        return numbers

    def _number(self, word: str) -> int | None:
        number = self._numbers.get(word)
        return self._stored.find(word) if number is None else number

    def _add_new(self, words: Collection[str]) -> None:
        if words:
            self._forms.clear()
        for word in words:
            if self._free:
                number = self._free.pop()
                self._words[number - len(self._stored)], self.counts[number] = word, 0
            else:
                number = len(self.counts)
                self._words.append(word)
                self.counts.append(0)
            self._numbers[word] = number
            for root in roots_of(word):
                self._begun[root].append(word)
                if len(words) > MANY:
                    self._stems.pop(root, None)
                elif known := self._stems.get(root):
                    added = hash_each(stems_in(word, known))
                    self._stems[root] = {
                        language: np.append(stems, added[at]) for at, (language, stems) in enumerate(known.items())
                    }

    def drop(self, numbers: Iterable[int]) -> None:
        """Count the words of a note no more; a stored one keeps its number."""
        for number in numbers:
            self.counts[number] -= 1
            if not self.counts[number] and number >= len(self._stored):
                word = self._words[number - len(self._stored)]
                del self._numbers[word]
                self._forms.clear()
                for root in roots_of(word):
                    at = self._begun[root].index(word)
                    del self._begun[root][at]
                    for language, stems in self._stems.get(root, {}).items():
                        self._stems[root][language] = np.delete(stems, at)
                self._words[number - len(self._stored)] = ""
                self._free.append(number)

    # -- questions ----------------------------------------------------------------------------------------------------

    def forms_of(self, word: str, languages: Collection[str]) -> list[int]:
        query = (word, tuple(languages))
        if query not in self._forms:
            if len(self._forms) >= CACHED:
                self._forms.clear()
            self._forms[query] = self._find_forms(word, languages)
        return self._forms[query]

    def _find_forms(self, word: str, languages: Collection[str]) -> list[int]:
        number = self._number(word)
        found = set[int]() if number is None else {number}
        stems = stems_in(word, languages)
        for language, stem, hashed in zip(languages, stems, hash_each(stems).tolist(), strict=True):
            root = stem[:ROOT]
            found.update(self._stored.of_stem(root, language, hashed))
            if begun := self._begun.get(root):
                alike = np.flatnonzero(self.stems_of(root, language) == hashed)
                found.update(self._numbers[begun[at]] for at in alike.tolist())
        return sorted(found)

    def stems_of(self, root: str, language: str) -> NDArray[np.uint32]:
        known = self._stems.setdefault(root, {})
        if language not in known:
            known[language] = hash_stems(language, self._begun.get(root, ()))
        return known[language]

    def begins(self, start: str) -> bool:
        """Return whether any word begins with a prefix, given folded."""
        if any(self.counts[number] for number in self._stored.begun_with(start)):
            return True
        return any(word.startswith(start) for word in self._begun.get(start[:ROOT], ()))

    def beginning_with(self, start: str) -> list[tuple[str, int]]:
        """Return the words that begin with a prefix, given folded, each with the number of notes that contain it."""
        stored = self._stored.begun_with(start)
        counts = self.counts[stored.start : stored.stop]
        found = dict(zip(self._stored.words(stored), counts, strict=True))
        begun = (word for word in self._begun.get(start[:ROOT], ()) if word.startswith(start))
        found.update((word, self.counts[self._numbers[word]]) for word in begun)
        return [(word, count) for word, count in found.items() if count]

    def is_strange(self, word: str, piece: int) -> bool:
        """Return whether a word has so many letters in a row, its start or end among them, that no word has."""
        every = "\n".join(("", *self._words, self._stored.lines()))
        whole = f"\n{word}\n"
        return any(whole[at : at + piece] not in every for at in range(len(whole) - piece + 1))

    def alike(self, word: str, errors: int) -> list[tuple[str, int]]:
        """Return the words with the same first letter within so many typing errors, with their number of errors."""
        # The first letter is hardly ever the wrong one: `wetter` is not `better`.
        stored = self._stored.begun_with(word[:1])
        counts = self.counts[stored.start : stored.stop]
        counted = (one for one, count in zip(self._stored.words(stored), counts, strict=True) if count)
        begun = [words for root, words in self._begun.items() if root[:1] == word[:1]]
        like = [one for one in chain(counted, *begun) if one[0] == word[0] and abs(len(one) - len(word)) <= errors]
        return find_mistyped(word, like, errors)


log = logging.getLogger(__name__)

MAX_READ_NOTES = 64
"""Changed notes whose words a search reads itself."""

AT_ONCE = 256
"""Notes read at a time."""

QUICKLY_READ = 1_000
"""Notes whose words the first search reads itself: as quickly as a process starts."""

MIN_STORED_NOTES = 256
"""Notes up to which the words are read at each start."""

MAX_UNSAVED_NOTES = 64
"""Changed notes from which the words of all notes are stored; the next start reads what is not stored."""

AGAIN_AFTER_S = 60.0
"""Seconds after which words that could not be stored are stored again."""

COMMON, ASSUMED_NOTES = 0.25, 40
"""Share of the notes above which a word is common, and the number of notes added to every vault for this."""

NOTHING_SAID: Final[Mapping[str, Collection[VaultPath]]] = MappingProxyType({})


class VaultWords:
    """The words of each note; detects changes of the index by itself."""

    def __init__(self) -> None:
        self._words = NumberedWords()
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._of: dict[VaultPath, NDArray[np.uint32]] = {}
        self._changed = 0
        """Notes whose words differ from those stored."""
        self._total, self._squares = 0, 0
        """The sum of each note's word count, and of its square."""
        self._notes: Mapping[VaultPath, IndexedNote] | None = None
        """The notes, if the words of each are known as it is now."""
        self.covers = False
        """Whether the words of every note are known, of some notes as they were before a change."""
        self._rebuilding: asyncio.Task[None] | None = None
        self._next_save = 0.0
        """The earliest time of the clock to store words."""

    def load(self, index: Index) -> None:
        """Load the stored words of an index; for any thread, before the first search."""
        if (stored := index.word_file.load()) is not None:
            self._use(stored, index.notes)

    def _use(self, stored: StoredWords, notes: Mapping[VaultPath, IndexedNote]) -> None:
        """Take over the stored words of these notes, also as they were before a change, and forget all others."""
        rows = [note if note and note.path in notes else None for note in stored.notes]
        known = [note for note in rows if note is not None]
        counts = stored.arrays["counts"].astype(np.int64)
        live = np.array([note is not None for note in rows], np.bool_)
        numbers = stored.arrays["numbers"]
        of_live = numbers if len(known) == len(rows) else numbers[np.repeat(live, counts)]
        words = WordList(stored.arrays)
        self._words = NumberedWords(words, np.bincount(of_live, minlength=len(words)))
        ends = np.cumsum(counts)
        bounds = zip((ends - counts)[live].tolist(), ends[live].tolist(), strict=True)
        self._of = {note.path: numbers[start:end] for note, (start, end) in zip(known, bounds, strict=True)}
        self._seen = {note.path: note for note in known}
        self._total, self._squares = int(counts[live].sum()), int((counts[live] ** 2).sum())
        self._changed = len(rows) - len(known)

    async def follow(self, index: Index) -> bool:
        """Update to new, changed and removed notes; if they are many, in the background."""
        notes = index.notes
        if notes is self._notes:
            self._save_if_due(index)
            return True
        for path in [path for path in self._of if path not in notes]:
            self._forget(path)
        unread = [path for path, note in notes.items() if self._seen.get(path) is not note]
        if len(unread) <= (MAX_READ_NOTES if self._of else QUICKLY_READ):
            for start in range(0, len(unread), AT_ONCE):
                await self._read(index, notes, unread[start : start + AT_ONCE])
        else:
            self._rebuild(index)
        self._take_up(notes)
        return self._notes is notes

    async def store(self, index: Index) -> None:
        """Read the words of all notes and store them, as far as that is possible now."""
        if await self.follow(index):
            self._save_if_due(index)
        if self._rebuilding is not None:
            await asyncio.wait({self._rebuilding})

    def _take_up(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        known = len(self._seen) == len(notes) and all(self._seen.get(path) is note for path, note in notes.items())
        self._notes = notes if known else None
        self.covers = known or notes.keys() <= self._of.keys()

    async def _read(self, index: Index, notes: Mapping[VaultPath, IndexedNote], paths: Sequence[VaultPath]) -> None:
        texts = await index.wholes(paths)
        folded = FoldedWords()
        for path in paths:
            # The next search takes over what was written or removed meanwhile.
            if index.notes.get(path) is notes[path]:
                self._forget(path)
                self._learn(notes[path], folded.words_in(full_text(notes[path], texts)))

    def _save_if_due(self, index: Index) -> None:
        due = self._changed > MAX_UNSAVED_NOTES or not index.word_file.is_stored
        if due and _is_stored(index) and time.monotonic() >= self._next_save:
            self._rebuild(index)

    def _rebuild(self, index: Index) -> None:
        """Read what is unread in the background, unless that is under way, and list all words again."""
        if self._rebuilding is None or self._rebuilding.done():
            self._rebuilding = asyncio.create_task(self._rebuild_in_worker(index))

    async def _rebuild_in_worker(self, index: Index) -> None:
        notes = index.notes
        known = [note for path, note in self._seen.items() if notes.get(path) is note]
        unread = [note for path, note in notes.items() if self._seen.get(path) is not note]
        listed, added = self._words.snapshot()
        words = [*listed.words(range(len(listed))), *added]
        pool = WorkerPool(1)
        try:
            # Many small objects would be pickled one by one, and nothing else could run meanwhile.
            rows = [self._of[note.path] for note in known]
            numbers = np.concatenate([np.empty(0, np.uint32), *rows])
            counts = np.array([*map(len, rows)], np.uint32)
            await asyncio.wrap_future(pool.submit(begin_words, " ".join(words), numbers, counts))
            for start in range(0, len(unread), AT_ONCE):
                part = unread[start : start + AT_ONCE]
                texts = await index.wholes([note.path for note in part])
                await asyncio.wrap_future(pool.submit(read_words, [full_text(note, texts) for note in part]))
            arrays = await asyncio.wrap_future(pool.submit(build_words, index.languages))
            read = [*known, *unread]
            stored = await self._save(index, read, arrays)
            # Otherwise nothing is gained but for the next start, and a search may know more by now.
            if unread or self._notes is notes:
                self._use(stored or StoredWords(read, arrays), index.notes)
                self._take_up(index.notes)
            if stored is None:
                self._changed = len(read)
        except (BridgeError, OSError, RuntimeError, ValueError):
            # The next search retries, in the index that is open then.
            log.debug("The words of the notes could not be read.", exc_info=True)
        finally:
            pool.end()

    async def _save(self, index: Index, notes: Sequence[IndexedNote], words: WordArrays) -> StoredWords | None:
        stored: StoredWords | None = None
        if _is_stored(index):
            with suppress(BridgeError, OSError):
                stored = await index.word_file.save(notes, words)
            if stored is None:
                self._next_save = time.monotonic() + AGAIN_AFTER_S
        return stored

    def _learn(self, note: IndexedNote, words: Collection[str]) -> None:
        numbers = self._words.add(words)
        self._total += len(numbers)
        self._squares += len(numbers) ** 2
        self._of[note.path] = numbers
        self._seen[note.path] = note
        self._changed += 1

    def _forget(self, path: VaultPath) -> None:
        self._seen.pop(path, None)
        numbers = self._of.pop(path, np.empty(0, np.uint32))
        self._total -= len(numbers)
        self._squares -= len(numbers) ** 2
        self._words.drop(numbers.tolist())

    def says(self, word: str, languages: Collection[str]) -> bool:
        return any(self._words.counts[number] for number in self._words.forms_of(fold_word(word), languages))

    def begins(self, start: str) -> bool:
        """Return whether any word of the vault begins with a prefix."""
        return self._words.begins(fold_word(start))

    def beginning_with(self, start: str) -> list[str]:
        """Return the words of the vault that begin with a prefix, folded, those of most notes first."""
        found = self._words.beginning_with(fold_word(start))
        return [word for word, _ in sorted(found, key=lambda one: (-one[1], one[0]))]

    def count(self, word: str, languages: Collection[str] = ()) -> int:
        """Return approximately how many notes contain a word in any form."""
        return min(
            len(self._of),
            sum(self._words.counts[number] for number in self._words.forms_of(fold_word(word), languages)),
        )

    def worth(self, word: str, languages: Collection[str] = ()) -> float:
        """Return a word's inverse document frequency as in BM25, as if there were some more notes.

        In a handful of notes, a word that all of them contain need not be a common one.
        """
        count = self.count(word, languages)
        return math.log(1 + (len(self._of) + ASSUMED_NOTES - count + 0.5) / (count + 0.5))

    def quiet(self, words: Iterable[str], languages: Collection[str], share: float = COMMON) -> frozenset[str]:
        """Return the words, folded, that too many notes contain to be informative; never all of them."""
        query_words = {*spaced_words(words)}
        common = {word for word in query_words if self.count(word, languages) > share * (len(self._of) + ASSUMED_NOTES)}
        return frozenset(common if common < query_words else ())

    def find_outdated(self, paths: Iterable[VaultPath], notes: Mapping[VaultPath, IndexedNote]) -> list[VaultPath]:
        """Return those of some notes whose words are only known as they were before a change."""
        if self._notes is not None:
            return []
        return [path for path in paths if path in notes and self._seen.get(path) is not notes[path]]

    def cover(
        self,
        paths: Iterable[VaultPath],
        words: Sequence[str],
        languages: Collection[str],
        said: Mapping[str, Collection[VaultPath]] = NOTHING_SAID,
    ) -> dict[VaultPath, float] | None:
        """Return how much of a query notes contain (0-1), rare words counting most.

        A long note contains a word by chance more often than a short one, so that the word counts less there.
        """
        query_words = spaced_words(words)
        if not self.covers or not query_words or any(RUN.search(word) for word in words):
            return None
        worths = [self.worth(word, languages) for word in query_words]
        place = np.zeros(len(self._words.counts), np.uint16)
        for at, word in enumerate(query_words, 1):
            place[self._words.forms_of(word, languages)] = at
        worth = np.array([0.0, *worths])
        own_paths = [path for path in paths if path in self._of]
        if not own_paths:
            return {}
        # All notes at once: one by one takes twenty times as long.
        rows = [self._of[path] for path in own_paths]
        ends = np.cumsum([*map(len, rows)])
        position = place[np.concatenate(rows)]
        where = np.flatnonzero(position != 0)
        known = np.searchsorted(ends, where, side="right") * len(worth) + position[where]
        numbers_of = {path: number for number, path in enumerate(own_paths)} if said else {}
        added = [
            numbers_of[path] * len(worth) + at
            for at, word in enumerate(query_words, 1)
            for path in said.get(word, ())
            if path in numbers_of
        ]
        pairs = np.unique(np.concatenate([known, np.array(added, np.int64)]))
        notes, numbers = np.divmod(pairs, len(worth))
        # Relative to the notes that contain a word, not to any note: many vaults are full of stubs.
        times_as_long = np.diff(ends, prepend=0) * (self._total / max(1, self._squares))
        gains = worth[numbers]
        by_chance = 1 - (1 - np.exp(-gains)) ** times_as_long[notes]
        coverage = np.bincount(notes, np.minimum(gains, -np.log(by_chance)), len(own_paths)) / worth.sum()
        return dict(zip(own_paths, coverage.tolist(), strict=True))

    def is_strange(self, word: str, piece: int) -> bool:
        """Return whether a word has so many letters in a row that no word of the vault has."""
        return self._words.is_strange(fold_word(word), piece)

    def alike(self, word: str, errors: int) -> list[tuple[str, int]]:
        """Return the words with the same first letter within so many typing errors, with their number of errors."""
        return self._words.alike(fold_word(word), errors)


def spaced_words(words: Iterable[str]) -> list[str]:
    """Return the words of a query that spaces or apostrophes separate, each once, folded."""
    found = (fold_word(part) for word in words for part in SPACED_WORD.findall(word))
    return [*dict.fromkeys(part for word in found for part in word.split("'") if part)]


def full_text(note: IndexedNote, texts: Mapping[VaultPath, str]) -> str:
    return " ".join((texts.get(note.path, ""), note.title, *note.aliases, note.path))


def _is_stored(index: Index) -> bool:
    return index.among == "notes" and len(index.notes) > MIN_STORED_NOTES
