from bridge.text.closest import find_closest, find_mistyped


def test_the_most_similar_name_is_found_in_its_own_spelling() -> None:
    assert find_closest("FILENAEM", ["Title", "fileName", "folder"]) == "fileName"
    assert find_closest("zebra", ["Title", "fileName"]) is None
    assert find_closest("titel", ["Title"], 0.9) is None


def test_words_within_some_typing_errors_are_found_nearest_first() -> None:
    words = ["pump", "plump", "lamp"]
    assert find_mistyped("pmup", words, 1) == [("pump", 1)]
    assert find_mistyped("pump", words, 2) == [("pump", 0), ("plump", 1), ("lamp", 2)]
    assert find_mistyped("pump", words, 2, 1) == [("pump", 0)]
