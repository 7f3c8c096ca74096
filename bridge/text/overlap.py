"""How much of one text another contains, by sequences of words."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, TypeVar

from bridge.text.scripts import UNSPACED_SCRIPTS

Key = TypeVar("Key", bound=str)

RUN_WORDS: Final = 5
"""Length of the word sequences compared; shorter ones recur by chance."""

PIECE_CHARS: Final = 1_000_000
"""Characters whose words are found at once."""

MIN_SHARE: Final = 0.5
"""The smallest share worth reporting."""

_WORD: Final = re.compile(f"[{UNSPACED_SCRIPTS}]|[^\\W{UNSPACED_SCRIPTS}]+")
_GAP: Final = re.compile(r"\W")
_PROPERTIES: Final = re.compile(r"\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)


def find_overlaps(
    text: str, candidates: Mapping[Key, str], *, common: str = "", least: float = MIN_SHARE
) -> list[tuple[Key, float]]:
    """Return the texts that contain a text, each by its key and with the share that it holds, the largest first.

    Case, punctuation and properties do not count; in scripts without spaces each character is a word.
    """
    own = {*word_runs(text)}.difference(word_runs(common))
    if not own:
        return []
    found = [(path, len(own.intersection(word_runs(other))) / len(own)) for path, other in candidates.items()]
    return sorted((one for one in found if one[1] >= least), key=lambda one: (-one[1], one[0]))


def word_runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield all word sequences; a shorter text is one sequence."""
    words = comparable_words(text)
    run = deque(islice(words, RUN_WORDS), RUN_WORDS)
    if run:
        yield tuple(run)
    for word in words:
        run.append(word)
        yield tuple(run)


def comparable_words(text: str) -> Iterator[str]:
    """Yield the words of a text in order, without case and properties; each character of a script without spaces."""
    head = _PROPERTIES.match(text)
    folded, start = text[head.end() if head else 0 :].casefold(), 0
    while start < len(folded):
        # In pieces: nothing else runs during one call.
        gap = _GAP.search(folded, start + PIECE_CHARS)
        end = gap.start() if gap else len(folded)
        yield from _WORD.findall(folded, start, end)
        start = end
