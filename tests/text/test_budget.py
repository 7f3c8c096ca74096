import pytest

from bridge.text.budget import cut_start


@pytest.mark.parametrize(
    ("text", "most", "left"),
    [
        ("short", 5, "short"),
        ("it could not be read", 12, "…not be read"),
        ("it could not be read", 11, "…be read"),
        ("onelongword", 4, "…word"),
        ("", 3, ""),
    ],
)
def test_the_end_of_a_text_begins_with_a_whole_word(text: str, most: int, left: str) -> None:
    assert cut_start(text, most) == left
