import pytest

from bridge.text.closest import find_closest, find_mistyped, may_be_forms


def test_the_most_similar_name_is_found_in_its_own_spelling() -> None:
    assert find_closest("FILENAEM", ["Title", "fileName", "folder"]) == "fileName"
    assert find_closest("zebra", ["Title", "fileName"]) is None
    assert find_closest("titel", ["Title"]) == "Title"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("bread", "Readme"),
        ("Foo", "Flomo"),
        ("Foo", "Food template"),
        ("TODO", "uTools"),
        ("remove_note", "move_note"),
        ("get_note", "give_note"),
        ("2031-01-01", "2031-01-02"),
        ("status", "tags"),
        ("is", "as"),
        ("", "a"),
    ],
)
def test_a_name_is_not_closest_for_want_of_a_better_one(name: str, known: str) -> None:
    assert find_closest(name, [known]) is None


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("oven", "Cob oven"),
        ("Evergren notes", "Evergreen notes turn ideas into objects"),
        ("lsit_workflow", "list_workflows"),
        ("max_file_md", "max_file_mb"),
        ("plan", "Plan 2026"),
        ("Plan 2026", "2026 plan"),
        ("卡片笔记", "双链笔记与卡片笔记"),
    ],
)
def test_a_name_is_closest_by_its_words_or_but_for_a_slip(name: str, known: str) -> None:
    assert find_closest(name, ["Unlike", known]) == known


def test_words_within_some_typing_errors_are_found_nearest_first() -> None:
    words = ["pump", "plump", "lamp"]
    assert find_mistyped("pmup", words, 1) == [("pump", 1)]
    assert find_mistyped("pump", words, 2) == [("pump", 0), ("plump", 1), ("lamp", 2)]
    assert find_mistyped("pump", words, 2, 1) == [("pump", 0)]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("inventato", "inventore"),
        ("тежегіші", "тежегішті"),
        ("berlubang", "lubang"),
        ("trenak", "trena"),
        ("час", "часът"),
    ],
)
def test_forms_of_a_word_share_its_beginning_or_a_part(word: str, other: str) -> None:
    assert may_be_forms(word, other)
    assert may_be_forms(other, word)


@pytest.mark.parametrize(("word", "other"), [("costa", "costruire"), ("birra", "barca"), ("sole", "consolazione")])
def test_words_that_share_little_are_no_forms(word: str, other: str) -> None:
    assert not may_be_forms(word, other)
