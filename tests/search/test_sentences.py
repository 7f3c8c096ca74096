"""The sentences of notes."""

import pytest

from bridge.markdown.documents import read_document
from bridge.search.sentences import iter_sentences
from bridge.types import VaultPath


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He met J.G. Thirlwell there. Then he left town.", ["He met J.G. Thirlwell there.", "Then he left town."]),
        ("It burns like [St. Anthony’s Fire](https://example.org/a) does.", ["It burns like St. Anthony’s Fire does."]),
        ("See [[Songs/J.G. Thirlwell|him. Or her]] for more.", ["See him. Or her for more."]),
        ("Dr. Who bakes bread. It rises well.", ["Dr. Who bakes bread.", "It rises well."]),
        ("It was made in 1985. It was lost in 1999.", ["It was made in 1985.", "It was lost in 1999."]),
        ("酵母是面包的灵魂。今天天气很好。", ["酵母是面包的灵魂。", "今天天气很好。"]),
    ],
)
def test_sentences_end_where_a_reader_sees_their_end(text: str, sentences: list[str]) -> None:
    note = read_document(VaultPath("A.md"), f"{text}\n".encode())
    assert [one.text for one in iter_sentences(note)] == sentences


def test_only_what_stands_near_some_lines_is_read() -> None:
    text = "".join(f"This is sentence number {word}.\n\n" for word in ("one", "two", "three", "four", "five"))
    note = read_document(VaultPath("A.md"), text.encode())
    found = [one.text for one in iter_sentences(note, [(3, 3)])]
    assert found == [f"This is sentence number {word}." for word in ("one", "two", "three")]
