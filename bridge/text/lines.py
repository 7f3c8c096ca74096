"""Line numbers of offsets."""

from bisect import bisect_right
from itertools import accumulate, islice
from typing import Final

from bridge.types import Lines, Span

_AHEAD: Final = 65_536
"""Characters that are counted at a time: of a very long text only the requested part is read."""


class LineIndex:
    """The lines of one text, split at LF and counted from 1."""

    __slots__ = ("_read", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        self._read = 0

    def at(self, offset: int) -> int:
        """Return the line that holds the character at `offset`."""
        if offset >= self._read:
            self._read_on(offset)
        return bisect_right(self._starts, offset)

    def over(self, span: Span) -> Lines:
        """Return the first and last line that a span touches."""
        start, end = span
        first = self.at(start)
        if end > start and end <= self._read and (first == len(self._starts) or end <= self._starts[first]):
            return first, first
        return first, self.at(max(start, end - 1))

    def _read_on(self, offset: int) -> None:
        stop = max(offset + 1, self._read + _AHEAD)
        lengths = map(len, self._text[self._read : stop].split("\n")[:-1])
        self._starts += islice(accumulate(map((1).__add__, lengths), initial=self._read), 1, None)
        self._read = stop


def lines_overlap(one: Lines, other: Lines) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
