"""A note's lines through all its versions, those that are gone too: who put each in, and who took it out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bridge.changes.compare import pieces
from bridge.changes.diff import near
from bridge.changes.slide import blank, high, low, placed


@dataclass(slots=True, eq=False)
class Strand:
    """One line, from when it was put in."""

    text: str
    by: "Stroke | None" = None
    """What put it in; None when it was there from the start."""
    gone: list["Stroke"] = field(default_factory=list)
    """What took it out."""
    beside: list["Stroke"] = field(default_factory=list)
    """What put lines in where it had stood: nobody knows which of them comes first."""

    @property
    def is_there(self) -> bool:
        """Say whether the note has it, as far as strokes are in force."""
        if self.by is not None and not self.by.on:
            return False
        return not self.gone or not any(stroke.on for stroke in self.gone)


@dataclass(slots=True, eq=False)
class Stroke:
    """One place where a change took lines out of a note and put others in."""

    hunk: int
    """Which hunk of the file's difference it belongs to, counted from 0."""
    number: int = 0
    """The step of its change."""
    order: int = 0
    """Which version it led to."""
    added: list[Strand] = field(default_factory=list)
    removed: list[Strand] = field(default_factory=list)
    reach: list[Strand] = field(default_factory=list)
    """Lines that are alike, of which it may have been any that it put in or took out; empty when there is no doubt."""
    on: bool = True
    """Whether it is in force."""

    def meets(self, other: "Stroke", places: Mapping[Strand, int]) -> bool:
        """Say whether a later stroke touched the same lines, or may have.

        Args:
            other: The later one.
            places: Where each line of the note is.
        """
        own = {*self.added, *self.removed, *self.reach}
        if not own.isdisjoint(other.removed) or any(other in strand.beside for strand in self.removed):
            return True
        if _is_amid(other.added, self.reach or self.added, places):
            return True
        return _is_amid(self.removed if other.added else (*self.removed, *self.added), other.reach, places)


def _is_amid(strands: Iterable[Strand], run: Sequence[Strand], places: Mapping[Strand, int]) -> bool:
    """Say whether one of some lines stands between the first and the last of others."""
    return bool(run) and any(places[run[0]] <= places[strand] <= places[run[-1]] for strand in strands)


def drawn(strands: list[Strand], lines: Sequence[str]) -> list[Stroke]:
    """Make the lines of a note others, and return where; the note then has these lines.

    Args:
        strands: The note; those that are put in are added to it.
        lines: What its lines become.
    """
    there = [strand for strand in strands if strand.is_there]
    old = [strand.text for strand in there]
    apart = pieces(old, lines, blank)
    lowest = placed(apart, old, lines, low)
    # As when texts are merged: an empty line says nothing about where it is.
    found, highest = placed(lowest, old, lines, high, blank), placed(lowest, old, lines, high)
    # As hunks are shown.
    groups = enumerate(near(placed(apart, old, lines)))
    strokes = [Stroke(hunk) for hunk, group in groups for _ in group]
    for stroke, piece in reversed([*zip(strokes, found, strict=True)]):
        stroke.removed = there[piece.before.start : piece.before.stop]
        stroke.added = [Strand(lines[at], stroke) for at in piece.after]
        at = _opened(strands, there, stroke, piece.before.start)
        strands[at:at] = stroke.added
        for strand in stroke.removed:
            strand.gone.append(stroke)
    if found != highest:
        now = [strand for strand in strands if strand.is_there]
        for stroke, piece, other in zip(strokes, found, highest, strict=True):
            if other != piece:
                stroke.reach = _reach(there, piece.before, other.before) or _reach(now, piece.after, other.after)
    return strokes


def _reach(strands: Sequence[Strand], low: range, high: range) -> list[Strand]:
    return list(strands[high.start : low.stop]) if low else []


def _opened(strands: list[Strand], there: Sequence[Strand], stroke: Stroke, start: int) -> int:
    """Return where a stroke's lines go among those that are gone, and tell these where the order is not known."""
    if stroke.removed:
        first, last = strands.index(stroke.removed[0]), strands.index(stroke.removed[-1])
        if stroke.added:
            _tell(strands[first:last], stroke)
        return last + 1
    above = strands.index(there[start - 1]) + 1 if start else 0
    below = strands.index(there[start]) if start < len(there) else len(strands)
    # What was replaced keeps to what stands for it.
    if start:
        ties: set[Stroke | None] = {*there[start - 1].gone}
        while above < below and strands[above].by in ties:
            ties.update(strands[above].gone)
            above += 1
    if start < len(there):
        ties = {there[start].by}
        while below > above and ties.intersection(strands[below - 1].gone):
            below -= 1
            ties.add(strands[below].by)
    _tell(strands[above:below], stroke)
    return below


def _tell(gap: Sequence[Strand], stroke: Stroke) -> None:
    for strand in gap:
        if not strand.is_there and (strand.by is None or strand.by.on):
            strand.beside.append(stroke)
