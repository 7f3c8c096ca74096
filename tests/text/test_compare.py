"""Comparing finds what differs, however long or strange the texts are."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text import diff
from bridge.text.diff import DiffPiece, pieces, prefer_high, prefer_low, prefer_readable, slide_pieces

UNITS = st.lists(st.sampled_from("abc\n"), max_size=40)


def carried_out(found: Sequence[DiffPiece], before: Sequence[str], after: Sequence[str]) -> list[str]:
    text: list[str] = []
    done = 0
    for piece in found:
        assert not text or piece.before.start > done, "pieces touch"
        text += [*before[done : piece.before.start], *after[piece.after.start : piece.after.stop]]
        done = piece.before.stop
    return [*text, *before[done:]]


@given(UNITS, UNITS)
def test_pieces_say_all_that_differs_and_no_two_touch(before: list[str], after: list[str]) -> None:
    found = pieces(before, after)
    assert carried_out(found, before, after) == after
    for taste in (prefer_low, prefer_high, prefer_readable):
        assert carried_out(slide_pieces(found, before, after, taste), before, after) == after


@given(UNITS, UNITS)
def test_a_text_too_long_to_compare_exactly_is_cut_first(before: list[str], after: list[str]) -> None:
    most, diff.MAX_CELLS = diff.MAX_CELLS, 4  # type: ignore[misc] # what a note of 13,000 lines would reach
    try:
        assert carried_out(pieces(before, after), before, after) == after
    finally:
        diff.MAX_CELLS = most  # type: ignore[misc]


@pytest.mark.parametrize("kinds", [2, 50, 1_000_000])
def test_a_very_long_note_is_compared_line_by_line(kinds: int) -> None:
    rng = random.Random(kinds)
    before = [f"{rng.randrange(kinds)}" for _ in range(40_000)]
    after = [*before]
    after[5_000], after[30_000:30_002] = "changed", []
    found = pieces(before, after)
    assert carried_out(found, before, after) == after
    if kinds == 1_000_000:
        assert [len(piece.before) for piece in found] == [1, 2]


def test_what_may_stand_elsewhere_stands_as_low_or_as_high_as_wanted() -> None:
    before, after = ["x", "a", "a", "y"], ["x", "a", "a", "a", "y"]
    assert slide_pieces(pieces(before, after), before, after, prefer_low) == [DiffPiece(range(3, 3), range(3, 4))]
    assert slide_pieces(pieces(before, after), before, after, prefer_high) == [DiffPiece(range(1, 1), range(1, 2))]
