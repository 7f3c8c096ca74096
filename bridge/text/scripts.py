"""Writing systems, as ranges for character classes of regular expressions."""

import re
import unicodedata
from itertools import chain, groupby
from typing import Final

CLUSTER_SCRIPTS: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff"  # Thai, Lao
    "\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17ff"  # Myanmar, Khmer
)
"""Scripts without spaces whose letters stand in clusters, with vowels written on every side of a consonant."""

HIRAGANA: Final = "\u3041-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HAN: Final = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

UNSPACED_SCRIPTS: Final = f"{CLUSTER_SCRIPTS}{HIRAGANA}{KATAKANA}{HAN}"
"""Scripts that write words without spaces."""

HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
"""Korean: words are separated by spaces but carry particles, so that a dictionary form matches inside them."""

LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"

CYRILLIC: Final = "\u0400-\u052f"
GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"

ACCENTS: Final = (
    "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20dc\u20e1-\u20f0\ufe20-\ufe2f"  # Latin, Greek
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # Arabic
    "\u08d3-\u08e1\u08e3-\u08ff"
)
"""Combining marks without which a word is still read as the same."""


def _marks(*blocks: range) -> str:
    """Return the ranges of combining marks; with what is between them and no character yet, they are half as many."""
    kinds = ((number, unicodedata.category(chr(number))) for number in chain(*blocks))
    runs = ([*run] for may_be, run in groupby(kinds, lambda kind: kind[1][0] == "M" or kind[1] == "Cn") if may_be)
    own = ([number for number, kind in run if kind != "Cn"] for run in runs)
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in own if run)


_BASIC: Final = _marks(range(0x300, 0x3100), range(0xA000, 0xAC00), range(0xF900, 0x10000))
_FURTHER: Final = _marks(
    range(0x10000, 0x12000), range(0x16000, 0x17000), range(0x1B000, 0x1F000), range(0xE0100, 0xE01F0)
)
# Apart, because a class with characters of both planes is five times slower.
MARK: Final = f"(?:[{_BASIC}]|[{_FURTHER}])"
"""A combining mark of any script, by its Unicode category."""

_HEBREW_LETTERS: Final = "\u05d0-\u05ea"
HEBREW_QUOTE: Final = f'(?<=[{_HEBREW_LETTERS}])"(?=[{_HEBREW_LETTERS}])'
"""The mark inside a Hebrew abbreviation, as most keyboards write it."""

WORD_SIGN: Final = (
    f"(?<=\\w)[·‧](?=\\w)|(?<=[{CYRILLIC}])['’ʼ](?=[{CYRILLIC}])"
    f"|(?<=[{_HEBREW_LETTERS}])['׳״](?=[{_HEBREW_LETTERS}])|{HEBREW_QUOTE}"
)
"""What joins letters to one word, as in Catalan `col·lecció`, Ukrainian `п’ять` and Hebrew `צה״ל`."""

NAME_CHARACTER: Final = f"(?:[\\w\u200c\u200d]|{MARK}|{WORD_SIGN})"
"""A letter or digit of any script, what joins two of them, or what combines with one."""

NAME_START: Final = f"(?<![\\w-])(?<!{MARK})"
NAME_END: Final = f"(?![\\w-]|{MARK})"
"""Where no longer name begins or goes on."""

CLUSTER: Final = f"[\U0001f1e6-\U0001f1ff]{{2}}|.(?:\u200d.|\u200c|{MARK}|[\U0001f3fb-\U0001f3ff])*"
"""A character with what combines with it, as readers see it."""

JOINERS: Final = "\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
"""What is not seen inside a word, and may be left out of it."""

TONES: Final = "\u055b\u055c\u055e"
"""Marks of questions and exclamations that Armenian writes inside a word."""

SYMBOLS: Final = (
    "\u00a2-\u00a9\u00ac\u00ae-\u00b1\u00b4\u00b6\u00d7\u00f7\u2030-\u2038\u2042\u2044\u20a0-\u20c0\u2100-\u214f"
    "\u2190-\u2307\u230c-\u2328\u232b-\u244a\u25a0-\u2767\u2794-\u27c4\u27c7-\u27e5\u27f0-\u2982\u2999-\u2bff"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001faff"
)
"""Currencies, arrows, mathematics, emoji: signs that are looked for like words. Lines of drawn boxes are not."""

UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED_SCRIPTS}]")

_LATIN_LETTER = re.compile(f"[{LATIN}]")
_RUN_CHARACTER = re.compile(f"[{UNSPACED_SCRIPTS}{HANGUL}]")


def has_latin(text: str) -> bool:
    return _LATIN_LETTER.search(text) is not None


def latin_share(text: str) -> float:
    """Return the share of a text's letters that are Latin; 1 where there are no letters."""
    return _share(_LATIN_LETTER, text)


def stemmed_share(text: str) -> float:
    """Return the share of a text's letters that are of scripts whose words have stems; 1 where there are no letters."""
    return max(0.0, 1.0 - _share(_RUN_CHARACTER, text)) if _RUN_CHARACTER.search(text) else 1.0


def _share(letter: re.Pattern[str], text: str) -> float:
    letters = sum(map(str.isalpha, text))
    return len(letter.findall(text)) / letters if letters else 1.0
