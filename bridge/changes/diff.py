"""How a text differs from another: in hunks, which can be taken one by one, and as a unified diff."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bridge.changes.compare import Piece, pieces
from bridge.changes.plain import lines_of, shown
from bridge.changes.slide import blank, placed
from bridge.types import Lines

RowKind = Literal["same", "removed", "added"]

CONTEXT: Final = 3
"""Lines shown around what differs."""

_MARKS: Final = {"same": " ", "removed": "-", "added": "+"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a hunk, with its line break."""

    kind: RowKind
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Differences that stand close together, and the lines around them."""

    number: int
    """By which it is accepted or undone; counted from 1 over the whole change."""
    before: Lines
    """Its lines in the text before; when there are none, the last is one less than the first."""
    after: Lines
    """Its lines in the text after, likewise."""
    rows: tuple[Row, ...]


def hunks(before: str, after: str, *, first: int = 1) -> tuple[Hunk, ...]:
    """Return how two texts differ, in order.

    Args:
        before: The text before.
        after: The text after.
        first: The number of the first hunk.
    """
    old, new = lines_of(before), lines_of(after)
    return tuple(_hunk(number, group, old, new) for number, group in enumerate(near(differing(old, new)), first))


def with_hunks(before: str, after: str, chosen: Collection[int], *, first: int = 1) -> str:
    """Return the text before with those hunks alone that were chosen; `first` as for `hunks`."""
    old, new = lines_of(before), lines_of(after)
    text: list[str] = []
    done = 0
    for hunk in hunks(before, after, first=first):
        if hunk.number in chosen:
            text += [*old[done : hunk.before[0] - 1], *new[hunk.after[0] - 1 : hunk.after[1]]]
            done = hunk.before[1]
    return "".join([*text, *old[done:]])


def unified(before: str | None, after: str | None, path: str) -> str:
    """Return what turns one text into the other; empty when nothing does. None is a file that is not there."""
    found = hunks(before or "", after or "")
    return written(found, path, made=before is None, gone=after is None)


def written(found: Sequence[Hunk], path: str, *, made: bool = False, gone: bool = False) -> str:
    """Write hunks down as a unified diff; empty when there are none.

    Args:
        found: The hunks.
        path: The file.
        made: Whether there was no such file before.
        gone: Whether there is none after.
    """
    if not found:
        return ""
    names = ("/dev/null" if made else f"a/{path}", "/dev/null" if gone else f"b/{path}")
    return f"--- {names[0]}\n+++ {names[1]}\n" + "".join(line for hunk in found for line in _lines(hunk))


def differing(old: Sequence[str], new: Sequence[str]) -> list[Piece]:
    """Return which lines differ, each piece where it reads best."""
    return placed(pieces(old, new, blank), old, new)


def near(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Gather the pieces between which the context of both would touch."""
    group: list[Piece] = []
    for piece in found:
        if group and piece.before.start - group[-1].before.stop > 2 * CONTEXT:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _hunk(number: int, group: Sequence[Piece], old: Sequence[str], new: Sequence[str]) -> Hunk:
    lead = min(CONTEXT, group[0].before.start)
    trail = min(CONTEXT, len(old) - group[-1].before.stop)
    start, end = group[0].before.start - lead, group[-1].before.stop + trail
    rows: list[Row] = []
    done = start
    for piece in group:
        rows += [Row("same", line) for line in old[done : piece.before.start]]
        rows += [Row("removed", old[at]) for at in piece.before]
        rows += [Row("added", new[at]) for at in piece.after]
        done = piece.before.stop
    rows += [Row("same", line) for line in old[done:end]]
    return Hunk(number, (start + 1, end), (group[0].after.start - lead + 1, group[-1].after.stop + trail), tuple(rows))


def _lines(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{_range(hunk.before)} +{_range(hunk.after)} @@\n"
    for row in hunk.rows:
        line = _MARKS[row.kind] + shown(row.text)
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _range(lines: Lines) -> str:
    """Write lines as a unified diff does: the first and how many; of none, the line before them."""
    first, last = lines
    match last - first + 1:
        case 0:
            return f"{last},0"
        case 1:
            return f"{first}"
        case many:
            return f"{first},{many}"
