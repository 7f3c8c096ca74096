"""Merges two changes of one text, or reports where they conflict; it never guesses.

No package fitted: `merge3` is under the GPL; `three-merge` merges within lines and writes conflict markers.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from bridge.records import Record
from bridge.text.diff import DiffPiece, Taste, is_blank, pieces, prefer_high, prefer_low, slide_pieces, split_lines
from bridge.types import Lines

_NOTHING: Final = range(0)


class MergeConflict(Record):
    """A place that both sides changed differently."""

    lines: Lines
    """Its lines in our text; if there are none, the last is one less than the first."""
    base: str
    ours: str
    theirs: str


def merge3(
    base: str, ours: str, theirs: str, *, touching: bool = False, alike: bool = True
) -> str | tuple[MergeConflict, ...]:
    """Merge two changes of a text line by line; return the text, or the conflicts.

    What only one side changed is taken from that side.
    """
    old, mine, other = split_lines(base), split_lines(ours), split_lines(theirs)

    def merged(sides: Sequence[Sequence[DiffPiece]]) -> str | tuple[MergeConflict, ...]:
        return _merge_groups(old, mine, other, [*_groups(*sides, touching=touching)], alike=alike)

    def sides(
        found: Sequence[Sequence[DiffPiece]], taste: Taste, passing: Callable[[str], bool] | None = None
    ) -> list[list[DiffPiece]]:
        return [slide_pieces(side, old, new, taste, passing) for side, new in zip(found, (mine, other), strict=True)]

    # An insertion or deletion beside equal lines may be placed higher or lower. Where that matters, it conflicts; but
    # the empty line that both changes contain does not move a paragraph onto its neighbour.
    lowest = sides([pieces(old, new, is_blank) for new in (mine, other)], prefer_low)
    highest = sides(lowest, prefer_high)
    made = merged(lowest)
    if highest == lowest:
        return made
    again, above = made if isinstance(made, str) else merged(sides(lowest, prefer_high, is_blank)), merged(highest)
    if isinstance(again, str) and isinstance(above, str) and again != above:
        return _merge_groups(old, mine, other, [(lowest[0], lowest[1])], alike=alike)
    return again if isinstance(again, str) else made


def _merge_groups(
    old: Sequence[str],
    mine: Sequence[str],
    other: Sequence[str],
    groups: Sequence[tuple[Sequence[DiffPiece], Sequence[DiffPiece]]],
    *,
    alike: bool,
) -> str | tuple[MergeConflict, ...]:
    text: list[str] = []
    wrong: list[MergeConflict] = []
    done = 0
    for here, there in groups:
        start = min(piece.before.start for piece in (*here, *there))
        end = max(piece.before.stop for piece in (*here, *there))
        ours, theirs = _side_range(here, start, end), _side_range(there, start, end)
        text += old[done:start]
        done = end
        left, right = mine[ours.start : ours.stop], other[theirs.start : theirs.stop]
        if not here:
            text += right
        elif not there or (alike and left == right):
            text += left
        else:
            where = (ours.start + 1, ours.stop)
            wrong.append(MergeConflict(where, "".join(old[start:end]), "".join(left), "".join(right)))
    text += old[done:]
    if not wrong and any(not line.endswith("\n") for line in text[:-1]):
        # One side removed the last line break, and the other continued after it.
        everything = [piece for here, _ in groups for piece in here], [piece for _, there in groups for piece in there]
        return _merge_groups(old, mine, other, [everything], alike=alike)
    return tuple(wrong) or "".join(text)


def _groups(
    left: Sequence[DiffPiece], right: Sequence[DiffPiece], *, touching: bool
) -> Iterator[tuple[list[DiffPiece], list[DiffPiece]]]:
    here: list[DiffPiece] = []
    there: list[DiffPiece] = []
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


def _side_range(side: Sequence[DiffPiece], start: int, end: int) -> range:
    if not side:
        return _NOTHING
    first, last = side[0], side[-1]
    return range(first.after.start - (first.before.start - start), last.after.stop + end - last.before.stop)
