"""Where sentences end, and the sentence around a place in a note."""

import re
from typing import Final

from bridge.types import Span

LONGEST: Final = 300
"""Maximum length of a quotation, in characters."""

_STOP = r"[.!?…][\"'”’»)\]*_]*\s+|[。！？．؟۔।]"
SENTENCE_END: Final = re.compile(rf"{_STOP}|\n")
"""A match ends where the next sentence begins."""

PARAGRAPH_SENTENCE_END: Final = re.compile(_STOP)
"""The same for a paragraph, whose lines may break anywhere."""


def sentence_at(text: str, span: Span) -> str:
    """Return the sentence around a place on one line, cut to its surroundings."""
    start, end = span
    first = max(text.rfind("\n", 0, start) + 1, start - LONGEST)
    ends = [found.end() for found in SENTENCE_END.finditer(text, first, start)]
    after = SENTENCE_END.search(text, end, end + LONGEST)
    begin = max([first, *(place for place in ends if place <= start)])
    stop = after.end() if after else min(len(text), end + LONGEST)
    if stop - begin > LONGEST:
        room = max(0, LONGEST - (end - start)) // 2
        begin, stop = max(begin, start - room), min(stop, max(start + LONGEST, end + room))
        stop = min(stop, begin + LONGEST)
    return " ".join(text[begin:stop].split())
