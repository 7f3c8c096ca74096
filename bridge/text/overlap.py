"""Detects text that is already in other notes, by the word sequences that two texts share."""

import re
from collections.abc import Mapping
from typing import Final

from bridge.text.scripts import UNSPACED
from bridge.types import VaultPath

WORDS: Final = 5
"""Length of the word sequences compared; shorter ones recur by chance."""

LEAST: Final = 0.5
"""The smallest share worth reporting."""

_WORD: Final = re.compile(f"[{UNSPACED}]|(?:(?![{UNSPACED}])\\w)+")
_PROPERTIES: Final = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)


def find_overlaps(
    text: str, candidates: Mapping[VaultPath, str], *, common: str = "", least: float = LEAST
) -> list[tuple[VaultPath, float]]:
    """Return the notes that contain a text, each with the share of the text that it holds, the largest first.

    Case, punctuation and properties do not count; in scripts without spaces each character is a word.

    Args:
        text: The text.
        candidates: The content of the notes that may contain it.
        common: Text that many notes share, such as the template of the text; it does not count.
        least: The smallest share to return.
    """
    common_runs = _word_runs(common)
    own = _word_runs(text) - common_runs
    if not own:
        return []
    found = [(path, len(own & _word_runs(other)) / len(own)) for path, other in candidates.items()]
    return sorted((one for one in found if one[1] >= least), key=lambda one: (-one[1], one[0]))


def _word_runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return all word sequences; a shorter text is one sequence."""
    head = _PROPERTIES.match(text)
    words = _WORD.findall(text[head.end() if head else 0 :].casefold())
    return frozenset(tuple(words[at : at + WORDS]) for at in range(max(bool(words), len(words) - WORDS + 1)))
