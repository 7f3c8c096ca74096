"""Follows a note through all its recorded changes, so that any one of them can be undone regardless of later ones.

Each line is tracked from version to version: that shows which of several equal lines a change added, where a
three-way merge could only guess.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct, field

from bridge.changes.hunks import Snapshot, hunk_positions
from bridge.changes.relink import has_only_followed
from bridge.markdown.decode import digest_of
from bridge.state.change_records import Change
from bridge.text.diff import (
    MergeConflict,
    decode_text,
    encode_text,
    group_pieces,
    is_blank,
    pieces,
    prefer_high,
    prefer_low,
    slide_pieces,
    split_lines,
)
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step


class TrackedLine(Struct, eq=False):
    """One line, from when it was added."""

    text: str
    by: "HunkEdit | None" = None
    """The edit that added it; None when it was there from the start."""
    gone: list["HunkEdit"] = field(default_factory=list)
    """The edits that removed it."""
    beside: list["HunkEdit"] = field(default_factory=list)
    """Edits that added lines where this line had been: their order is not known."""

    @property
    def is_there(self) -> bool:
        if self.by is not None and not self.by.on:
            return False
        return not self.gone or not any(hunk_edit.on for hunk_edit in self.gone)


class HunkEdit(Struct, eq=False):
    """One place where a change removed lines from a note and added others."""

    hunk: int
    """The hunk of the file's diff that it belongs to, counted from 0."""
    number: int = 0
    """The step of its change."""
    order: int = 0
    """The length of the log before it, which orders the edits."""
    added: list[TrackedLine] = field(default_factory=list)
    removed: list[TrackedLine] = field(default_factory=list)
    reach: list[TrackedLine] = field(default_factory=list)
    """Equal lines among which the edit may have added or removed any; empty when there is no ambiguity."""
    on: bool = True
    """Whether it is active."""

    def meets(self, other: "HunkEdit", places: Mapping[TrackedLine, int]) -> bool:
        own = {*self.added, *self.removed, *self.reach}
        if not own.isdisjoint(other.removed) or any(other in tracked_line.beside for tracked_line in self.removed):
            return True
        if _is_amid(other.added, self.reach or self.added, places):
            return True
        return _is_amid(self.removed if other.added else (*self.removed, *self.added), other.reach, places)


def _is_amid(
    tracked_lines: Iterable[TrackedLine], run: Sequence[TrackedLine], places: Mapping[TrackedLine, int]
) -> bool:
    return bool(run) and any(
        places[run[0]] <= places[tracked_line] <= places[run[-1]] for tracked_line in tracked_lines
    )


def record_edits(tracked_lines: list[TrackedLine], lines: Sequence[str]) -> list[HunkEdit]:
    """Record the edits that lead to a note's new lines, and return them; the note then has these lines."""
    there = [tracked_line for tracked_line in tracked_lines if tracked_line.is_there]
    old = [tracked_line.text for tracked_line in there]
    apart = pieces(old, lines, is_blank)
    lowest = slide_pieces(apart, old, lines, prefer_low)
    # As in merges: an empty line says nothing about its position.
    found, highest = (
        slide_pieces(lowest, old, lines, prefer_high, is_blank),
        slide_pieces(lowest, old, lines, prefer_high),
    )
    # As hunks are shown.
    groups = enumerate(group_pieces(slide_pieces(apart, old, lines)))
    hunk_edits = [HunkEdit(hunk) for hunk, group in groups for _ in group]
    for hunk_edit, piece in reversed([*zip(hunk_edits, found, strict=True)]):
        hunk_edit.removed = there[piece.before.start : piece.before.stop]
        hunk_edit.added = [TrackedLine(lines[at], hunk_edit) for at in piece.after]
        at = _insertion_index(tracked_lines, there, hunk_edit, piece.before.start)
        tracked_lines[at:at] = hunk_edit.added
        for tracked_line in hunk_edit.removed:
            tracked_line.gone.append(hunk_edit)
    if found != highest:
        now = [tracked_line for tracked_line in tracked_lines if tracked_line.is_there]
        for hunk_edit, piece, other in zip(hunk_edits, found, highest, strict=True):
            if other != piece:
                hunk_edit.reach = _ambiguous_lines(there, piece.before, other.before) or _ambiguous_lines(
                    now, piece.after, other.after
                )
    return hunk_edits


