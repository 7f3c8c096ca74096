"""Comments are stripped as a regular expression would, in one pass over any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from bridge.text.invisible import strip_comments, visible_text

COMMENT = re.compile(r"<!--.*?-->|(?<!`)<!--.*\Z", re.DOTALL)


@given(st.lists(st.sampled_from(["<!--", "-->", "`", "<", "!", "-", ">", "a", "\n", " "]), max_size=40).map("".join))
@example("<!-->a-->b")
@example("`<!-- a <!-- b")
@example("<!--a-->`<!--b")
def test_comments_are_stripped_as_they_are_written(text: str) -> None:
    assert strip_comments(text) == COMMENT.sub(" ", text)


def test_many_beginnings_without_an_end_are_read_once() -> None:
    # Looking for the end from each of them would take minutes.
    text = "`<!--" * 400_000
    assert visible_text(text) == text
