"""Which parts of other changes one puts in or out of force by turning them back or making them again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from bridge.changes.compare import Piece, pieces
from bridge.changes.diff import differing, near
from bridge.changes.differences import Snapshot, differences
from bridge.changes.plain import lines_of, text_of
from bridge.changes.slide import blank
from bridge.steps import Step
from bridge.store import REST, Change, Switch, parts_undone, switches_of
from bridge.types import Digest

Find = Callable[[str], Change | None]
"""Returns a change by its id."""


def undoing(change: Change, snapshot: Snapshot, find: Find, hunks: Collection[int] | None = None) -> Iterator[Switch]:
    """Yield what it puts in and out of force to turn a change back: itself out, and what it had turned as it was.

    Args:
        change: The change.
        snapshot: Gives contents that are kept.
        find: Gives the changes that it turned.
        hunks: Only these.
    """
    every = _parts(change.steps, snapshot)
    parts = every - parts_undone(change.facts)
    if hunks is not None:
        parts &= frozenset(hunks)
    yield Switch(change.id, parts, on=False, of=len(every))
    turned = switches_of(change.facts) if parts == every else sharing(change, parts, snapshot, find)
    for one in reversed([*turned]):
        yield Switch(one.change, one.parts, on=not one.on, of=one.of)


def redoing(change: Change, snapshot: Snapshot) -> Iterator[Switch]:
    """Yield what it puts in and out of force to make a change again."""
    every = _parts(change.steps, snapshot)
    yield Switch(change.id, every, on=True, of=len(every))
    yield from switches_of(change.facts)


def sharing(change: Change, hunks: Collection[int], snapshot: Snapshot, find: Find) -> Iterator[Switch]:
    """Yield what some hunks of a change put in and out of force; arguments as for `undoing`.

    A part of another change that is not all in these hunks stays as it is.
    """
    for one in switches_of(change.facts):
        turned = find(one.change)
        parts = one.parts.intersection(_within(turned, change, hunks, snapshot, on=one.on)) if turned else frozenset()
        if parts:
            yield Switch(one.change, parts, one.on, one.of)


def _parts(steps: Iterable[Step], snapshot: Snapshot) -> frozenset[int]:
    """Return the parts that a change has."""
    parts: set[int] = set()
    for found in differences(steps, snapshot):
        parts.update(hunk.number for hunk in found.hunks)
        if found.step.kind != "put" or found.step.before is None or not found.hunks:
            parts.add(REST)
    return frozenset(parts)


def _within(turned: Change, by: Change, hunks: Collection[int], snapshot: Snapshot, *, on: bool) -> Iterator[int]:
    """Yield the parts of a change that are turned by some hunks of another and by none of its others."""
    whole = [*differences(by.steps, snapshot)]
    for found, place in zip(
        differences(turned.steps, snapshot), zip(turned.now, turned.gone, strict=True), strict=True
    ):
        for other, where in zip(whole, zip(by.now, by.gone, strict=True), strict=True):
            if where != place or not other.hunks:
                continue
            chosen = [hunk.number in hunks for hunk in other.hunks]
            base = found.step.before if on else found.step.after
            texts = [_text(digest, snapshot) for digest in (base, other.step.before)]
            if all(chosen):
                yield from (hunk.number for hunk in found.hunks)
            elif any(chosen) and None not in texts:
                old, now = (lines_of(text or "") for text in texts)
                carried = pieces(old, now, blank)
                spots = _spans(other.step, snapshot, old=True)
                for hunk, spans in zip(found.hunks, _spans(found.step, snapshot, old=on), strict=True):
                    if all(chosen[_nearest(_carried(span, carried), spots)] for span in spans):
                        yield hunk.number


def _spans(step: Step, snapshot: Snapshot, *, old: bool) -> list[list[range]]:
    """Return which lines each hunk of a step changes, in the text before it or the one after."""
    before, after = (lines_of(_text(digest, snapshot) or "") for digest in (step.before, step.after))
    return [[piece.before if old else piece.after for piece in group] for group in near(differing(before, after))]


def _carried(span: range, found: Sequence[Piece]) -> range:
    """Return where lines of a text are in another, given where the two differ."""

    def at(line: int) -> int:
        by = 0
        for piece in found:
            if line <= piece.before.start:
                break
            if line < piece.before.stop:
                return piece.after.stop
            by = piece.after.stop - piece.before.stop
        return line + by

    return range(at(span.start), at(span.stop))


def _nearest(span: range, spots: Sequence[Sequence[range]]) -> int:
    """Return which of several hunks some lines are in."""

    def away(number: int) -> int:
        first, last = spots[number][0].start, spots[number][-1].stop
        return max(first - span.stop, span.start - last, 0)

    return min(range(len(spots)), key=away)


def _text(digest: Digest | None, snapshot: Snapshot) -> str | None:
    data = None if digest is None else snapshot(digest)
    return None if data is None else text_of(data)
