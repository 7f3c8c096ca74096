"""Compares texts without regard to case or to how accents are written, and maps places back to the original."""

import re
import unicodedata
from typing import Final

_CLUSTER: Final = re.compile(
    "[\u1100-\u115f][\u1160-\u11ff]+"
    "|.[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u093c\u3099\u309a]*",
    re.DOTALL,
)
"""A character with the marks that may combine with it."""

_GROWING: Final = re.compile(
    "[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1e9e\u1f50-\u1ffc\ufb00-\ufb17]"
)
"""A character that case folding can expand to several, such as `ß`."""

UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts without spaces between words, as a range of a regular expression."""

_NOT_SAID: Final = re.compile(r"[\W_]+")


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


def letters_and_digits(form: str) -> str:
    """Return the letters and digits of a folded name, by which `turbo-pump`, `turbopump` and `turbo pump` are equal."""
    return _NOT_SAID.sub("", form)
