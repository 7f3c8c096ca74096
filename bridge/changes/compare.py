"""Which lines two texts do not share: as few as can be found in bounded time."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Indel

CELLS: Final = 150_000_000
"""The largest product of two lengths that is compared exactly: 30 ms and 20 MB."""

DEEPEST: Final = 30
"""How often a text that is too long is cut again."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Units of one text that stand where those of another stood; ranges are half-open and count from 0."""

    before: range
    after: range


def pieces(
    before: Sequence[str], after: Sequence[str], weak: Callable[[str], bool] = lambda _unit: False
) -> list[Piece]:
    """Return where two texts differ, in order; no two pieces touch.

    The comparison is the shortest one unless the texts are so long that it is first cut at units that both hold once.
    What is still too long to compare then counts as replaced.

    Args:
        before: The units of one text.
        after: The units of the other.
        weak: Which units say nothing about where they are, so that between two pieces they may be there by chance.
    """
    left, right = _core(before, after, range(len(before)), range(len(after)))
    within = before[left.start : left.stop]
    numbers: dict[str, int] = {}
    # rapidfuzz compares by hash, and only those of small numbers are sure to differ.
    old = [numbers.setdefault(unit, len(numbers)) for unit in within]
    new = [numbers.setdefault(unit, len(numbers)) for unit in after[right.start : right.stop]]
    joined: list[Piece] = []
    for piece in _apart(old, new, range(len(old)), range(len(new))):
        last = joined[-1] if joined else None
        if last is not None and _belong(last, piece, within, weak):
            joined[-1] = spanning(last, piece)
        else:
            joined.append(piece)
    trimmed = (Piece(*_core(old, new, piece.before, piece.after)) for piece in joined)
    return [
        Piece(left[piece.before.start : piece.before.stop], right[piece.after.start : piece.after.stop])
        for piece in trimmed
        if piece.before or piece.after
    ]


def _belong(last: Piece, piece: Piece, before: Sequence[str], weak: Callable[[str], bool]) -> bool:
    """Say whether two pieces are one: they touch, or what is between them need not be what it was."""
    between = before[last.before.stop : piece.before.start]
    even = all(len(one.before) == len(one.after) for one in (last, piece))
    return all(map(weak, between)) and not (even and between)


def spanning(first: Piece, last: Piece) -> Piece:
    """Return one piece from the start of one to the end of another."""
    return Piece(range(first.before.start, last.before.stop), range(first.after.start, last.after.stop))


def _apart(old: list[int], new: list[int], left: range, right: range, depth: int = 0) -> Iterator[Piece]:
    left, right = _core(old, new, left, right)
    if len(left) * len(right) <= CELLS:
        found = Indel.opcodes(old[left.start : left.stop], new[right.start : right.stop])
        for code in found:
            if code.tag != "equal":
                yield Piece(left[code.src_start : code.src_end], right[code.dest_start : code.dest_end])
        return
    anchors = _anchors(old, new, left, right)
    if not anchors or depth == DEEPEST:
        yield Piece(left, right)
        return
    for here, there in [*anchors, (left.stop, right.stop)]:
        yield from _apart(old, new, range(left.start, here), range(right.start, there), depth + 1)
        left, right = range(here + 1, left.stop), range(there + 1, right.stop)


def _core(old: Sequence[object], new: Sequence[object], left: range, right: range) -> tuple[range, range]:
    """Leave out what both begin and end with."""
    start, most = 0, min(len(left), len(right))
    while start < most and old[left.start + start] == new[right.start + start]:
        start += 1
    end, most = 0, most - start
    while end < most and old[left.stop - 1 - end] == new[right.stop - 1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]


def _anchors(old: list[int], new: list[int], left: range, right: range) -> list[tuple[int, int]]:
    """Return the longest row of units that are single in both texts and in the same order."""
    often, elsewhere = Counter(old[at] for at in left), Counter(new[at] for at in right)
    place = {new[at]: at for at in right if elsewhere[new[at]] == 1}
    row: list[tuple[int, int]] = []
    ends: list[int] = []
    back: list[int] = []
    tops: list[int] = []
    for here in left:
        there = place.get(old[here])
        if there is None or often[old[here]] > 1:
            continue
        at = bisect_left(ends, there)
        back.append(tops[at - 1] if at else -1)
        ends[at : at + 1], tops[at : at + 1] = [there], [len(row)]
        row.append((here, there))
    found: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        found.append(row[at])
        at = back[at]
    return found[::-1]
