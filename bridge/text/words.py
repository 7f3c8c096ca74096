"""Words: how a text is split into them wherever it is not the index that splits."""

import re
import unicodedata
from typing import Final

from bridge.text.fold import fold_words
from bridge.text.scripts import (
    HANGUL,
    HEBREW_QUOTE,
    JOINERS,
    MARK,
    SYMBOLS,
    TONES,
    UNSPACED_CHARACTER,
    UNSPACED_SCRIPTS,
)

ALPHANUMERIC: Final = re.compile(f"[^\\W_]+(?:{MARK}+[^\\W_]*)*")
ALPHABETIC: Final = re.compile(f"[^\\W\\d_]+(?:{MARK}+[^\\W\\d_]*)*")
"""Letters, and digits, with the combining marks that belong to them."""

DIGITS: Final = re.compile(r"\d+")

_LETTERS: Final = f"[^\\W_{UNSPACED_SCRIPTS}{HANGUL}]+"
# Each mention of these classes costs milliseconds at every start.
_INNER_MARK: Final = f"{MARK}|[{JOINERS}{TONES}]|['’ʻʼ׳״](?={_LETTERS})|{HEBREW_QUOTE}"
_SPACED_FORM: Final = f"{_LETTERS}(?:(?:{_INNER_MARK})(?:{_LETTERS})?)*(?:(?:\\+\\+|#)(?![\\w+#]))?"
SPACED_WORD: Final = re.compile(_SPACED_FORM)
"""A word of a script with spaces, with its combining marks, joiners and apostrophes; also `C++` and `C#`."""

RUN: Final = re.compile(f"[{UNSPACED_SCRIPTS}{HANGUL}][{UNSPACED_SCRIPTS}{HANGUL}{JOINERS}]*")
"""Characters of scripts in which words are found by their pairs of characters."""

_EMOJI: Final = f"(?!\\w)[{SYMBOLS}]"
_SYMBOL: Final = f"{_EMOJI}(?:[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d{_EMOJI})*"

_LETTERS_AND_MARKS: Final = re.compile(f"[^\\W\\d_](?:[^\\W\\d_]|{MARK})*")

# Most tokens are words; the three begin with different characters.
TOKEN: Final = re.compile(f"{_SPACED_FORM}|{RUN.pattern}|{_SYMBOL}")
"""A word, a run of a script without spaces, or a symbol."""


def words_of(text: str) -> list[str]:
    """Return a text's words, folded; a run of a script without spaces is one word."""
    return fold_words(TOKEN.findall(text))


def is_mark(character: str) -> bool:
    """Return whether a character belongs to the one before it, as accents and the vowels of many scripts do."""
    return not character.isascii() and unicodedata.category(character).startswith("M")


def is_letters(word: str) -> bool:
    """Return whether a word consists of letters and the marks that belong to them; `str.isalpha` knows no marks."""
    return word.isalpha() or (_LETTERS_AND_MARKS.fullmatch(word) is not None and RUN.match(word) is None)


def trim_word(word: str) -> str:
    """Return a word without what surrounds its tokens; empty if it has none."""
    tokens = [*TOKEN.finditer(word)]
    return word[tokens[0].start() : tokens[-1].end()] if tokens else ""


def count_words(text: str) -> int:
    """Count a text's words; in a script without spaces two characters are about a word."""
    words = (word for word in TOKEN.findall(text) if word[0].isalnum())
    return sum(max(1, len(UNSPACED_CHARACTER.findall(word)) // 2) for word in words)


def character_pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
