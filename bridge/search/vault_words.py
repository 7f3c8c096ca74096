"""The words of each note, in memory: weights of words, and corrections of mistyped ones."""

import asyncio
import logging
import math
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.text.fold import fold_word
from bridge.text.stems import stem_words
from bridge.text.words import RUN, SPACED_WORD
from bridge.types import VaultPath

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bridge.index.index import Index

log = logging.getLogger(__name__)

FEW_CHANGED = 64
"""Changed notes whose words a search reads itself."""

AT_ONCE = 256
"""Notes read at a time; the first search reads no more than these itself."""

PATIENCE_S = 1.0
"""Seconds for which the first search waits for the words of the vault, if they seem to take no longer."""

LONGEST = 40
"""Maximum length of a recorded word."""

ROOT = 2
"""Letters with which a stem and its words begin, but for elisions as in `l'eau`, Dutch `ge-`, and `dying` of `die`."""

MANY = 5
"""New words of a note above which the stems under their roots are recomputed instead of extended."""

CACHED = 1_000
"""Words of queries whose forms are cached: a search asks for those of each word several times."""

COMMON, FEW = 0.25, 40
"""Share of the notes above which a word is common, and the number of notes added to every vault for this."""


class VaultWords:
    """The words of each note; detects changes of the index by itself."""

    def __init__(self) -> None:
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._of: dict[VaultPath, NDArray[np.uint32]] = {}
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []
        self._counts: list[int] = []
        self._total, self._squares = 0, 0
        """The sum of each note's word count, and of its square."""
        self._free: list[int] = []
        self._begun: defaultdict[str, list[str]] = defaultdict(list)
        """By root: the words whose stem may begin with it."""
        self._stems: dict[str, dict[str, NDArray[np.int64]]] = {}
        """By root and language: the hashes of these words' stems, in order; the stems would take a gigabyte."""
        self._forms: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        """By word and languages: the numbers of its forms, until the words change."""
        self._notes: Mapping[VaultPath, IndexedNote] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._learnt = asyncio.Event()
        """Set when no search need wait for the words that are read."""

    async def follow(self, index: "Index") -> bool:
        """Update to new, changed and removed notes; if they are many in the background, for which the first one waits.

        Returns:
            Whether the words of all notes are known.
        """
        notes = index.notes
        if notes is self._notes:
            return True
        for path in [path for path in self._of if path not in notes]:
            self._forget(path)
        unread = [path for path, note in notes.items() if self._seen.get(path) is not note]
        if len(unread) <= (FEW_CHANGED if self._of else AT_ONCE):
            await self._read(index, notes, unread, _FoldedWords())
            self._notes = notes if len(self._seen) == len(notes) else None
            return self._notes is notes
        if self._reading is None or self._reading.done():
            self._learnt.clear()
            self._reading = asyncio.create_task(self._read_all(index, notes, unread))
            # Otherwise a command, whose first search is its last, would rank without the words of the vault.
            if not self._of:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._learnt.wait(), PATIENCE_S)
        if all(self._seen.get(path) is note for path, note in notes.items()):
            self._notes = notes
        return self._notes is notes

    async def _read_all(self, index: "Index", notes: Mapping[VaultPath, IndexedNote], unread: list[VaultPath]) -> None:
        folded = _FoldedWords()
        began = time.perf_counter()
        try:
            for start in range(0, len(unread), AT_ONCE):
                # At this rate, the search would wait in vain.
                if (time.perf_counter() - began) * len(unread) > PATIENCE_S * start > 0:
                    self._learnt.set()
                await self._read(index, notes, unread[start : start + AT_ONCE], folded, background=True)
            self._learnt.set()
            await self._stem_all(index)
        except (BridgeError, OSError, RuntimeError, ValueError):
            # The next search retries, in the index that is open then.
            log.debug("The words of the notes could not be read.", exc_info=True)
        finally:
            self._learnt.set()

    async def _read(
        self,
        index: "Index",
        notes: Mapping[VaultPath, IndexedNote],
        paths: Sequence[VaultPath],
        folded: "_FoldedWords",
        *,
        background: bool = False,
    ) -> None:
        if not paths:
            return
        texts = await index.wholes(paths)
        since = 0.0
        for path in paths:
            if background:
                since = await index.searches.give_way(since)
            # The next search takes over what was written or removed meanwhile.
            if index.notes.get(path) is notes[path]:
                self._forget(path)
                self._learn(notes[path], texts.get(path, ""), folded)

    def _learn(self, note: IndexedNote, text: str, folded: "_FoldedWords") -> None:
        full_text = " ".join((text, note.title, *note.aliases, note.path))
        # No word has a space in it, and most of them repeat.
        words = set(map(folded.__getitem__, SPACED_WORD.findall(" ".join(set(full_text.split())))))
        words.discard("")
        self._add_words([word for word in words if word not in self._numbers])
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.uint32, len(words))
        for number in numbers.tolist():
            self._counts[number] += 1
        self._total += len(numbers)
        self._squares += len(numbers) ** 2
        self._of[note.path] = numbers
        self._seen[note.path] = note

    def _add_words(self, words: Collection[str]) -> None:
        """Number new words."""
        if words:
            self._forms.clear()
        for word in words:
            if self._free:
                number = self._free.pop()
                self._words[number], self._counts[number] = word, 0
            else:
                number = len(self._words)
                self._words.append(word)
                self._counts.append(0)
            self._numbers[word] = number
            for root in _roots(word):
                self._begun[root].append(word)
                if len(words) > MANY:
                    self._stems.pop(root, None)
                for language, stems in self._stems.get(root, {}).items():
                    self._stems[root][language] = np.append(stems, _hash_stems(language, [word]))

    def _forget(self, path: VaultPath) -> None:
        self._seen.pop(path, None)
        numbers = self._of.pop(path, np.empty(0, np.uint32))
        self._total -= len(numbers)
        self._squares -= len(numbers) ** 2
        for number in numbers.tolist():
            self._counts[number] -= 1
            if not self._counts[number]:
                word = self._words[number]
                del self._numbers[word]
                self._forms.clear()
                for root in _roots(word):
                    at = self._begun[root].index(word)
                    del self._begun[root][at]
                    for language, stems in self._stems.get(root, {}).items():
                        self._stems[root][language] = np.delete(stems, at)
                self._words[number] = ""
                self._free.append(number)

    def _forms_of(self, word: str, languages: Collection[str]) -> list[int]:
        """Return the words of the vault that are a word or another form of it."""
        query = (word, tuple(languages))
        if query not in self._forms:
            if len(self._forms) >= CACHED:
                self._forms.clear()
            self._forms[query] = self._find_forms(word, languages)
        return self._forms[query]

    def _find_forms(self, word: str, languages: Collection[str]) -> list[int]:
        found = {self._numbers[word]} if word in self._numbers else set[int]()
        for language in languages:
            [stem] = stem_words(language, [word])
            alike = self._stems_of(stem[:ROOT], language) == hash(stem)
            begun = self._begun.get(stem[:ROOT], ())
            found.update(self._numbers[begun[at]] for at in np.flatnonzero(alike).tolist())
        return sorted(found)

    def _stems_of(self, root: str, language: str) -> "NDArray[np.int64]":
        """Return the hashes of the stems of the words under a root."""
        known = self._stems.setdefault(root, {})
        if language not in known:
            known[language] = _hash_stems(language, self._begun.get(root, ()))
        return known[language]

    async def _stem_all(self, index: "Index") -> None:
        """Stem every word, so that no search has to."""
        since = 0.0
        for root, language in product(list(self._begun), index.languages):
            since = await index.searches.give_way(since)
            self._stems_of(root, language)

    def says(self, word: str, languages: Collection[str]) -> bool:
        """Return whether any note contains a word in any form."""
        return any(self._counts[number] for number in self._forms_of(fold_word(word), languages))

    def begins(self, start: str) -> bool:
        """Return whether any word of the vault begins with a prefix."""
        folded = fold_word(start)
        return any(word.startswith(folded) for word in self._begun.get(folded[:ROOT], ()))

    def count(self, word: str, languages: Collection[str] = ()) -> int:
        """Return approximately how many notes contain a word in any form."""
        return min(len(self._of), sum(self._counts[number] for number in self._forms_of(fold_word(word), languages)))

    def worth(self, word: str, languages: Collection[str] = ()) -> float:
        """Return a word's inverse document frequency as in BM25, as if there were some more notes.

        In a handful of notes, a word that all of them contain need not be a common one.
        """
        count = self.count(word, languages)
        return math.log(1 + (len(self._of) + FEW - count + 0.5) / (count + 0.5))

    def quiet(self, words: Iterable[str], languages: Collection[str], share: float = COMMON) -> frozenset[str]:
        """Return the words, folded, that too many notes contain to be informative; never all of them."""
        query_words = {fold_word(part) for word in words for part in SPACED_WORD.findall(word)}
        common = {word for word in query_words if self.count(word, languages) > share * (len(self._of) + FEW)}
        return frozenset(common if common < query_words else ())

    def cover(
        self, paths: Iterable[VaultPath], words: Sequence[str], languages: Collection[str]
    ) -> dict[VaultPath, float] | None:
        """Return how much of a query notes contain (0-1), rare words counting most.

        A long note contains a word by chance more often than a short one, so that the word counts less there.

        Returns:
            None until every note was read, and for scripts without spaces between words.
        """
        query_words = list(dict.fromkeys(fold_word(part) for word in words for part in SPACED_WORD.findall(word)))
        if self._notes is None or not query_words or any(RUN.search(word) for word in words):
            return None
        worths = [self.worth(word, languages) for word in query_words]
        place = np.zeros(len(self._words), np.int32)
        for at, word in enumerate(query_words, 1):
            place[self._forms_of(word, languages)] = at
        worth = np.array([0.0, *worths])
        own_paths = [path for path in paths if path in self._of]
        if not own_paths:
            return {}
        # All notes at once: one by one takes twenty times as long.
        ends = np.cumsum([len(self._of[path]) for path in own_paths])
        position = place[np.concatenate([self._of[path] for path in own_paths])]
        where = np.flatnonzero(position > 0)
        pairs = np.unique(np.searchsorted(ends, where, side="right") * len(worth) + position[where])
        notes, numbers = np.divmod(pairs, len(worth))
        # Relative to the notes that contain a word, not to any note: many vaults are full of stubs.
        times_as_long = np.diff(ends, prepend=0) * (self._total / max(1, self._squares))
        gains = worth[numbers]
        by_chance = 1 - (1 - np.exp(-gains)) ** times_as_long[notes]
        coverage = np.bincount(notes, np.minimum(gains, -np.log(by_chance)), len(own_paths)) / worth.sum()
        return dict(zip(own_paths, coverage.tolist(), strict=True))

    def alike(self, word: str, errors: int) -> list[tuple[str, int]]:
        """Return the words with the same first letter within so many typing errors, with their number of errors."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        folded = fold_word(word)
        # The first letter is hardly ever the wrong one: `wetter` is not `better`.
        begun = (words for root, words in self._begun.items() if root[:1] == folded[:1])
        like = [
            one for words in begun for one in words if one[0] == folded[0] and abs(len(one) - len(folded)) <= errors
        ]
        near = process.extract(folded, like, scorer=OSA.distance, score_cutoff=errors, limit=None)
        return [(found, int(distance)) for found, distance, _ in near]


class _FoldedWords(dict[str, str]):
    """The folded form of each word that was met; "" for one that is too long."""

    def __missing__(self, word: str) -> str:
        folded = fold_word(word)
        self[word] = found = folded if len(folded) <= LONGEST else ""
        return found


def _roots(word: str) -> set[str]:
    """Return the roots under which a word is found."""
    if "'" not in word and not word.startswith("ge"):
        return {word[:ROOT]}
    parts = [word, word.partition("'")[2], word[2:] if word.startswith("ge") else ""]
    return {part[:ROOT] for part in parts if part}


def _hash_stems(language: str, words: Sequence[str]) -> "NDArray[np.int64]":
    return np.fromiter(map(hash, stem_words(language, words)), np.int64, len(words))
