"""What two memories have in common, and when they contradict each other."""

import json
from pathlib import Path

import pytest

from bridge.features.memory.comparison import NEARLY_SAME, compare_statements, says_no_more, text_digest
from bridge.features.memory.memory_note import Memory, MemoryKind
from bridge.types import VaultPath


def memory(title: str, kind: MemoryKind = "fact", *, alias: str = "", scope: str = "") -> Memory:
    return Memory(VaultPath("a.md"), title, kind, aliases=(alias,) if alias else (), scope=(scope,) if scope else ())


PAIRS = Path(__file__).parent / "contradictions.json"
EVERYDAY = json.loads((Path(__file__).parents[1] / "features/everyday_memories.json").read_bytes())
OTHER = VaultPath("other.md")
CLAY = memory("Oven clay", alias="clay")
BAKE = "The oven is fired every second Saturday before sunrise"


@pytest.mark.parametrize(
    ("text", "other", "alike"),
    [
        (BAKE, "Every second Saturday before sunrise, the oven is fired.", True),
        (BAKE, f"{BAKE}, with beech only.", True),
        (BAKE, "The oven was built of clay from the river by four neighbours", False),
        ("Rye needs a sour starter.", "Rye needs sour starters", True),
        ("Uses tabs", "Likes tea", False),
        ("", "", False),
        ("砂糖は台所の棚にある", "砂糖は台所の棚にあります", True),
    ],
)
def test_nearly_the_same_is_recognised(text: str, other: str, alike: bool) -> None:
    (found,) = compare_statements(memory("a"), text, {VaultPath("b.md"): (memory("b"), other)})
    assert (found.share >= NEARLY_SAME) == alike


@pytest.mark.parametrize(
    ("new", "text", "old", "other", "contrary"),
    [
        (memory("Oven clay"), "From the river.", memory("oven_clay"), "From the shop.", True),
        (memory("Oven clay"), "From the river.", memory("oven_clay"), "from the  river.", False),
        (memory("Oven clay", "learning"), "It cracks.", memory("Oven clay", "learning"), "It shrinks.", False),
        (memory("Clay", "decision"), "Buy it now.", memory("clay", "plan"), "Dig for it after the exam.", True),
        (memory("Clay", "decision"), "Buy it now.", memory("clay", "plan"), "buy it  now.", False),
        (memory("Clay", "decision"), "Buy it now.", memory("clay", "error"), "It cracked.", False),
        (CLAY, "The clay is fired at 900 degrees", memory("Heat", alias="clay"), "Clay is fired at 1100 degrees", True),
        (CLAY, "The clay is not fired in winter", memory("Heat", alias="clay"), "The clay is fired in winter", True),
        (CLAY, "The clay comes from Hamm", memory("Place", alias="clay"), "The clay comes from Soest", True),
        (memory("Ann"), "Ann likes green tea", memory("Bert"), "Bert likes green tea", False),
        (CLAY, "The clay is fired at 900 degrees", memory("Heat", alias="clay"), "Clay needs 2 years to dry", False),
        (memory("Redis", scope="code"), "The cache.", memory("Redis", scope="novel"), "A pianist.", False),
        (memory("Redis", scope="code"), "The cache.", memory("Redis"), "A pianist.", True),
        (memory("Titles"), "Titles are in English, not in German", memory("Pages"), "Titles are in English", False),
        (memory("Titles"), "Titles are in English", memory("Pages"), "Titles are in English, not in German", False),
        (memory("Titles"), "Titles are not in English, but German", memory("Pages"), "Titles are in English", True),
        (memory("Release 1.3"), "1.3 was released in June", memory("Release 1.2"), "1.2 was released in May", False),
        (memory("Server"), "The build takes 2 minutes", memory("Build"), "The build takes 4 minutes", True),
        (memory("Server"), "A build on it takes 2 minutes", memory("Build"), "On the desk, a build takes 4", False),
        (memory("例会"), "例会每周二开。", memory("会议"), "例会每周一开。", True),
        (memory("老师"), "老师每周二开会。", memory("学生"), "学生每周一开会。", False),
        (memory("Winter"), "Der Kurs findet im Winter mit Gästen statt", memory("Kurs"), "Der Kurs ist montags", False),
        (memory("Heating"), "The heating in the store is off", memory("Store"), "The heating in the store is on", True),
        (memory("Cat"), "The cat may sleep on the sofa", memory("Rule"), "The cat may not sleep on the sofa", True),
    ],
)
def test_another_value_for_the_same_thing_contradicts(
    new: Memory, text: str, old: Memory, other: str, contrary: bool
) -> None:
    first, second = compare_statements(new, text, {OTHER: (memory("Tea"), "Mint"), old.path: (old, other)})
    assert (first.contrary, second.contrary) == (False, contrary)


@pytest.mark.parametrize(("held_out", "least"), [(False, 0.95), (True, 0.8)])
def test_what_revokes_another_statement_is_told_across_kinds_titles_and_words(*, held_out: bool, least: float) -> None:
    """The pairs that are held out were not looked at while the rules were made."""
    told: dict[bool, list[bool]] = {True: [], False: []}
    for pair in json.loads(PAIRS.read_bytes()):
        if pair["held_out"] == held_out:
            (old, old_text), (new, new_text) = ((memory(*one[:2]), one[2]) for one in (pair["old"], pair["new"]))
            (found,) = compare_statements(new, new_text, {old.path: (old, old_text)})
            told[pair["contradicts"]].append(found.contrary)
    assert sum(told[True]) >= least * len(told[True])
    assert sum(told[False]) <= 0.05 * len(told[False])


@pytest.mark.parametrize("language", EVERYDAY)
def test_memories_of_different_things_do_not_contradict_each_other(language: str) -> None:
    texts = {VaultPath(f"{title}.md"): (memory(title), text) for title, text, _ in EVERYDAY[language]["memories"]}
    for path, (new, text) in texts.items():
        others = {other: one for other, one in texts.items() if other != path}
        assert not [one for one in compare_statements(new, text, others) if one.contrary]


def test_an_open_question_contradicts_nothing() -> None:
    question, text = memory("Deploys", "open_question"), "Do we deploy the website on Fridays?"
    (found,) = compare_statements(memory("Days"), "We deploy the website on Tuesdays.", {OTHER: (question, text)})
    assert not found.contrary


def test_case_and_spaces_do_not_make_another_text() -> None:
    assert text_digest("Uses  C++\n") == text_digest("uses c++")
    assert text_digest("Uses C++") != text_digest("Uses C")


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Prefers a window seat", False),
        ("A window seat, preferred!", False),
        ("Prefers an aisle seat", True),
        ("Never prefers a window seat", True),
        ("Prefers a window seat on 2 flights", True),
    ],
)
def test_what_a_text_says_beyond_another(text: str, *, more: bool) -> None:
    assert says_no_more(text, "Prefers a window seat.") is not more
