"""Where a piece stands best: what was put in or taken out beside its like may be said to stand higher or lower."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from bridge.changes.compare import Piece

_HEADING: Final = re.compile(r"\ufeff?#{1,6}[ \t]")

Taste = Callable[[Sequence[str], range], int]
"""How well units of a text go together, given the text and their range."""


def readable(lines: Sequence[str], piece: range) -> int:
    """Like what is whole: from a heading or after an empty line, to an empty line."""
    starts = piece.start == 0 or blank(lines[piece.start - 1])
    return 4 * bool(_HEADING.match(lines[piece.start])) + 2 * starts + blank(lines[piece.stop - 1])


def low(_: Sequence[str], piece: range) -> int:
    """Like the lowest place."""
    return piece.start


def high(_: Sequence[str], piece: range) -> int:
    """Like the highest place."""
    return -piece.start


def blank(unit: str) -> bool:
    """Say whether there is nothing to see."""
    return not unit.strip()


def placed(
    found: Sequence[Piece],
    before: Sequence[str],
    after: Sequence[str],
    taste: Taste = readable,
    passing: Callable[[str], bool] | None = None,
) -> list[Piece]:
    """Move each piece that may stand elsewhere to where it is liked best; of equals, to the lowest place.

    Args:
        found: The pieces, in order; they will not touch afterwards either.
        before: The units of the text before.
        after: The units of the text after.
        taste: Which places are liked.
        passing: Which units a piece may be moved past; any without.
    """
    done: list[Piece] = []
    for at, piece in enumerate(found):
        if piece.before and piece.after:
            done.append(piece)
            continue
        units, own = (before, piece.before) if piece.before else (after, piece.after)
        above = piece.before.start - (done[-1].before.stop + 1 if done else 0)
        below = (found[at + 1].before.start - 1 if at + 1 < len(found) else len(before)) - piece.before.stop
        up = _steps(units, own.start - 1, own.stop - 1, -1, above, passing)
        down = _steps(units, own.start, own.stop, 1, below, passing)
        by = max(range(-up, down + 1), key=lambda by: (taste(units, _moved(own, by)), by))
        done.append(Piece(_moved(piece.before, by), _moved(piece.after, by)))
    return done


def _steps(
    units: Sequence[str], one: int, other: int, by: int, most: int, passing: Callable[[str], bool] | None
) -> int:
    """Count how many units are alike along two edges."""
    count = 0
    while count < most and units[one] == units[other] and (passing is None or passing(units[one])):
        one, other, count = one + by, other + by, count + 1
    return count


def _moved(own: range, by: int) -> range:
    return range(own.start + by, own.stop + by)
