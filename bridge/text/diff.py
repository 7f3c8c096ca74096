"""The differences of two texts: as hunks, as a unified diff, and word by word; and the merge of two changes."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal

from rapidfuzz.distance import Indel

from bridge.records import Record
from bridge.text.scripts import CLUSTER, MARK, UNSPACED_SCRIPTS
from bridge.types import Lines

MAX_CELLS: Final = 150_000_000
"""The largest product of two lengths that is compared exactly: 30 ms and 20 MB."""

MAX_DIVISIONS: Final = 30
"""Maximum depth to which a text that is too long is divided."""


class DiffPiece(Record):
    """Units of one text that replace units of another; ranges are half-open and count from 0."""

    before: range
    after: range


def pieces(
    before: Sequence[str], after: Sequence[str], weak: Callable[[str], bool] = lambda _unit: False
) -> list[DiffPiece]:
    """Return where two texts differ, in order; no two pieces touch.

    The comparison is the shortest one unless the texts are so long that they are first divided at units that occur once
    in both. What is still too long to compare counts as replaced.
    """
    left, right = _trim_common(before, after, range(len(before)), range(len(after)))
    within = before[left.start : left.stop]
    numbers: dict[str, int] = {}
    # rapidfuzz compares by hash, and only those of small numbers are certain to differ.
    old = [numbers.setdefault(unit, len(numbers)) for unit in within]
    new = [numbers.setdefault(unit, len(numbers)) for unit in after[right.start : right.stop]]
    joined: list[DiffPiece] = []
    for piece in _compare(old, new, range(len(old)), range(len(new))):
        last = joined[-1] if joined else None
        if last is not None and _is_one_piece(last, piece, within, weak):
            joined[-1] = merge_pieces(last, piece)
        else:
            joined.append(piece)
    trimmed = (DiffPiece(*_trim_common(old, new, piece.before, piece.after)) for piece in joined)
    return [
        DiffPiece(left[piece.before.start : piece.before.stop], right[piece.after.start : piece.after.stop])
        for piece in trimmed
        if piece.before or piece.after
    ]


def _is_one_piece(last: DiffPiece, piece: DiffPiece, before: Sequence[str], weak: Callable[[str], bool]) -> bool:
    between = before[last.before.stop : piece.before.start]
    even = all(len(one.before) == len(one.after) for one in (last, piece))
    return all(map(weak, between)) and not (even and between)


def merge_pieces(first: DiffPiece, last: DiffPiece) -> DiffPiece:
    return DiffPiece(range(first.before.start, last.before.stop), range(first.after.start, last.after.stop))


def _compare(old: list[int], new: list[int], left: range, right: range, depth: int = 0) -> Iterator[DiffPiece]:
    left, right = _trim_common(old, new, left, right)
    if len(left) * len(right) <= MAX_CELLS:
        found = Indel.opcodes(old[left.start : left.stop], new[right.start : right.stop])
        for code in found:
            if code.tag != "equal":
                yield DiffPiece(left[code.src_start : code.src_end], right[code.dest_start : code.dest_end])
        return
    anchors = _anchors(old, new, left, right)
    if not anchors or depth == MAX_DIVISIONS:
        yield DiffPiece(left, right)
        return
    for here, there in [*anchors, (left.stop, right.stop)]:
        yield from _compare(old, new, range(left.start, here), range(right.start, there), depth + 1)
        left, right = range(here + 1, left.stop), range(there + 1, right.stop)


def _trim_common(old: Sequence[object], new: Sequence[object], left: range, right: range) -> tuple[range, range]:
    start, most = 0, min(len(left), len(right))
    while start < most and old[left.start + start] == new[right.start + start]:
        start += 1
    end, most = 0, most - start
    while end < most and old[left.stop - 1 - end] == new[right.stop - 1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]


def _anchors(old: list[int], new: list[int], left: range, right: range) -> list[tuple[int, int]]:
    """Return the longest sequence of units that occur once in both texts, in the same order."""
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


_HEADING: Final = re.compile(r"\ufeff?#{1,6}[ \t]")

Taste = Callable[[Sequence[str], range], int]
"""Rates a range of a text's units as a place for a piece; higher is better."""


def prefer_readable(lines: Sequence[str], piece: range) -> int:
    starts = piece.start == 0 or is_blank(lines[piece.start - 1])
    return 4 * bool(_HEADING.match(lines[piece.start])) + 2 * starts + is_blank(lines[piece.stop - 1])


def prefer_low(_: Sequence[str], piece: range) -> int:
    return piece.start


def prefer_high(_: Sequence[str], piece: range) -> int:
    return -piece.start