def _ambiguous_lines(tracked_lines: Sequence[TrackedLine], low: range, high: range) -> list[TrackedLine]:
    return list(tracked_lines[high.start : low.stop]) if low else []


def _insertion_index(
    tracked_lines: list[TrackedLine], there: Sequence[TrackedLine], hunk_edit: HunkEdit, start: int
) -> int:
    """Return where an edit's lines go among removed ones, and mark those whose order is not known."""
    if hunk_edit.removed:
        first, last = tracked_lines.index(hunk_edit.removed[0]), tracked_lines.index(hunk_edit.removed[-1])
        if hunk_edit.added:
            _mark_ambiguous(tracked_lines[first:last], hunk_edit)
        return last + 1
    above = tracked_lines.index(there[start - 1]) + 1 if start else 0
    below = tracked_lines.index(there[start]) if start < len(there) else len(tracked_lines)
    # A replaced line stays next to its replacement.
    if start:
        ties: set[HunkEdit | None] = {*there[start - 1].gone}
        while above < below and tracked_lines[above].by in ties:
            ties.update(tracked_lines[above].gone)
            above += 1
    if start < len(there):
        ties = {there[start].by}
        while below > above and ties.intersection(tracked_lines[below - 1].gone):
            below -= 1
            ties.add(tracked_lines[below].by)
    _mark_ambiguous(tracked_lines[above:below], hunk_edit)
    return below


def _mark_ambiguous(gap: Sequence[TrackedLine], hunk_edit: HunkEdit) -> None:
    for tracked_line in gap:
        if not tracked_line.is_there and (tracked_line.by is None or tracked_line.by.on):
            tracked_line.beside.append(hunk_edit)


_NO_FILE: Final = digest_of(b"")


