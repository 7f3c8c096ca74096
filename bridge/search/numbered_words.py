"""Numbers words, and finds them by beginning, by stem and despite typing errors, while notes come and go."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from bridge.search.word_list import NO_WORDS, ROOT, WordList, hash_each, hash_stems, roots_of, stems_in
from bridge.text.closest import find_mistyped

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 5
"""New words of a note above which the stems under their roots are recomputed instead of extended."""

CACHED = 1_000
"""Words of queries whose forms are cached: a search asks for those of each word several times."""


class NumberedWords:
    """The words of notes, each with a number and the count of the notes that contain it.

    Stored words have the numbers of their list. Words that are new since have higher ones, and are kept in memory.
    """

    def __init__(self, stored: WordList = NO_WORDS, counts: "NDArray[np.int64] | None" = None) -> None:
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

    def add(self, words: Collection[str]) -> "NDArray[np.uint32]":
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
        """Return the numbers of the words that are a word or another form of it."""
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

    def stems_of(self, root: str, language: str) -> "NDArray[np.uint32]":
        """Return the hashes of the stems of the new words under a root."""
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
