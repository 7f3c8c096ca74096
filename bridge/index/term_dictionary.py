"""The distinct words of the whole notes, in order: by beginning and by spelling, which the hashes of postings lack."""

from collections.abc import Iterable, Iterator
from itertools import chain, compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge.index.array_file import ArrayFile, Layout
from bridge.index.tokens import hash_tokens
from bridge.text.closest import find_mistyped

FILE = "words"
FORMAT = b"VBWORD04"
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
        """Load the stored words, and return whether there were any."""
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
        encoded = encode(prefix)
        # No character has this byte.
        packed = decode_lines(self._lines[self._find(encoded) - 1 : self._find(encoded + b"\xff")])
        return [*{*packed, *(word for word in self._new_words() if word.startswith(prefix))}]

    def similar_words(self, word: str, errors: int) -> list[tuple[str, int]]:
        """Return the words with the same first letter within so many typing errors, with their number of errors."""
        # The first letter is hardly ever the wrong one: `wetter` is not `better`.
        near = [other for other in self.words_beginning(word[:1]) if abs(len(other) - len(word)) <= errors]
        return find_mistyped(word, near, errors)

    def words_containing(self, part: str) -> Iterator[str]:
        """Yield the words that contain some letters in a row; a line break stands for the start or end of a word."""
        yield from (word for word in self._new_words() if part in f"\n{word}\n")
        encoded, end = encode(part), 0
        while (at := self._lines.find(encoded, end)) >= 0:
            start = self._lines.rfind(b"\n", 0, at + 1) + 1
            end = self._lines.index(b"\n", start)
            yield self._lines[start:end].decode("utf-8", "surrogatepass")

    def _new_words(self) -> Iterator[str]:
        return chain(self._new, self._being_packed)

    def _find(self, encoded: bytes) -> int:
        """Return where the first packed word begins that is not before another."""
        first, last = 1, len(self._lines)
        while first < last:
            start = self._lines.rfind(b"\n", first - 1, (first + last) // 2) + 1
            end = self._lines.index(b"\n", start)
            if self._lines[start:end] < encoded:
                first = end + 1
            else:
                last = start
        return first


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode_lines(lines: bytes) -> list[str]:
    return lines.decode("utf-8", "surrogatepass").split("\n")[1:-1]
