"""Puts texts into a text, and knows where everything else went."""

from collections.abc import Sequence
from dataclasses import dataclass

from bridge.vault.edit.draft import newline_at
from bridge.vault.edit.places import Place


@dataclass(frozen=True, slots=True)
class Spliced:
    """A span of the text before, and where what replaced it lies in the text after."""

    start: int
    end: int
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Woven:
    """A text after changes, and what was changed, in order."""

    text: str
    changes: tuple[Spliced, ...]

    def moved(self, offset: int) -> int:
        """Return where a character that was not changed lies now."""
        before = [change for change in self.changes if change.end <= offset]
        return offset + (before[-1].at + before[-1].length - before[-1].end if before else 0)


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
