"""The span of some lines of a note."""

from bridge.api.note_text import BLOCK_CHARS, span_of


def test_lines_are_found_however_long_the_note_and_its_lines_are() -> None:
    lines = ["a\n", "b" * BLOCK_CHARS + "\n", *["c\n"] * BLOCK_CHARS, "\n" * 3, "d" * (2 * BLOCK_CHARS) + "\n", "e"]
    text = "".join(lines)
    each = text.split("\n")
    for first, last in (
        (1, 1),
        (2, 2),
        (1, 3),
        (BLOCK_CHARS, BLOCK_CHARS + 2),
        (BLOCK_CHARS + 3, BLOCK_CHARS + 7),
        (len(each), len(each)),
    ):
        start, end = span_of(text, first, last)
        assert text[start:end] == "\n".join(each[first - 1 : last]) + "\n" * (last < len(each))
    assert span_of(text, 1, len(each) + 5) == (0, len(text))
