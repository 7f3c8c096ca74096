"""A question names a memory in other spellings and with one error, but not by words that merely look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.features.memory.memory_note import MemoryNames
from bridge.types import VaultPath

NAMES = {
    "oven": ("oven_clay", "Clay", "fire bricks", "Lehm-Ofen"),
    "starter": ("sourdough starter", "Gertrude", "levain"),
    "reply": ("short answers", "brevity"),
    "sugar": ("砂糖", "the"),
    "press": ("v2 press",),
}


@pytest.fixture
def names() -> MemoryNames:
    known = MemoryNames()
    for path, own in NAMES.items():
        known.add(VaultPath(path), own)
    return known


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("how hot does the CLAY get?", {"oven"}),
        ("is oven clay fireproof", {"oven"}),
        ("firebricks or not", {"oven"}),
        ("a fire brick fell out", {"oven"}),
        ("the lehmofen is cold", {"oven"}),
        ("feed Gertrud", {"starter"}),
        ("feed Gertrued", {"starter"}),
        ("feed Gertrudes sister clay", {"starter", "oven"}),
        ("a levian for rye", {"starter"}),
        ("which sourdough is it", set()),
        ("clan and clap", set()),
        ("play with it", set()),
        ("the short answer", {"reply"}),
        ("今日の砂糖は", {"sugar"}),
        ("the end", set()),
        ("v2 press", {"press"}),
        ("v3 press", set()),
        ("", set()),
    ],
)
def test_what_a_question_names_is_found(names: MemoryNames, question: str, found: set[str]) -> None:
    assert set(names.find(question)) == found


def test_a_typing_error_counts_less(names: MemoryNames) -> None:
    assert names.find("gertrud and clay") == {"starter": 0.9, "oven": 1.0}


def test_the_words_of_a_name_are_known(names: MemoryNames) -> None:
    assert names.covered_words("is oven clay fireproof, Gertrud?") == {"oven", "clay", "gertrud"}


def test_a_name_is_forgotten_with_its_last_memory(names: MemoryNames) -> None:
    names.add(VaultPath("other"), ["Clay"])
    names.remove(VaultPath("oven"), NAMES["oven"])
    assert set(names.find("clay, fire bricks")) == {"other"}
    names.remove(VaultPath("other"), ["Clay"])
    assert not names.find("clay, fire bricks")


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=4))
def test_any_text_is_searched_for_any_names(question: str, own: list[str]) -> None:
    known = MemoryNames()
    known.add(VaultPath("a"), own)
    assert set(known.find(question)) <= {"a"}
    known.remove(VaultPath("a"), own)
    assert not known.find(question)
