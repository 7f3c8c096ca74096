"""Finds the memories that a question names: by title or alias, in any spelling, or with one typing error."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rapidfuzz.distance import OSA

from bridge.text.fold import letters_and_digits
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.stems import STOP_WORDS
from bridge.text.words import words_of
from bridge.types import VaultPath

MAX_NAME_WORDS: Final = 6
"""Words of the longest name that is found in a question."""

GUARD: Final = 2
"""Letters with which a mistyped name must begin as it should."""

MIN_TYPO_LETTERS: Final = 5
"""Letters of the shortest name that may lack a letter, have one too many or two swapped."""

MIN_REPLACED_LETTERS: Final = 8
"""Letters of the shortest name of which one letter may be another: `reach` is not `react`."""

MISTYPED: Final = 0.9
"""The score of a name with a typing error."""


class MemoryNames:
    """The names of memories, as their letters and digits only."""

    def __init__(self) -> None:
        self._paths: defaultdict[str, set[VaultPath]] = defaultdict(set)
        self._begun: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        """The names that begin with the same letters and are as long."""
        self._unspaced: set[str] = set()
        """The names in scripts without spaces, which are found inside a run of them."""

    def add(self, path: VaultPath, names: Iterable[str]) -> None:
        for key in filter(None, map(name_key, names)):
            self._paths[key].add(path)
            self._begun[key[:GUARD], len(key)].add(key)
            if UNSPACED_CHARACTER.search(key):
                self._unspaced.add(key)

    def remove(self, path: VaultPath, names: Iterable[str]) -> None:
        for key in filter(None, map(name_key, names)):
            self._paths[key].discard(path)
            if not self._paths[key]:
                del self._paths[key]
                self._begun[key[:GUARD], len(key)].discard(key)
                self._unspaced.discard(key)

    def find(self, question: str) -> Mapping[VaultPath, float]:
        """Return the memories that a question names, each with a score up to 1."""
        found: dict[VaultPath, float] = {}
        for key in question_keys(question):
            for name, score in self._alike(key):
                for path in self._paths[name]:
                    found[path] = max(score, found.get(path, 0.0))
        return found

    def covered_words(self, question: str) -> frozenset[str]:
        """Return the words of a question that are part of a name, folded."""
        words = words_of(question)
        return frozenset(
            word
            for start in range(len(words))
            for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1)
            if any(self._alike("".join(map(letters_and_digits, words[start:end]))))
            for word in words[start:end]
        )

    def find_named(self, name: str) -> frozenset[VaultPath]:
        return frozenset(self._paths.get(name_key(name), ()))

    def _alike(self, key: str) -> Iterator[tuple[str, float]]:
        if key in self._paths:
            yield key, 1.0
        if UNSPACED_CHARACTER.search(key):
            yield from ((name, 1.0) for name in self._unspaced if name in key and name != key)
        for length in (len(key) - 1, len(key), len(key) + 1):
            for name in self._begun.get((key[:GUARD], length), ()):
                if name != key and is_mistyped(key, name):
                    yield name, MISTYPED


def name_key(name: str) -> str:
    """Return a name's letters and digits, by which it is found; empty for one that any text could contain."""
    words = words_of(name)
    key = "".join(map(letters_and_digits, words))
    return "" if len(words) > MAX_NAME_WORDS or all(word in STOP_WORDS for word in words) else key


def question_keys(question: str) -> Iterator[str]:
    words = [letters_and_digits(word) for word in words_of(question)]
    for start, first in enumerate(words):
        key = first
        yield key
        for word in words[start + 1 : start + MAX_NAME_WORDS]:
            key += word
            yield key


def is_mistyped(key: str, name: str) -> bool:
    longer = max(len(key), len(name))
    if longer < MIN_TYPO_LETTERS or not (key.isalpha() and name.isalpha()):
        return False
    if longer < MIN_REPLACED_LETTERS and len(key) == len(name) and sorted(key) != sorted(name):
        return False
    return OSA.distance(key, name, score_cutoff=1) <= 1