class LineHistory:
    """The history of a note's lines, and which of its changes are active.

    Edits made outside the bridge count as changes that stay active, unless they brought the note back to an earlier
    version.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: list[TrackedLine] | None = None
        self._edits: dict[str, list[HunkEdit]] = {}
        self._turned: dict[str, list[tuple[HunkEdit, bool]]] = {}
        self._changes: dict[str, Change] = {}
        self._log: list[tuple[HunkEdit, bool]] = []
        self._log_lengths: dict[Digest, int] = {}
        self._digest: Digest | None = None

    @classmethod
    def of(cls, path: VaultPath, gone: str | None, changes: Iterable[Change], snapshot: Snapshot) -> "LineHistory":
        found = cls(snapshot)
        for change in changes:
            found._changes[change.id] = change
            for number, (step, *place) in enumerate(zip(change.steps, change.now, change.gone, strict=True)):
                if place == [path, gone] and step.kind == "put":
                    found._follow(change, number, step)
        return found

    @property
    def text(self) -> str:
        return "".join(tracked_line.text for tracked_line in self._lines or () if tracked_line.is_there)

    def knows(self, change: Change, number: int) -> bool:
        """Return whether a step of a change was tracked line by line."""
        return any(hunk_edit.number == number for hunk_edit in self._edits.get(change.id, ()))

    def come_to(self, data: bytes) -> bool:
        """Bring the history up to the note's current bytes; return False when they are not text."""
        return self._reach(digest_of(data), data)

    def has_only_followed(self, change: Change) -> bool:
        """Return whether since a change only links were rewritten for moves."""
        own = self._edits.get(change.id, [])
        hunk_edits = [*dict(self._log)]
        since = hunk_edits[hunk_edits.index(own[0]) :] if own else []
        others = {hunk_edit for hunk_edit in since if hunk_edit.on}.difference(own)
        steps = {(id_, one.number) for id_, edits in self._edits.items() for one in others.intersection(edits)}
        all_edits = {one for edits in self._edits.values() for one in edits}
        return bool(own) and others <= all_edits and all(self._is_followed(*step) for step in steps)

    def _is_followed(self, id_: str, number: int) -> bool:
        steps = self._changes[id_].steps
        step, moves = steps[number], [one for one in steps if one.kind == "move"]
        before, after = (None if digest is None else self._snapshot(digest) for digest in (step.before, step.after))
        if not moves or before is None or after is None:
            return False
        return has_only_followed(step.path, before, after, moves)

    def meets_only_outside(self, change: Change, number: int, chosen: Collection[tuple[int, int]] | None) -> bool:
        """Return whether no other change overlaps a step's edits, but only what other programs wrote later."""
        overlaps = self._find_overlaps([one for one in self._of(change.id, chosen) if one.number == number and one.on])
        return overlaps.isdisjoint(chain.from_iterable(self._edits.values()))

    def without(
        self, change: Change, number: int, chosen: Collection[tuple[int, int]] | None, *, along: bool = False
    ) -> str | tuple[MergeConflict, ...]:
        """Remove the edits of a step of a change, and return the resulting text or the conflicts with later edits."""
        hunk_edits = [
            hunk_edit for hunk_edit in self._of(change.id, chosen) if hunk_edit.number == number and hunk_edit.on
        ]
        overlaps = self._find_overlaps(hunk_edits)
        if along:
            while more := self._find_overlaps([*hunk_edits, *overlaps]):
                overlaps |= more
        elif overlaps:
            return tuple(self._conflicts(hunk_edits))
        self._switch([(hunk_edit, False) for hunk_edit in (*hunk_edits, *overlaps)])
        self._mark(digest_of(encode_text(self.text)))
        return self.text

    def _follow(self, change: Change, number: int, step: Step) -> None:
        after = None if step.after is None else self._read(step.after)
        if step.after is None or after is None or not self._reach(step.before or _NO_FILE):
            return
        if step.before is None and step.after in self._log_lengths:
            # The file was restored, with its whole history.
            self._reach(step.after)
            return
        turning = self._switched_hunks(change)
        if not turning or not self._turned_to(change.id, turning, after):
            hunk_edits = self._write(after)
            for hunk_edit in hunk_edits:
                hunk_edit.number = number
            self._edits.setdefault(change.id, []).extend(hunk_edits)
        self._mark(step.after)

    def _switched_hunks(self, change: Change) -> list[tuple[HunkEdit, bool]]:
        found: list[tuple[HunkEdit, bool]] = []
        for switch in change.facts.switches:
            of, whole = self._changes.get(switch.change), len(switch.parts) == switch.of
            chosen = None if of is None or whole else hunk_positions(of.steps, self._snapshot, switch.parts)
            found += [(hunk_edit, switch.on) for hunk_edit in self._of(switch.change, chosen)]
            if whole and not switch.on:
                found += [(hunk_edit, not on) for hunk_edit, on in self._turned.get(switch.change, ())]
        return found

    def _turned_to(self, id_: str, turning: Sequence[tuple[HunkEdit, bool]], text: str) -> bool:
        """Switch edits, alone or with all overlapping later ones, if that gives a text; return whether it did."""
        off = [hunk_edit for hunk_edit, on in turning if not on]
        overlaps: set[HunkEdit] = set()
        while True:
            done = self._switch([*turning, *((hunk_edit, False) for hunk_edit in overlaps)])
            if self.text == text:
                self._turned[id_] = done
                return True
            self._switch([(hunk_edit, not on) for hunk_edit, on in reversed(done)])
            more = self._find_overlaps([*off, *overlaps])
            if not more:
                return False
            overlaps |= more

    def _of(self, id_: str, chosen: Collection[tuple[int, int]] | None) -> list[HunkEdit]:
        hunk_edits = self._edits.get(id_, ())
        return [one for one in hunk_edits if chosen is None or (one.number, one.hunk) in chosen]

    def _find_overlaps(self, hunk_edits: Collection[HunkEdit]) -> set[HunkEdit]:
        return {later for hunk_edit in hunk_edits for later in self._later_overlaps(hunk_edit, hunk_edits)}

    def _later_overlaps(self, hunk_edit: HunkEdit, but: Collection[HunkEdit]) -> list[HunkEdit]:
        at = {tracked_line: place for place, tracked_line in enumerate(self._lines or ())}
        later = (one for one in dict(self._log) if one.on and one.order > hunk_edit.order and one not in but)
        return [one for one in later if hunk_edit.meets(one, at)]

    def _conflicts(self, hunk_edits: Sequence[HunkEdit]) -> Iterator[MergeConflict]:
        """Yield where later edits overlap some: the lines as these left them, as they are now, and as before."""
        tracked_lines = self._lines or []
        at = {tracked_line: place for place, tracked_line in enumerate(tracked_lines)}
        for hunk_edit in hunk_edits:
            overlaps = self._later_overlaps(hunk_edit, hunk_edits)
            if not overlaps:
                continue
            positions = [
                at[one] for each in (hunk_edit, *overlaps) for one in (*each.added, *each.removed, *each.reach)
            ]
            run = tracked_lines[min(positions) : max(positions) + 1]
            first = sum(tracked_line.is_there for tracked_line in tracked_lines[: min(positions)]) + 1
            ours = _join_lines(run)
            last = first + sum(tracked_line.is_there for tracked_line in run) - 1
            done = self._switch([(one, False) for one in overlaps])
            base = _join_lines(run)
            done += self._switch([(one, False) for one in hunk_edits])
            theirs = _join_lines(run)
            self._switch([(one, not on) for one, on in reversed(done)])
            yield MergeConflict((first, last), base, ours, theirs)

    def _reach(self, digest: Digest, data: bytes | None = None) -> bool:
        """Bring the history to a known or readable version that no change led to; return False when it is neither."""
        if digest == self._digest:
            return True
        if digest in self._log_lengths:
            in_force = dict(self._log[: self._log_lengths[digest]])
            self._switch([(hunk_edit, in_force.get(hunk_edit, False)) for hunk_edit in dict(self._log)])
        else:
            text = self._read(digest) if data is None else decode_text(data)
            if text is None:
                return False
            if self._lines is None:
                self._lines = [TrackedLine(line) for line in split_lines(text)]
            else:
                self._write(text)
        self._mark(digest)
        return True

    def _write(self, text: str) -> list[HunkEdit]:
        if self._lines is None:
            self._lines = []
        hunk_edits = record_edits(self._lines, split_lines(text))
        for hunk_edit in hunk_edits:
            hunk_edit.order = len(self._log)
        self._log += [(hunk_edit, True) for hunk_edit in hunk_edits]
        return hunk_edits

    def _switch(self, hunk_edits: Iterable[tuple[HunkEdit, bool]]) -> list[tuple[HunkEdit, bool]]:
        done = [(hunk_edit, on) for hunk_edit, on in hunk_edits if hunk_edit.on != on]
        for hunk_edit, on in done:
            hunk_edit.on = on
        self._log += done
        return done

    def _mark(self, digest: Digest) -> None:
        self._digest = digest
        self._log_lengths[digest] = len(self._log)

    def _read(self, digest: Digest) -> str | None:
        data = b"" if digest == _NO_FILE else self._snapshot(digest)
        return None if data is None else decode_text(data)


def _join_lines(tracked_lines: Iterable[TrackedLine]) -> str:
    return "".join(tracked_line.text for tracked_line in tracked_lines if tracked_line.is_there)
