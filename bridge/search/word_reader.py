"""Reads the words of many notes, in a process of its own: that takes seconds, in which no search could be answered."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bridge.index.word_file import WordArrays
from bridge.priority import lower_priority
from bridge.search.word_list import build_word_list
from bridge.text.fold import fold_word
from bridge.text.words import SPACED_WORD

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
