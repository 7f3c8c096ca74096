"""Writing systems, as ranges for character classes of regular expressions."""

import re
from typing import Final

UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Scripts that write words without spaces."""

HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
"""Korean: words are separated by spaces but carry particles, so that a dictionary form matches inside them."""

LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"

CYRILLIC: Final = "\u0400-\u052f"
GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"

ACCENTS: Final = (
    "\u0300-\u036f\u0483-\u0487"  # Latin, Greek, Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # Arabic
)
"""Combining marks without which a word is still read as the same."""

INDIC: Final = "\u0900-\u0963\u0966-\u0dff"
"""The scripts of India: vowels are combining marks that belong to the word."""

UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED}]")
SPACED_CHARACTER: Final = re.compile(f"(?![{UNSPACED}])\\w")
"""A character that joins its neighbour to one word; scripts without spaces have none."""

_LATIN_LETTER: Final = re.compile(f"[{LATIN}]")
STEMMED: Final = LATIN + CYRILLIC + GREEK
"""Letters with which a word begins whose stem is indexed."""

_STEMMED_LETTER: Final = re.compile(f"[{STEMMED}]")


def is_latin(word: str) -> bool:
    """Return whether a word begins with a Latin letter."""
    return _LATIN_LETTER.match(word) is not None


def latin_share(text: str) -> float:
    """Return the share of a text's letters that are Latin; 1 where there are no letters."""
    return _share(_LATIN_LETTER, text)


def is_stemmed(word: str) -> bool:
    """Return whether a word begins with a letter of a script whose words have stems."""
    return _STEMMED_LETTER.match(word) is not None


def has_stems(text: str) -> bool:
    """Return whether a text contains a letter of a script whose words have stems."""
    return _STEMMED_LETTER.search(text) is not None


def stemmed_share(text: str) -> float:
    """Return the share of a text's letters that are of scripts whose words have stems; 1 where there are no letters."""
    return _share(_STEMMED_LETTER, text)


def _share(letter: re.Pattern[str], text: str) -> float:
    letters = sum(map(str.isalpha, text))
    return len(letter.findall(text)) / letters if letters else 1.0
