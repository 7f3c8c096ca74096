import pytest

from bridge.index.note import IndexedNote
from bridge.search.query import parse_query
from bridge.search.vocabulary import Vocabulary, score_covered_names, share_said
from tests.search.notes import by_path, indexed


def following(*notes: IndexedNote) -> Vocabulary:
    vocabulary = Vocabulary()
    vocabulary.follow(by_path(*notes))
    return vocabulary


def test_titles_and_aliases_are_found_in_running_text() -> None:
    vocabulary = following(indexed("Ed Wood (film).md"), indexed("b.md", title="Tim Burton", aliases=("T. Burton",)))
    assert vocabulary.named_in("It was ED WOOD, by T. Burton.") == {"Ed Wood (film).md", "b.md"}


def test_a_name_of_one_word_needs_a_capital() -> None:
    vocabulary = following(indexed("Ideas.md"))
    assert vocabulary.named_in("some ideas") == frozenset()
    assert vocabulary.named_in("see Ideas") == {"Ideas.md"}


def test_a_name_that_many_notes_share_names_none() -> None:
    vocabulary = following(*(indexed(f"{number}/Plan of work.md") for number in range(4)))
    assert vocabulary.named_in("the plan of work") == frozenset()


def test_changes_are_followed() -> None:
    old, kept = indexed("a.md", title="Old name", tags=("area/home",)), indexed("b.md", title="Kept name")
    vocabulary = following(old, kept)
    vocabulary.follow(by_path(indexed("a.md", title="New name"), indexed("c.md", title="Third name")))
    named = vocabulary.named_in("old name, kept name, new name, third name")
    assert named == {"a.md", "c.md"}
    assert vocabulary.find_tagged("area") == frozenset()


def test_tags_are_found_by_each_of_their_parts() -> None:
    vocabulary = following(indexed("a.md", tags=("Area/Home",)))
    assert (
        vocabulary.find_tagged("area")
        == vocabulary.find_tagged("home")
        == vocabulary.find_tagged("area/home")
        == {"a.md"}
    )


def test_longer_words_cover_more_of_a_name() -> None:
    assert share_said(["tim", "burton"], frozenset({"burton"})) == 6 / 9
    assert share_said([], frozenset()) == 0.0


@pytest.mark.parametrize(
    ("question", "title", "score"),
    [
        ("心灵奇旅的导演是谁？", "心灵奇旅", 1.0),
        ("大话数据结构的作者是谁？", "大话数据结构-程杰", 0.75),
        ("สวนผักอยู่ที่ไหน", "สวนผัก", 1.0),
        ("灵奇旅的导演是谁？", "心灵奇旅", 0.0),
    ],
)
def test_a_name_is_found_in_a_question_without_spaces(question: str, title: str, score: float) -> None:
    found = score_covered_names([indexed("a.md", title=title)], parse_query(question))
    assert [one.score for one in found.values()] == ([score] if score else [])
