"""The lines of a text: their numbers by offset, and changes of single ones."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, islice
from typing import Final

from bridge.types import Lines, Span

_READ_AHEAD_CHARS: Final = 65_536
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
        stop = max(offset + 1, self._read + _READ_AHEAD_CHARS)
        lengths = map(len, self._text[self._read : stop].split("\n")[:-1])
        self._starts += islice(accumulate(map((1).__add__, lengths), initial=self._read), 1, None)
        self._read = stop


def lines_overlap(one: Lines, other: Lines) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def change_lines(text: str, change: Callable[[str], str]) -> str:
    """Change lines, each of which is given without its end; all ends stay as they are."""
    lines = ((line, line.rstrip("\r\n")) for line in text.splitlines(keepends=True))
    return "".join(change(words) + line[len(words) :] for line, words in lines)


def add_lines(text: str, new: Sequence[str], is_kin: Callable[[str], bool]) -> str:
    """Add lines below the last one of their kin, else at the end; all others stay as they are."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    place = max((at for at, line in enumerate(lines, 1) if is_kin(line.rstrip("\r\n"))), default=len(lines))
    if new and not lines[place - 1].endswith("\n"):
        lines[place - 1] += end
    return "".join([*lines[:place], *(line + end for line in new), *lines[place:]])
