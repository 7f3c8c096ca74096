"""Two changes come together where they do not contradict each other, and nothing is ever guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.diff import MergeConflict, merge3, split_lines
from tests.changes.texts import edited, texts

LINES = st.lists(st.integers(0, 99), max_size=20)


@st.composite
def forks(draw: st.DrawFn) -> tuple[str, str, str]:
    base = draw(texts())
    return base, draw(edited(base)), draw(edited(base))


@given(forks(), st.booleans())
def test_what_one_side_left_alone_is_the_others(fork: tuple[str, str, str], touching: bool) -> None:
    base, ours, theirs = fork
    assert merge3(base, base, theirs, touching=touching) == theirs
    assert merge3(base, ours, base, touching=touching) == ours
    assert merge3(base, ours, ours, touching=touching) == ours


@given(forks(), st.booleans())
def test_it_does_not_matter_whose_side_is_whose(fork: tuple[str, str, str], touching: bool) -> None:
    base, ours, theirs = fork
    merged, turned = merge3(base, ours, theirs, touching=touching), merge3(base, theirs, ours, touching=touching)
    if isinstance(merged, str) or isinstance(turned, str):
        assert turned == merged
    else:
        assert [(one.base, one.ours, one.theirs) for one in merged] == [
            (one.base, one.theirs, one.ours) for one in turned
        ]


@given(forks(), st.booleans())
def test_a_contradiction_shows_what_stands_there(fork: tuple[str, str, str], touching: bool) -> None:
    base, ours, theirs = fork
    merged = merge3(base, ours, theirs, touching=touching)
    for one in merged if not isinstance(merged, str) else ():
        first, last = one.lines
        assert "".join(split_lines(ours)[first - 1 : last]) == one.ours
        assert one.ours != one.theirs
        assert one.base in base
        assert one.theirs in theirs


@given(LINES, LINES, st.booleans(), st.booleans())
def test_edits_far_apart_always_merge(first: list[int], second: list[int], here: bool, there: bool) -> None:
    def note(head: list[int], tail: list[int]) -> str:
        return "".join(f"{line}\n" for line in [*head, "mid", "dle", *tail])

    base = note([-1], [-2])
    ours = note(first, [-2]) if here else note([-1], first)
    theirs = note([-1], second) if here else note(second, [-2])
    assert merge3(base, ours, theirs, touching=there) == (note(first, second) if here else note(second, first))


NEXT = "a\nb\nc\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        ("A\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n"),
        ("a\nX\nb\nc\n", "a\nB\nc\n", "a\nX\nB\nc\n"),
        ("a\nb\nc\nX\n", "a\nb\n", "a\nb\nX\n"),
        ("b\nc\n", "a\nc\n", "c\n"),
    ],
)
def test_lines_next_to_each_other_contradict_unless_allowed(ours: str, theirs: str, merged: str) -> None:
    assert not isinstance(merge3(NEXT, ours, theirs), str)
    assert merge3(NEXT, ours, theirs, touching=True) == merged


@pytest.mark.parametrize("touching", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs", "lines"),
    [
        ("a\nb\nc\nx\n", "a\nb\nc\ny\n", (4, 4)),
        ("a\nx\nc\n", "a\ny\nc\n", (2, 2)),
        ("a\nc\n", "a\ny\nc\n", (2, 1)),
        ("A\nB\nc\n", "a\nx\nC\n", (1, 3)),
    ],
)
def test_the_same_lines_changed_differently_contradict(
    ours: str, theirs: str, lines: tuple[int, int], touching: bool
) -> None:
    merged = merge3(NEXT, ours, theirs, touching=touching)
    assert not isinstance(merged, str)
    assert [one.lines for one in merged] == [lines]


def test_two_insertions_at_one_place_contradict_always() -> None:
    assert merge3("a\n", "a\nx\n", "a\ny\n", touching=True) == (MergeConflict((2, 2), "", "x\n", "y\n"),)


def test_an_appended_paragraph_goes_though_another_came_after_it() -> None:
    both = "a\n\nfirst\n\nsecond\n"
    assert merge3(both, "a\n\nsecond\n", "a\n\nfirst\n", touching=True) == "a\n"


def test_an_empty_line_that_is_there_by_chance_holds_nothing_together() -> None:
    base, ours = "one\ntwo\nthree\n\nlast\nfar\nend\n", "1\n\n3\n\nlast\nfar\nEND\n"
    assert merge3(base, ours, base.replace("last", "new\nlast")) == ours.replace("last", "new\nlast")


def test_where_it_matters_how_high_a_line_stands_it_contradicts() -> None:
    assert isinstance(merge3("x\ny\n", "x\nnew\nx\ny\n", "z\ny\n", touching=True), tuple)


def test_a_line_break_taken_away_joins_no_lines() -> None:
    merged = merge3("a\n", "b", "a\nc\n", touching=True)
    assert isinstance(merged, tuple)
