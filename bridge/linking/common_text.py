"""Finds the pairs among many texts that have much in common, without comparing each with each."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bridge.records import dataclass
from bridge.text.overlap import RUN_WORDS, comparable_words

LEAST_RUNS = 4
"""Sequences of words that two texts must share, as many as eight words in a row have."""

MOST_TEXTS = 6
"""A sequence that more texts contain is boilerplate, such as a template's."""

SHARE_OF_RUNS = 0.35
"""Share of the shorter text's sequences that suffices."""

FEW_RUNS = 0.08
SHARE_OF_WORDS = 0.55
"""Where single words were replaced, few sequences are left; then the different words of both are compared."""

PARTS = 8
"""Parts in which sequences are compared, each of which needs a share of the memory."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class CommonText:
    """Two texts, by their numbers, and how much they have in common, 0-1."""

    one: int
    other: int
    share: float


def find_common_text(texts: Sequence[str], pause: Callable[[], None] = lambda: None) -> list[CommonText]:
    """Return the pairs of texts that have much in common, in order.

    Case, punctuation, properties, and what many of the texts contain do not count.
    """
    words: list[NDArray[np.uint64]] = []
    runs: list[NDArray[np.uint64]] = []
    for text in texts:
        pause()
        words.append(np.fromiter(map(hash, comparable_words(text)), np.int64).view(np.uint64))
        runs.append(_hash_runs(words[-1]))
    sizes, shared = _count_shared(runs, pause)
    found: list[CommonText] = []
    for (one, other), count in shared.items():
        pause()
        share = count / max(1, int(min(sizes[one], sizes[other])))
        if count < LEAST_RUNS or share < FEW_RUNS:
            continue
        if share < SHARE_OF_RUNS:
            share = _share_of_words(words[one], words[other])
            if share < SHARE_OF_WORDS:
                continue
        found.append(CommonText(one, other, share))
    return sorted(found, key=lambda pair: (pair.one, pair.other))


def _hash_runs(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    count = len(words) - RUN_WORDS + 1
    if count < 1:
        return np.empty(0, np.uint64)
    total = np.zeros(count, np.uint64)
    for at in range(RUN_WORDS):
        total = total * _FACTOR + words[at : at + count]
    return np.unique(total)


def _count_shared(
    runs: Sequence[NDArray[np.uint64]], pause: Callable[[], None]
) -> tuple[NDArray[np.int64], dict[tuple[int, int], int]]:
    sizes = np.zeros(len(runs), np.int64)
    keys: list[NDArray[np.int64]] = []
    begins = np.zeros(len(runs), np.int64)
    for part in range(1, PARTS + 1):
        pause()
        last = np.uint64(part * (2**64 // PARTS) - 1)
        ends = np.array([np.searchsorted(own, last, "right") for own in runs], np.int64)
        parts = [own[first:end] for own, first, end in zip(runs, begins.tolist(), ends.tolist(), strict=True)]
        begins = ends
        owned, found = _count_part(parts)
        sizes += owned
        keys += found
    pairs, counts = np.unique(np.concatenate([*keys, np.empty(0, np.int64)]), return_counts=True)
    enough = counts >= LEAST_RUNS
    return sizes, {
        divmod(key, len(runs)): count
        for key, count in zip(pairs[enough].tolist(), counts[enough].tolist(), strict=True)
    }


def _count_part(runs: Sequence[NDArray[np.uint64]]) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return how many sequences each text has beside boilerplate, and both owners of each that several texts share."""
    every = np.concatenate([*runs, np.empty(0, np.uint64)])
    owner = np.repeat(np.arange(len(runs)), [len(own) for own in runs])
    order = np.argsort(every, kind="stable")
    every, owner = every[order], owner[order]
    starts = np.flatnonzero(np.diff(every, prepend=every[:1] + np.uint64(1)))
    lengths = np.diff(np.append(starts, len(every)))
    sizes = np.bincount(owner[np.repeat(lengths <= MOST_TEXTS, lengths)], minlength=len(runs))
    return sizes, list(_pair_keys(owner, starts, lengths, len(runs)))


def _pair_keys(
    owner: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64], count: int
) -> Iterator[NDArray[np.int64]]:
    for length in range(2, MOST_TEXTS + 1):
        at = starts[lengths == length]
        for one, other in combinations(range(length), 2):
            yield owner[at + one] * count + owner[at + other]


def _share_of_words(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    first, second = np.unique(one), np.unique(other)
    return len(np.intersect1d(first, second, assume_unique=True)) / max(1, len(first), len(second))
