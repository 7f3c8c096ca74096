"""Where words begin and end, in scripts with and without spaces."""

import pytest

from bridge.text.words import is_word_boundary


@pytest.mark.parametrize(
    ("text", "at", "boundary"),
    [
        ("category", 3, False),
        ("a cat", 2, True),
        ("cat", 0, True),
        ("cat", 3, True),
        ("cafe\u0301s", 4, False),
        ("cafe\u0301s", 5, False),
        ("\u30d1\u30f3\u713c\u304d", 2, True),
        ("rye\u713c", 3, True),
    ],
)
def test_words_of_scripts_with_spaces_go_on(text: str, at: int, boundary: bool) -> None:
    assert is_word_boundary(text, at) == boundary
