"""Finds the known names that a misspelt or shortened one may mean."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA, Prefix

from bridge.text.words import ALPHABETIC

MIN_TYPO_CHARS: Final = 3
"""Characters from which on one of them may be wrong."""

CHARS_PER_TYPO: Final = 4
"""Characters of a name for each that may be wrong."""

_WORD: Final = re.compile(f"{ALPHABETIC.pattern}|\\d+")


def likeness(name: str, other: str) -> float:
    """Return how much of two names is the same (0-1)."""
    return OSA.normalized_similarity(name, other)


ALIKE_WORD: Final = 75
"""Likeness (0-100) from which on two words may be one."""


def are_alike(word: str, other: str, least: float = ALIKE_WORD) -> bool:
    """Return whether two words may be forms or misspellings of one."""
    return fuzz.ratio(word, other) >= least


MAX_ENDING_CHARS: Final = 4
"""Letters at the end of a word that its forms may not share."""

MIN_PART_CHARS: Final = 4
"""Letters of a part of a compound."""


def may_be_forms(word: str, other: str) -> bool:
    """Return whether two words may be forms of one, or one part of the other: of many languages no stems are known."""
    short, long = sorted((len(word), len(other)))
    start = Prefix.similarity(word, other)
    if start >= MIN_TYPO_CHARS and (long <= min(2 * start, start + MAX_ENDING_CHARS) or are_alike(word, other)):
        return True
    return short >= MIN_PART_CHARS and long <= 2 * short and (word in other or other in word)


def find_alike(name: str, known: Iterable[str], *, by_words: bool = True) -> Mapping[str, float]:
    """Return the known names that are really like another, each with its likeness (0-1).

    A name is if it differs by typing errors, and `by_words` if it has all of the other's words, but never with other
    numbers. Case does not count.
    """
    folded, wanted = {each: each.casefold() for each in known}, name.casefold()
    words = dict.fromkeys(_WORD.findall(wanted))
    numbers = _numbers(wanted)
    spelt = _with_typos(wanted, set(folded.values()))
    if by_words and any(len(word) >= MIN_TYPO_CHARS or not word.isascii() for word in words):
        of_names = {each: set(_WORD.findall(each)) for each in set(folded.values())}
        every = set().union(*of_names.values())
        near = {word: {word, *_alike_words(word, every)} for word in words}
        spelt |= {
            each: max(spelt.get(each, 0.0), (1 + len(wanted) / max(len(wanted), len(each))) / 2)
            for each, own in of_names.items()
            if all(not own.isdisjoint(meant) for meant in near.values())
        }
    return {each: spelt[fold] for each, fold in folded.items() if fold in spelt and numbers <= _numbers(fold)}


def _numbers(name: str) -> Counter[int]:
    return Counter(int(word) for word in _WORD.findall(name) if word.isdecimal())


def _with_typos(name: str, names: Collection[str]) -> dict[str, float]:
    found = process.extract(name, list(names), scorer=OSA.distance, limit=None, score_cutoff=_typos(2 * len(name)))
    alike: dict[str, float] = {}
    for other, errors, _ in found:
        chars = max(len(name), len(other))
        if errors <= _typos(chars) and _is_wordwise(name, other):
            alike[other] = 1 - errors / chars if chars else 1.0
    return alike


def _is_wordwise(name: str, other: str) -> bool:
    """Return whether no word has more typing errors than it may, where both names have as many words."""
    ours, theirs = _WORD.findall(name), _WORD.findall(other)
    return not 1 < len(ours) == len(theirs) or all(
        OSA.distance(*pair) <= max(1, _typos(max(map(len, pair)))) for pair in zip(ours, theirs, strict=True)
    )


def _typos(chars: int) -> int:
    return 0 if chars < MIN_TYPO_CHARS else max(1, chars // CHARS_PER_TYPO)


def _alike_words(word: str, words: Collection[str]) -> Iterable[str]:
    """Return the words that one may mean in a longer name, or contain it if its script may have no spaces."""
    if not word.isascii():
        return (other for other in words if word in other)
    return _with_typos(word, words) if len(word) > CHARS_PER_TYPO else ()


def find_closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like another; None if none is really like it."""
    alike = find_alike(name, known)
    return max(alike, key=lambda each: (alike[each], likeness(name, each)), default=None)


MIN_MISTYPED_CHARS: Final = 5
"""Length from which a letter of a word may be wrong: shorter words have too many similar ones."""

TWO_TYPOS: Final = 9
"""Length from which two letters may be wrong."""


def max_typos(chars: int) -> int:
    """Return how many letters of a word in running text may be wrong."""
    return 0 if chars < MIN_MISTYPED_CHARS else 1 if chars < TWO_TYPOS else 2


def find_mistyped(word: str, words: Sequence[str], errors: int, limit: int | None = None) -> list[tuple[str, int]]:
    """Return the words within so many typing errors, the nearest first, with their number of errors."""
    near = process.extract(word, words, scorer=OSA.distance, score_cutoff=errors, limit=limit)
    return [(other, int(distance)) for other, distance, _ in near]
