import pytest

from bridge.text.sentence import MAX_QUOTE_CHARS, sentence_at


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One. Two with [[x]] in it. Three.", "Two with [[x]] in it."),
        ("[[x]]", "[[x]]"),
        ("- [ ] do [[x]]\n- other", "- [ ] do [[x]]"),
        ("前の文。ここに[[x]]がある。次の文。", "ここに[[x]]がある。"),
        ("Is it 3.5 of [[x]]? Yes.", "Is it 3.5 of [[x]]?"),
        ("Said “so.” Then [[x]]!", "Then [[x]]!"),
        ("before\n\n[[x]]\n\nafter", "[[x]]"),
        ("هل هذا؟ نعم [[x]] هنا. بعد.", "نعم [[x]] هنا."),
    ],
)
def test_the_sentence_around_a_link(text: str, said: str) -> None:
    at = text.index("[[x]]")
    assert sentence_at(text, (at, at + 5)) == said


def test_a_sentence_without_end_is_cut_around_the_link() -> None:
    text = "word " * 1000 + "[[x]]" + " word" * 1000
    said = sentence_at(text, (5000, 5005))
    assert "[[x]]" in said
    assert len(said) <= MAX_QUOTE_CHARS
    long = "[[" + "x" * 1000 + "]]"
    assert len(sentence_at(long, (0, len(long)))) <= MAX_QUOTE_CHARS
