"""Lists of words by what they are for and by language, from one table; a language is added by rows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_ROWS: Final = [row.split("\t") for row in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()]


def words_by_language(use: str) -> Mapping[str, str]:
    """Return the words for a use, with spaces between them, by language in the order of the table."""
    found: dict[str, str] = {}
    for name, language, words in _ROWS:
        if name == use:
            found[language] = f"{found[language]} {words}" if language in found else words
    return found


def every_word(use: str) -> list[str]:
    return " ".join(words_by_language(use).values()).split()
