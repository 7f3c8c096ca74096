import random

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from bridge.index.names import NameIndex, NearWords
from bridge.types import VaultPath


def names(**of: str | tuple[str, list[str], list[str]]) -> NameIndex:
    index = NameIndex()
    for path, each in of.items():
        title, aliases, headings = (each, [], []) if isinstance(each, str) else each
        index.put(VaultPath(path), title, aliases, headings)
    return index


def found(index: NameIndex, text: str, limit: int = 10) -> list[str]:
    return [hit.path for hit in index.find(text, limit, None)]


def test_a_title_is_found_by_how_it_begins() -> None:
    assert found(names(a="Obsidian plugins", b="Other things"), "obsid") == ["a"]
    assert found(names(a="Weekly meeting", b="Weekly report"), "weekly mee") == ["a", "b"]


def test_a_small_typing_error_is_forgiven() -> None:
    index = names(a="Weekly meeting notes", b="Melting points")
    assert found(index, "meetng") == ["a"]
    assert sorted(found(index, "metting")) == ["a", "b"]
    assert found(index, "meeitng notes")[0] == "a"
    assert found(index, "xyzzy") == []


def test_a_title_said_in_full_comes_first() -> None:
    index = names(a="Tea with milk and sugar", b="Tea", c="Steak")
    assert found(index, "tea") == ["b", "a"]
    assert index.find("tea", 1, None)[0].score == 1


def test_aliases_and_headings_are_names_too() -> None:
    index = names(a=("Tea", ["Chai"], []), b=("Bread", [], ["Chai cake"]))
    assert [(hit.path, hit.field, hit.matched) for hit in index.find("chai", 5, None)] == [
        ("a", "alias", "Chai"),
        ("b", "heading", "Chai cake"),
    ]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = names(**{f"n{at}": f"Notes about {at}x" for at in range(50)}, rare="Kumquat marmalade notes")
    assert found(index, "notes about kumquat")[0] == "rare"


def test_accents_and_case_make_no_difference() -> None:
    assert found(names(a="Café Müller"), "cafe muller") == ["a"]
    assert found(names(a="STRASSE"), "straße") == ["a"]


def test_names_without_spaces_are_found_by_part_of_them() -> None:
    index = names(a="人工智能研究笔记", b="회의록", c="東京メモ", d="บันทึกการประชุม")
    assert found(index, "研究") == ["a"]
    assert found(index, "研") == ["a"]
    assert found(index, "회의") == ["b"]
    assert found(index, "メモ") == ["c"]
    assert found(index, "ประชุม") == ["d"]


def test_only_allowed_notes_are_named() -> None:
    index = names(a="Tea one", b="Tea two")
    assert [hit.path for hit in index.find("tea", 5, {VaultPath("b"), VaultPath("absent")})] == ["b"]
    assert index.find("tea", 5, set()) == []


def test_a_forgotten_note_leaves_no_name() -> None:
    index = names(a="Tea", b="Tea")
    index.drop(VaultPath("a"))
    index.put(VaultPath("b"), "Coffee", [], [])
    assert found(index, "tea") == []
    assert found(index, "coff") == ["b"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.text(max_size=12)), max_size=40), st.text(max_size=12))
def test_names_put_and_dropped_in_any_order_are_those_put_last(changes: list[tuple[str, str]], asked: str) -> None:
    index = NameIndex()
    last: dict[str, str] = {}
    for path, title in changes:
        if title:
            index.put(VaultPath(path), title, [title[::-1]], [])
            last[path] = title
        else:
            index.drop(VaultPath(path))
            last.pop(path, None)
    fresh = NameIndex()
    for path, title in last.items():
        fresh.put(VaultPath(path), title, [title[::-1]], [])
    assert {(hit.path, hit.score) for hit in index.find(asked, 50, None)} == {
        (hit.path, hit.score) for hit in fresh.find(asked, 50, None)
    }


def test_many_names_still_give_the_right_one() -> None:
    dice = random.Random(3)
    index = NameIndex()
    for at in range(5_000):
        index.put(VaultPath(f"n{at}"), f"{dice.choice('abcdefgh') * 3} topic {at}", [], [f"Part {at % 7}"])
    assert found(index, "topic 4321", 1) == ["n4321"]


def test_equal_names_come_in_the_order_of_path_and_note_however_they_were_indexed() -> None:
    headings = ["Second day", "Third day", "First day"]
    fresh = names(a=("Rye", [], headings), b=("Spelt", [], headings))
    again = names(x=("Gone", [], ["Another day", "One more day", "Last day"]), b=("Spelt", [], headings))
    again.drop(VaultPath("x"))
    again.put(VaultPath("a"), "Rye", [], headings)
    assert fresh.find("day", 2, None) == again.find("day", 2, None)
    assert [(hit.path, hit.matched) for hit in again.find("day", 2, None)] == [("a", "Second day"), ("b", "Second day")]


@given(st.lists(st.text("abcé가", min_size=1), unique=True), st.text("abcé가", min_size=1), st.integers(1, 2))
def test_words_despite_errors_are_those_that_a_comparison_with_each_finds(
    words: list[str], word: str, errors: int
) -> None:
    near = {known: distance for known in words if (distance := OSA.distance(word, known)) <= errors}
    assert dict(NearWords(words).find(word, errors, len(words))) == near


def test_words_stay_sorted_while_notes_come_and_go() -> None:
    chance, index = random.Random(4), NameIndex()
    for round_ in range(60):
        for _ in range(1 if round_ % 3 else 400):
            path = VaultPath(f"n{chance.randrange(200)}")
            if chance.random() < 0.4:
                index.drop(path)
            else:
                index.put(path, " ".join(f"w{chance.randrange(900)}" for _ in range(4)), [], [])
        words = list(index.columns().words)
        assert words == sorted(set(words))
        assert set(words) == {word for name in index.columns().texts for word in name.split()}