def is_blank(unit: str) -> bool:
    return not unit.strip()


def slide_pieces(
    found: Sequence[DiffPiece],
    before: Sequence[str],
    after: Sequence[str],
    taste: Taste = prefer_readable,
    passing: Callable[[str], bool] | None = None,
) -> list[DiffPiece]:
    """Slide each piece that may be elsewhere to the preferred place; of equal places, to the lowest."""
    done: list[DiffPiece] = []
    for at, piece in enumerate(found):
        if piece.before and piece.after:
            done.append(piece)
            continue
        units, own = (before, piece.before) if piece.before else (after, piece.after)
        above = piece.before.start - (done[-1].before.stop + 1 if done else 0)
        below = (found[at + 1].before.start - 1 if at + 1 < len(found) else len(before)) - piece.before.stop
        up = _steps(units, own.start - 1, own.stop - 1, -1, above, passing)
        down = _steps(units, own.start, own.stop, 1, below, passing)
        by = max(range(-up, down + 1), key=lambda by: (taste(units, _shift(own, by)), by))
        done.append(DiffPiece(_shift(piece.before, by), _shift(piece.after, by)))
    return done


def _steps(
    units: Sequence[str], one: int, other: int, by: int, most: int, passing: Callable[[str], bool] | None
) -> int:
    count = 0
    while count < most and units[one] == units[other] and (passing is None or passing(units[one])):
        one, other, count = one + by, other + by, count + 1
    return count


def _shift(own: range, by: int) -> range:
    return range(own.start + by, own.stop + by)


_BINARY_CHECK_BYTES: Final = 8000


def decode_text(data: bytes) -> str | None:
    """Return a file's text with its byte order mark; None when it is not text.

    Bytes that are not UTF-8 become lone surrogates, which `encode_text` turns back into the same bytes.
    """
    return None if b"\0" in data[:_BINARY_CHECK_BYTES] else data.decode("utf-8", "surrogateescape")


def encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> list[str]:
    """Return a text's lines as other programs count them, each with its line break."""
    # `splitlines` also splits at characters within a line.
    *whole, last = text.split("\n")
    lines = [f"{line}\n" for line in whole]
    return [*lines, last] if last else lines


