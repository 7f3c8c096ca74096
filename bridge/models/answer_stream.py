"""Turns the bytes of an answer, as they come, into text: whole characters, thinking apart, ended by stop strings."""

import codecs
from collections.abc import Iterator, Sequence
from typing import Literal

Kind = Literal["piece", "thinking"]

_OPEN, _CLOSE = "<think>", "</think>"


class AnswerStream:
    """The text of one answer."""

    def __init__(self, stop: Sequence[str], *, thinking: bool = False) -> None:
        """Begin an answer."""
        self.stopped = False
        """Whether a stop string was found: nothing after it counts."""
        self._stop = tuple(text for text in stop if text)
        self._thinking = thinking
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, raw: bytes) -> Iterator[tuple[Kind, str]]:
        """Add bytes, and yield the text that is certain by now."""
        self._held += self._decoder.decode(raw)
        yield from self._certain(final=False)

    def finish(self) -> Iterator[tuple[Kind, str]]:
        """Yield the rest, which might have been the beginning of a marker."""
        self._held += self._decoder.decode(b"", final=True)
        yield from self._certain(final=True)

    def _certain(self, *, final: bool) -> Iterator[tuple[Kind, str]]:
        while self._held and not self.stopped:
            markers = (_CLOSE,) if self._thinking else (_OPEN, *self._stop)
            at, marker = min(((place, m) for m in markers if (place := self._held.find(m)) >= 0), default=(-1, ""))
            end = at if marker else len(self._held) - (0 if final else _tail(self._held, markers))
            if text := self._held[:end]:
                yield ("thinking" if self._thinking else "piece"), text
            self._held = self._held[end + len(marker) :]
            if not marker:
                return
            if marker in (_OPEN, _CLOSE):
                self._thinking = marker == _OPEN
            else:
                self.stopped = True


def _tail(text: str, markers: Sequence[str]) -> int:
    longest = max(map(len, markers)) - 1
    return next(
        (size for size in range(min(longest, len(text)), 0, -1) if any(m.startswith(text[-size:]) for m in markers)), 0
    )
