"""Known words that nearly equal a mistyped one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bridge.text.closest import find_mistyped

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def _letter_bits(text: str, lengths: "NDArray[np.int64]") -> "NDArray[np.uint64]":
    """Return the letters of each word in a text without spaces; letters may share a bit."""
    if not len(lengths):
        return np.empty(0, np.uint64)
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    return np.bitwise_or.reduceat(np.uint64(1) << (letters & np.uint64(63)), np.cumsum(lengths) - lengths)
