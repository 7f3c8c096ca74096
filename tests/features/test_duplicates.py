"""A text that is in the vault already is found there, and others are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text import overlap
from bridge.text.overlap import find_overlaps
from bridge.types import VaultPath

HERE, THERE = VaultPath("Here.md"), VaultPath("There.md")
BREAD = "Rye bread keeps for a week in a linen bag, and nobody in the valley would put it into a fridge."


def share(text: str, other: str, *, common: str = "") -> float:
    found = find_overlaps(text, {HERE: other}, common=common, least=0)
    return found[0][1] if found else 0


@pytest.mark.parametrize(
    ("text", "other", "least", "most"),
    [
        (BREAD, f"# More\n\n{BREAD}\n\nAnd much else.", 1, 1),
        (BREAD, f"---\ntags: [a]\n---\n{BREAD.upper()}", 1, 1),
        (BREAD, BREAD.replace("week", "month"), 0.6, 0.8),
        (BREAD, "Rye bread in a linen bag is nobody's idea of a week in the valley.", 0, 0),
        (f"{BREAD} {BREAD[::-1]}", BREAD, 0.4, 0.6),
        ("黑麦面包可以在亚麻袋里放一个星期", "他说，黑麦面包可以在亚麻袋里放一个月。", 0.6, 0.9),
        ("黑麦面包", "黑麦面包可以放一个星期", 0, 0),
        ("two words", "Two words!", 1, 1),
        ("two words", "two words and then some more", 0, 0),
        ("---\ntags: [a, b, c, d, e]\n---\none", "---\ntags: [a, b, c, d, e]\n---\nother", 0, 0),
        ("…", BREAD, 0, 0),
    ],
)
def test_the_share_is_what_one_would_say(text: str, other: str, least: float, most: float) -> None:
    assert least <= share(text, other) <= most


def test_what_the_template_says_does_not_count() -> None:
    template = "Write down what you saw, what you heard and what you thought of it on this day."
    assert share(f"{template}\n\n{BREAD}", f"{template}\n\nNothing.") > 0.3
    assert share(f"{template}\n\n{BREAD}", f"{template}\n\nNothing.", common=template) == 0


def test_the_most_alike_comes_first_and_the_unlike_not_at_all() -> None:
    found = find_overlaps(BREAD, {THERE: "Something else that has nothing in common with it.", HERE: BREAD})
    assert found == [(HERE, 1.0)]


@given(st.text(), st.integers(1, 20))
def test_words_are_the_same_in_pieces_of_any_length(text: str, length: int) -> None:
    whole = [*overlap.comparable_words(text)]
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(overlap, "PIECE_CHARS", length)
        assert [*overlap.comparable_words(text)] == whole


@given(st.text())
def test_every_text_that_says_something_is_like_itself(text: str) -> None:
    assert share(text, text) in (0, 1)
