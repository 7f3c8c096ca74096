"""Puts texts into a text, and knows where everything else went."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from bridge.vault.edit.draft import newline_at
from bridge.vault.edit.places import Place


@dataclass(frozen=True, slots=True)
class Spliced:
    """A span of the text before, and where what replaced it lies in the text after."""

    start: int
    end: int
    at: int
    length: int


END: Final = attrgetter("end")


@dataclass(frozen=True, slots=True)
class Woven:
    """A text after changes, and what was changed, in order."""

    text: str
    changes: tuple[Spliced, ...]

    def moved(self, offset: int) -> int:
        """Return where a character that was not changed lies now."""
        index = bisect_right(self.changes, offset, key=END)
        before = self.changes[index - 1] if index else Spliced(0, 0, 0, 0)
        return offset + before.at + before.length - before.end

    def touched(self, start: int, end: int) -> bool:
        """Tell whether something inside a span was changed."""
        index = bisect_right(self.changes, start, key=END)
        return index < len(self.changes) and self.changes[index].start < end


def spliced(text: str, places: Sequence[Place]) -> Woven:
    """Put texts in exactly as they are, but for their line breaks."""
    pieces: list[str] = []
    changes: list[Spliced] = []
    done = length = 0
    for place in places:
        new = place.text.replace("\n", newline_at(text, place.start))
        kept = text[done : place.start]
        pieces += [kept, new]
        changes.append(Spliced(place.start, place.end, length + len(kept), len(new)))
        length += len(kept) + len(new)
        done = place.end
    return Woven("".join([*pieces, text[done:]]), tuple(changes))
