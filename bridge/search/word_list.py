"""An unchanging list of words in a few arrays, found by word, beginning and stem without an object for each."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from bridge.index.tokens import hash_tokens
from bridge.index.word_file import WordArrays
from bridge.text.stems import script_language, stem_words

ROOT = 2
"""Letters with which a stem and its words begin, but for Dutch `ge-`, and `dying` of `die`."""

AT_ONCE = 1_024
"""Words stemmed at a time: longer calls would keep a search waiting."""


class WordList:
    """Words in order, each with its place as its number."""

    def __init__(self, arrays: WordArrays) -> None:
        self._text = arrays["text"].data
        self._ends = arrays["ends"].data
        self._held = arrays["held"]
        ends = pairwise(accumulate(arrays["root_sizes"].tolist(), initial=0))
        self._places = dict(zip(_split(arrays["roots"].tobytes()), ends, strict=True))
        """By root: where its words are in `_held`."""
        languages = _split(arrays["languages"].tobytes())
        rows = arrays["stems"].reshape(len(languages), len(self._held)) if languages else ()
        self._stems = dict(zip(languages, rows, strict=True))
        self._others: dict[tuple[str, str], NDArray[np.uint32]] = {}
        """By root and language: the hashes of stems in a language that the vault has since the list was made."""

    def __len__(self) -> int:
        """Count the words."""
        return len(self._ends)

    def _start(self, number: int) -> int:
        return self._ends[number - 1] if number else 0

    def _encoded_word(self, number: int) -> bytes:
        return self._text[self._start(number) : self._ends[number] - 1].tobytes()

    def _place(self, encoded: bytes) -> int:
        return bisect_left(range(len(self)), encoded, key=self._encoded_word)

    def find(self, word: str) -> int | None:
        encoded = _encode(word)
        at = self._place(encoded)
        return at if at < len(self) and self._encoded_word(at) == encoded else None

    def begun_with(self, prefix: str) -> range:
        encoded = _encode(prefix)
        # No character has this byte.
        return range(self._place(encoded), self._place(encoded + b"\xff"))

    def words(self, numbers: range) -> list[str]:
        if not numbers:
            return []
        return _split(self._text[self._start(numbers[0]) : self._ends[numbers[-1]]].tobytes())

    def lines(self) -> str:
        return self._text.tobytes().decode("utf-8", "surrogatepass")

    def of_stem(self, root: str, language: str, hashed: int) -> list[int]:
        first, last = self._places.get(root, (0, 0))
        if language in self._stems:
            stems = self._stems[language][first:last]
        elif (root, language) not in self._others:
            words = [
                self._encoded_word(number).decode("utf-8", "surrogatepass")
                for number in self._held[first:last].tolist()
            ]
            stems = self._others[root, language] = hash_stems(language, words)
        else:
            stems = self._others[root, language]
        found: list[int] = self._held[first:last][stems == hashed].tolist()
        return found


def build_word_list(words: Sequence[str], languages: Iterable[str]) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a list of words, given in order; takes half a second for 100,000 words and ten languages."""
    held: defaultdict[str, list[int]] = defaultdict(list)
    for number, word in enumerate(words):
        for root in roots_of(word):
            held[root].append(number)
    numbers = [*chain.from_iterable(held.values())]
    stems = [
        hash_stems(language, [words[number] for number in numbers[start : start + AT_ONCE]])
        for language in languages
        for start in range(0, len(numbers), AT_ONCE)
    ]
    encoded = [_encode(word) + b"\n" for word in words]
    return {
        "text": np.frombuffer(b"".join(encoded), np.uint8),
        "ends": np.cumsum([len(word) for word in encoded], dtype=np.uint32),
        "roots": _join(held),
        "root_sizes": np.array([*map(len, held.values())], np.uint32),
        "held": np.array(numbers, np.uint32),
        "languages": _join(languages),
        "stems": np.concatenate([np.empty(0, np.uint32), *stems]),
    }


def roots_of(word: str) -> set[str]:
    if word.isascii() and not word.startswith("ge"):
        return {word[:ROOT]}
    parts = [word, word[2:] if word.startswith("ge") else ""]
    if (language := script_language(word)) is not None:
        # Arabic and Hebrew write small words together with the next one.
        parts += stem_words(language, [word])
    return {part[:ROOT] for part in parts if part}


def hash_stems(language: str, words: Sequence[str]) -> NDArray[np.uint32]:
    """Hash the stems of words: the stems themselves would take a gigabyte.

    Among the words under one root, two stems have the same hash by chance in one of a million queries.
    """
    return hash_each(stem_words(language, words))


def stems_in(word: str, languages: Iterable[str]) -> list[str]:
    return [stem for language in languages for stem in stem_words(language, [word])]


def hash_each(stems: Iterable[str]) -> NDArray[np.uint32]:
    """Hash stems; all in one call, since each call costs as much as a hundred stems."""
    return hash_tokens([*stems]).astype(np.uint32)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _split(lines: bytes) -> list[str]:
    return lines.decode("utf-8", "surrogatepass").split("\n")[:-1]


def _join(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(_encode(line) + b"\n" for line in lines), np.uint8)


NO_WORDS = WordList(build_word_list((), ()))
