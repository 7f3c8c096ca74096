"""The words of whole files."""

from bridge.index.documents import FileWords, Vocabularies, index_file_words
from bridge.types import VaultPath

FILES = {
    "Garden/Fern.md": "---\naliases: [Bracken]\n---\nFerns like shade.",
    "Garden/Shade.md": "Nothing grows here.",
    "会议.md": "今天的会议讨论了预算。",
    "Board.canvas": "",
}


def indexed(slices: int = 1) -> FileWords:
    paths = [VaultPath(path) for path in FILES]
    found, vocabularies = FileWords(paths), Vocabularies.empty()
    texts = [(number, path, FILES[path]) for number, path in enumerate(paths)]
    for start in range(slices):
        found.add(index_file_words(texts[start::slices], vocabularies))
    return found


def test_files_are_found_by_every_word_in_any_script() -> None:
    for words, path in (("bracken", "Garden/Fern.md"), ("grows", "Garden/Shade.md"), ("预算", "会议.md")):
        assert indexed().find([words], 9) == [path]
    assert indexed().find(["missing"], 9) == []
    assert indexed().find(["?"], 9) == []


def test_the_name_of_a_file_counts_more_than_its_text() -> None:
    assert indexed().find(["shade"], 9) == ["Garden/Shade.md", "Garden/Fern.md"]
    assert indexed().find(["shade"], 1) == ["Garden/Shade.md"]
    assert indexed().find(["board"], 9) == ["Board.canvas"]


def test_it_does_not_matter_in_which_slices_files_are_indexed() -> None:
    assert indexed(3).find(["shade", "预算"], 9) == indexed().find(["shade", "预算"], 9)
