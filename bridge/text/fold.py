"""Folds texts for comparison: names without case, words also without accents, with places in the original."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from bridge.text.scripts import ACCENTS

_CLUSTER: Final = re.compile(f"[\u1100-\u115f][\u1160-\u11ff]+|.[{ACCENTS}\u093c\u3099\u309a]*", re.DOTALL)
"""A character with the marks that may combine with it."""

_GROWING: Final = re.compile(
    "[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1e9e\u1f50-\u1ffc\ufb00-\ufb17]"
)
"""A character that case folding can expand to several, such as `ß`."""

_NOT_SAID: Final = re.compile(r"[\W_]+")
_OPTIONAL: Final = re.compile(f"[{ACCENTS}\u0640\u200c\u200d]")
"""What can be left out of a word: accents, the signs of Arabic and Hebrew vowels, Arabic stretching, joiners."""


class FoldedText:
    """A text folded for comparison, with a map back to offsets of the original."""

    __slots__ = ("_places", "text")

    def __init__(self, text: str) -> None:
        self._places: list[int] | None = None
        self.text = text.casefold()
        normal = text.isascii() or unicodedata.is_normalized("NFC", text)
        if len(self.text) == len(text) and normal:
            # Case folding never shortens a text: at equal length, every character is at its old place.
            return
        pieces: list[str] = []
        self._places = []
        at = 0
        for found in (_GROWING if normal else _CLUSTER).finditer(text):
            start, end = found.span()
            piece = fold_case(found[0])
            pieces += (text[at:start].casefold(), piece)
            self._places += (*range(at, start), *[start] * len(piece))
            at = end
        pieces.append(text[at:].casefold())
        self._places += range(at, len(text) + 1)
        self.text = "".join(pieces)

    def place(self, index: int) -> int:
        """Return the original offset of an offset in the folded text."""
        return index if self._places is None else self._places[index]


def fold_case(text: str) -> str:
    """Fold a name."""
    return unicodedata.normalize("NFC", text).casefold()


def fold_word(word: str) -> str:
    """Fold a word: no case, accents or width. Marks that make another letter, as in kana, are kept."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.replace("’", "'").casefold())
    return unicodedata.normalize("NFC", _OPTIONAL.sub("", parts))


def fold_words(words: Sequence[str]) -> list[str]:
    """Fold words without line breaks, which is faster than one by one: nothing combines across a line break."""
    return fold_word("\n".join(words)).split("\n") if words else []


def letters_and_digits(form: str) -> str:
    """Return the letters and digits of a folded name, by which `turbo-pump`, `turbopump` and `turbo pump` are equal."""
    return _NOT_SAID.sub("", form)
