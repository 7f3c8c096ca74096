"""A heading gets another text."""

import pytest

from bridge.errors import AmbiguousHeading, HeadingNotFound, InvalidArguments
from bridge.markdown.edit.headings import replace_heading
from bridge.markdown.parse import parse
from bridge.types import VaultPath

NOTE = VaultPath("A.md")


@pytest.mark.parametrize(
    ("before", "heading", "to", "expected"),
    [
        ("# A\nx\n", "A", "B", "# B\nx\n"),
        ("# A\n##  A  ##\t\n", "A > A", "New name", "# A\n##  New name  ##\t\n"),
        ("## A ^id\n", "A ^id", "B", "## B ^id\n"),
        ("## A ^id\n", "A ^id", "B ^other", "## B ^other\n"),
        ("A\r\n===\r\nx", "A", "B C", "B C\r\n===\r\nx"),
        ("  A ^id\n---\n", "A ^id", "B", "  B ^id\n---\n"),
        ("#\tA", "a", " B ", "#\tB"),
        ("##\nx\n# A\n", "", "B", "## B\nx\n# A\n"),
        ("# #\n", "#", "漢字 and `code`", "# 漢字 and `code` #\n"),
        ("---\na: A\n---\n# A\n", "A", "C#", "---\na: A\n---\n# C#\n"),
        ("# A\n", "A", "A", "# A\n"),
    ],
)
def test_only_the_words_of_the_heading_change(before: str, heading: str, to: str, expected: str) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        after = replace_heading(NOTE, mark + before.encode(), heading, to)
        assert after == mark + expected.encode()
    assert to.strip() in {one.text.partition(" ^id")[0] for one in parse(NOTE, after).headings}


@pytest.mark.parametrize("to", ["", " ", "a\nb", "C #", "\ud800"])
def test_what_cannot_be_a_heading_is_refused(to: str) -> None:
    with pytest.raises(InvalidArguments):
        replace_heading(NOTE, b"# A\n\n# B\n%%\nx\n", "A", to)


@pytest.mark.parametrize("to", ["- a", "# a", "> a", "```", "---", "    a", "[^1]: a"])
def test_an_underlined_heading_stays_one(to: str) -> None:
    try:
        after = replace_heading(NOTE, b"x\n\nA\n===\nb\n", "A", to)
    except InvalidArguments:
        return
    assert [one.text for one in parse(NOTE, after).headings] == [to.strip()]


def test_missing_and_ambiguous_headings_are_told() -> None:
    with pytest.raises(HeadingNotFound):
        replace_heading(NOTE, b"# A\n", "B", "C")
    with pytest.raises(AmbiguousHeading):
        replace_heading(NOTE, b"# A\n# A\n", "A", "C")
    with pytest.raises(InvalidArguments):
        replace_heading(VaultPath("A.canvas"), b"# A\n", "A", "C")