def display_text(text: str) -> str:
    r"""Return text that can be sent: bytes that are not UTF-8 become `\xff`."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


RowKind = Literal["same", "removed", "added"]

CONTEXT_LINES: Final = 3

_MARKS: Final = {"same": " ", "removed": "-", "added": "+"}


class Row(Record):
    """A line of a hunk, with its line break."""

    kind: RowKind
    text: str


class Hunk(Record):
    """Neighbouring differences, with the lines around them."""

    number: int
    """Identifies it for accepting or undoing; counted from 1 over the whole change."""
    before: Lines
    """Its lines in the text before; if there are none, the last is one less than the first."""
    after: Lines
    """Its lines in the text after, likewise."""
    rows: tuple[Row, ...]


def diff_hunks(before: str, after: str, *, first: int = 1) -> tuple[Hunk, ...]:
    """Return the hunks between two texts, in order."""
    old, new = split_lines(before), split_lines(after)
    return tuple(
        _hunk(number, group, old, new) for number, group in enumerate(group_pieces(diff_lines(old, new)), first)
    )


def apply_hunks(before: str, after: str, chosen: Collection[int], *, first: int = 1) -> str:
    """Return the text before with only the chosen hunks applied; `first` as for `diff_hunks`."""
    old, new = split_lines(before), split_lines(after)
    text: list[str] = []
    done = 0
    for hunk in diff_hunks(before, after, first=first):
        if hunk.number in chosen:
            text += [*old[done : hunk.before[0] - 1], *new[hunk.after[0] - 1 : hunk.after[1]]]
            done = hunk.before[1]
    return "".join([*text, *old[done:]])


def unified_diff(before: str | None, after: str | None, path: str) -> str:
    """Return a unified diff of two texts; empty if they are equal. None stands for a missing file."""
    found = diff_hunks(before or "", after or "")
    return format_hunks(found, path, made=before is None, gone=after is None)


def format_hunks(found: Sequence[Hunk], path: str, *, made: bool = False, gone: bool = False) -> str:
    """Format hunks as a unified diff; empty when there are none."""
    if not found:
        return ""
    names = ("/dev/null" if made else f"a/{path}", "/dev/null" if gone else f"b/{path}")
    return f"--- {names[0]}\n+++ {names[1]}\n" + "".join(line for hunk in found for line in _format_hunk(hunk))


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[DiffPiece]:
    """Return the lines that differ, each piece at its most readable place."""
    return slide_pieces(pieces(old, new, is_blank), old, new)


def group_pieces(found: Sequence[DiffPiece]) -> Iterator[list[DiffPiece]]:
    group: list[DiffPiece] = []
    for piece in found:
        if group and piece.before.start - group[-1].before.stop > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _hunk(number: int, group: Sequence[DiffPiece], old: Sequence[str], new: Sequence[str]) -> Hunk:
    lead = min(CONTEXT_LINES, group[0].before.start)
    trail = min(CONTEXT_LINES, len(old) - group[-1].before.stop)
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


def _format_hunk(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{_format_range(hunk.before)} +{_format_range(hunk.after)} @@\n"
    for row in hunk.rows:
        line = _MARKS[row.kind] + display_text(row.text)
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _format_range(lines: Lines) -> str:
    """Format a range as in a unified diff: first line and count; for an empty range, the line before it."""
    first, last = lines
    match last - first + 1:
        case 0:
            return f"{last},0"
        case 1:
            return f"{first}"
        case many:
            return f"{first},{many}"


MAX_WORDS: Final = 5_000
"""Words of a replaced block that are compared; a longer block is shown only as a whole."""

MIN_KEPT_SHARE: Final = 0.2
"""Share of its letters that a block must keep to be shown word by word."""

_LETTER: Final = f"(?![{UNSPACED_SCRIPTS}])(?:\\w|{MARK})"
_WORD: Final = f"(?:{_LETTER})+"
_TOKEN: Final = re.compile(
    r"!?\[\[[^\[\]\n]*\]\]"  # a link
    r"|https?://[^\s|<>)\]]+"
    r"|#[^\s#,.;:!?()\[\]{}|\"'`]+"  # a tag
    r"|\[.\]"  # a task's box
    r"|\^[\w-]+(?=[ \t]*\r?$)"  # a block id
    r"|\d+(?:[-.:,/]\d+)*(?!\w)"
    rf"|{_WORD}(?:['’‑-]{_WORD})*"
    r"|\r?\n"
    r"|[^\S\r\n]+"
    rf"|{CLUSTER}",
    re.MULTILINE | re.DOTALL,
)


class Run(Record):
    """Text that was kept, removed or added."""

    kind: RowKind
    text: str


def diff_runs(hunk: Hunk) -> tuple[Run, ...]:
    """Return a hunk's runs: kept and removed ones form the text before, kept and added ones the text after."""
    read: list[Run] = []
    removed = ""
    for kind, rows in groupby(hunk.rows, key=attrgetter("kind")):
        text = "".join(row.text for row in rows)
        if kind == "removed":
            removed = text
            continue
        read += diff_words(removed, text) if kind == "added" else [*_run_of("removed", removed), Run("same", text)]
        removed = ""
    return (*read, *_run_of("removed", removed))


def diff_words(before: str, after: str) -> tuple[Run, ...]:
    """Compare two texts word by word; texts with little in common count as replaced."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    whole = (*_run_of("removed", before), *_run_of("added", after))
    if max(len(old), len(new)) > MAX_WORDS:
        return whole
    found = _join_across_spaces(slide_pieces(pieces(old, new), old, new, prefer_low), old)
    letters = sum(len(word) for word in old if not is_blank(word))
    lost = sum(len(old[at]) for piece in found for at in piece.before if not is_blank(old[at]))
    if letters - lost < MIN_KEPT_SHARE * letters:
        return whole
    return tuple(_build_runs(found, old, new))


def _join_across_spaces(found: Sequence[DiffPiece], old: Sequence[str]) -> list[DiffPiece]:
    joined: list[DiffPiece] = []
    for piece in found:
        if joined and all(unit == " " for unit in old[joined[-1].before.stop : piece.before.start]):
            joined[-1] = merge_pieces(joined[-1], piece)
        else:
            joined.append(piece)
    return joined


def _build_runs(found: Sequence[DiffPiece], old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    done = 0
    for piece in found:
        yield from _run_of("same", "".join(old[done : piece.before.start]))
        yield from _run_of("removed", "".join(old[at] for at in piece.before))
        yield from _run_of("added", "".join(new[at] for at in piece.after))
        done = piece.before.stop
    yield from _run_of("same", "".join(old[done:]))


def _run_of(kind: RowKind, text: str) -> tuple[Run, ...]:
    return (Run(kind, text),) if text else ()


_EMPTY_RANGE: Final = range(0)


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
        return _EMPTY_RANGE
    first, last = side[0], side[-1]
    return range(first.after.start - (first.before.start - start), last.after.stop + end - last.before.stop)
