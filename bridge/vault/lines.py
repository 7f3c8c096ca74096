"""Which line an offset lies on."""

from bisect import bisect_right
from itertools import accumulate

from bridge.types import Lines, Span


class LineIndex:
    """The lines of one text, split at LF and counted from 1."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def at(self, offset: int) -> int:
        """Return the line that holds the character at `offset`."""
        return bisect_right(self._starts, offset, hi=len(self._starts) - 1)

    def over(self, span: Span) -> Lines:
        """Return the first and last line that a span touches."""
        start, end = span
        return self.at(start), self.at(max(start, end - 1))
