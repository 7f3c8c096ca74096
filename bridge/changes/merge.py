"""Brings two changes of one text together, or says where they contradict each other; it never guesses.

No package fitted: `merge3` is under the GPL; `three-merge` merges within lines and writes conflict markers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bridge.changes.compare import Piece, pieces
from bridge.changes.plain import lines_of
from bridge.changes.slide import blank, high, low, placed
from bridge.types import Lines

_NOTHING: Final = range(0)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A place that both sides changed, each in its own way."""

    lines: Lines
    """Where it is in our text; when there are none, the last is one less than the first."""
    base: str
    ours: str
    theirs: str


def merge(base: str, ours: str, theirs: str, *, touching: bool = False) -> str | tuple[Contradiction, ...]:
    """Bring two changes of a text together, line by line; return the text, or why there is none.

    What only one side changed is taken from it, and what both changed alike is taken once.

    Args:
        base: The text that both started from.
        ours: What it became here.
        theirs: What it became there.
        touching: Whether they may have changed lines next to each other, which otherwise contradicts, as in git. Two
            insertions at one place contradict always: nobody knows which comes first.
    """
    old, mine, other = lines_of(base), lines_of(ours), lines_of(theirs)
    left = placed(pieces(old, mine), old, mine, low)
    right = placed(pieces(old, other), old, other, low)
    merged = _merged(old, mine, other, left, right, touching=touching)
    if isinstance(merged, str):
        return merged
    # A paragraph is said to begin or to end with the empty line beside it; that must not bring it upon its neighbour.
    left = placed(left, old, mine, high, blank)
    right = placed(right, old, other, high, blank)
    again = _merged(old, mine, other, left, right, touching=touching)
    return again if isinstance(again, str) else merged


def _merged(
    old: Sequence[str],
    mine: Sequence[str],
    other: Sequence[str],
    left: Sequence[Piece],
    right: Sequence[Piece],
    *,
    touching: bool,
) -> str | tuple[Contradiction, ...]:
    text: list[str] = []
    wrong: list[Contradiction] = []
    done = 0
    for here, there in _groups(left, right, touching=touching):
        start = min(piece.before.start for piece in (*here, *there))
        end = max(piece.before.stop for piece in (*here, *there))
        ours, theirs = _over(here, start, end), _over(there, start, end)
        text += old[done:start]
        done = end
        if not there or [*mine[ours.start : ours.stop]] == [*other[theirs.start : theirs.stop]]:
            text += mine[ours.start : ours.stop]
        elif not here:
            text += other[theirs.start : theirs.stop]
        else:
            wrong.append(_contradiction(old[start:end], ours, mine, other[theirs.start : theirs.stop]))
    text += old[done:]
    if not wrong and any(not line.endswith("\n") for line in text[:-1]):
        # One side took the last line break away and the other went on after it.
        return _merged(old, mine, other, left, right, touching=False)
    return tuple(wrong) or "".join(text)


def _groups(
    left: Sequence[Piece], right: Sequence[Piece], *, touching: bool
) -> Iterator[tuple[list[Piece], list[Piece]]]:
    """Gather the pieces of both sides that are in each other's way."""
    here: list[Piece] = []
    there: list[Piece] = []
    start = end = -1
    both = [(piece, here) for piece in left] + [(piece, there) for piece in right]
    for piece, side in sorted(both, key=lambda one: (one[0].before.start, one[0].before.stop)):
        own = piece.before
        meets = own.start < end or (own.start == end and (not touching or start == end == own.stop))
        if not meets:
            if here or there:
                yield [*here], [*there]
            here.clear()
            there.clear()
            start = own.start
        end = max(end, own.stop)
        side.append(piece)
    if here or there:
        yield here, there


def _over(side: Sequence[Piece], start: int, end: int) -> range:
    """Return the lines of a side's text that stand for some lines of the base."""
    if not side:
        return _NOTHING
    first, last = side[0], side[-1]
    return range(first.after.start - (first.before.start - start), last.after.stop + end - last.before.stop)


def _contradiction(base: Sequence[str], ours: range, mine: Sequence[str], theirs: Sequence[str]) -> Contradiction:
    return Contradiction(
        (ours.start + 1, ours.stop), "".join(base), "".join(mine[ours.start : ours.stop]), "".join(theirs)
    )
