"""Tells two numbers of a series, such as *Part One* and *Part Two*, from two spellings of one name."""

import re
from typing import Final, Literal

from bridge.text.fold import fold_word
from bridge.text.overlap import comparable_words
from bridge.text.word_lists import every_word
from bridge.text.words import DIGITS

_NUMBERS: Final = frozenset(every_word("series number"))
_UNITS: Final = frozenset(every_word("series unit"))
"""Words that stand beside the number."""

DATE: Final = re.compile(r"(?:19|20)\d\d[-_. ]?(?:0[1-9]|1[0-2])[-_. ]?(?:0[1-9]|[12]\d|3[01])|(?:19|20)\d\d-?[Ww]\d\d")
"""A day or a week as notes are named by it."""

_ROMAN: Final = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")
_WITH_DIGITS: Final = re.compile(r"\D{0,2}\d+\D{0,2}")
_LETTER: Final = re.compile(r"[a-z]")

Step = Literal["other", "numbered"]


def step_between(one: str, other: str) -> Step | None:
    """Return how two names differ as members of a series; None if they do not.

    `other` is another member. `numbered` is a name with a number beside the same name without one, which programs also
    write for a copy.
    """
    words, others = _words(one), _words(other)
    left, right = [word for word in words if word not in others], [word for word in others if word not in words]
    numbers, others_numbers = DIGITS.findall(one), DIGITS.findall(other)
    if numbers and others_numbers:
        if numbers != others_numbers:
            shorter, longer = sorted((numbers, others_numbers), key=len)
            is_more = len(longer) == len(shorter) + 1 and longer[:-1] == shorter and not (left and right)
            return "numbered" if is_more else "other"
    elif left and right and len(left) < len(words) and all(any(map(_is_step, side)) for side in (left, right)):
        return "other"
    differing = left or right
    if bool(left) == bool(right) or not all(_is_step(word) or word in _UNITS for word in differing):
        return None
    has_unit = any(word in _UNITS for word in differing)
    return (
        "numbered" if any(_is_step(word) and (has_unit or not _LETTER.fullmatch(word)) for word in differing) else None
    )


def _words(name: str) -> list[str]:
    return [*comparable_words(fold_word(name))]


def _is_step(word: str) -> bool:
    return bool(word in _NUMBERS or _ROMAN.fullmatch(word) or _WITH_DIGITS.fullmatch(word) or _LETTER.fullmatch(word))
