"""Packing excerpts into a budget: never over it, never through a block, the best first."""

import random
import re
from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.search.excerpts import Excerpts, cut_excerpts
from bridge.search.model import Form, ShownPassage
from bridge.search.pack import pack
from bridge.text.budget import estimate_tokens
from bridge.types import VaultPath

WORDS = ["the", "starter", "種", "is", "fed", "каждый", "день", "with", "rye"]
prose = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
lines = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12)
heading = st.tuples(st.integers(1, 6), st.sampled_from(WORDS)).map(lambda one: f"{'#' * one[0]} {one[1]}")
fence = lines.map(lambda rows: "```\n" + "\n".join(rows) + "\n```")
table = lines.map(lambda rows: "| a | b |\n| - | - |\n" + "\n".join(f"| {row} | x |" for row in rows))
item = lines.map(lambda rows: "- " + "\n  - ".join(rows))
texts = st.lists(st.one_of(prose, heading, fence, table, item), max_size=12).map("\n\n".join)


@st.composite
def notes(draw: st.DrawFn, number: int) -> tuple[Note, Excerpts]:
    note = parse(VaultPath(f"Note {number}.md"), draw(texts).encode())
    last = note.text.count("\n") + 1
    places = draw(st.lists(st.tuples(st.integers(1, last), st.integers(0, 9)), max_size=4))
    rows = note.text.split("\n")
    shown = [
        ShownPassage("", (first, min(last, first + more)), "\n".join(rows[first - 1 : first + more]).strip("\n"))
        for first, more in places
    ]
    score = draw(st.floats(0, 1))
    return note, cut_excerpts(note, score, [one for one in shown if one.text.strip()])


@st.composite
def ranked(draw: st.DrawFn) -> list[tuple[Note, Excerpts]]:
    found = [draw(notes(number)) for number in range(draw(st.integers(0, 6)))]
    return sorted(found, key=lambda one: -one[1].score)


def test_code_of_diagrams_is_shown_only_to_who_asks_for_it() -> None:
    text = "# Band\n\nThey moved.\n\n```mermaid\ntimeline\n  1983 : start\n```\n\n```python\nmoved()\n```\n\nThe end.\n"
    note = parse(VaultPath("Band.md"), text.encode())
    shown = [ShownPassage("", (1, 13), text), ShownPassage("", (5, 8), "```mermaid")]
    found = cut_excerpts(note, 1.0, shown, "where did the band move")
    assert found.note is not None
    assert found.note.text == "# Band\n\nThey moved.\n\n```python\nmoved()\n```\n\nThe end."
    assert not any("mermaid" in one.text for one in found.passages)
    for query in ("", "the diagram of the band"):
        asked = cut_excerpts(note, 1.0, shown, query)
        assert asked.note is not None
        assert "mermaid" in asked.note.text


def random_excerpt(chance: random.Random, form: Form) -> ShownPassage | None:
    first = chance.randrange(1, 90)
    text = " ".join(chance.choices(WORDS, k=chance.choice((0, 1, 9, 60, 150))))
    return ShownPassage("", (first, first + chance.randrange(9)), text, form) if text else None


def random_excerpts(chance: random.Random) -> Excerpts:
    passages = [random_excerpt(chance, "passage") for _ in range(chance.randrange(5))]
    return Excerpts(
        VaultPath(f"{chance.choice(WORDS)} {chance.random()}.md"),
        chance.random(),
        random_excerpt(chance, "note"),
        random_excerpt(chance, "section"),
        tuple(one for one in passages if one),
        random_excerpt(chance, "outline"),
    )


def test_the_budget_is_never_exceeded() -> None:
    chance = random.Random(0)
    for _ in range(10_000):
        notes = [random_excerpts(chance) for _ in range(chance.choice((0, 1, 2, 5, 20)))]
        budget = chance.choice((0, 5, 100, 300, 1_200, 6_000))
        packed = pack(sorted(notes, key=lambda one: -one.score), budget)
        assert packed.tokens == estimate_tokens(packed.text) <= budget
        assert packed.text == "\n\n".join(item.text for item in packed.items)
        assert {item.path for item in packed.items}.isdisjoint(one.path for one in packed.left_out)


@settings(max_examples=60, deadline=None)
@given(ranked(), st.integers(0, 1_500))
def test_no_block_is_cut(found: list[tuple[Note, Excerpts]], budget: int) -> None:
    packed = pack([excerpts for _, excerpts in found], budget)
    by_path = {note.path: note for note, _ in found}
    for item in packed.items:
        note = by_path[item.path]
        if item.excerpt.form != "outline":
            assert item.excerpt.text in note.text
            assert_whole_blocks(note, item.excerpt)


def assert_whole_blocks(note: Note, excerpt: ShownPassage) -> None:
    """Each fence, table and list item is in the lines of an excerpt or outside them."""
    first, last = excerpt.lines
    for piece in note.pieces:
        if piece.kind in {"fence", "table", "list_item"}:
            assert (
                piece.lines[1] < first or piece.lines[0] > last or (first <= piece.lines[0] and piece.lines[1] <= last)
            )


def test_with_room_for_everything_nothing_is_left_out_and_no_line_is_shown_twice() -> None:
    chance = random.Random(1)
    for _ in range(300):
        text = "\n\n".join(chance.choices(["# Rye", "## Oven", "It rises.", "- one\n- two", "```\na\n\nb\n```"], k=9))
        places = [(first, first + chance.randrange(4)) for first in chance.sample(range(1, 9), 4)]
        found = [note_of(f"{number}.md", text, 1 - number / 5, *places) for number in range(3)]
        packed = pack(found, 1_000_000)
        assert not packed.left_out
        for note in found:
            shown = sorted(item.excerpt.lines for item in packed.items if item.path == note.path)
            assert shown
            assert all(one[1] < other[0] for one, other in pairwise(shown))


def note_of(path: str, text: str, score: float, *passages: tuple[int, int]) -> Excerpts:
    note = parse(VaultPath(path), text.encode())
    rows = text.split("\n")
    shown = [ShownPassage("", one, "\n".join(rows[one[0] - 1 : one[1]])) for one in passages]
    return cut_excerpts(note, score, shown)


LONG = "# Rye\n\n" + "".join(f"## Part {part}\n\n{'It rises. ' * 40}\n\n" for part in range(9))


def test_the_worse_a_note_the_less_of_it_is_shown() -> None:
    short = note_of("Short.md", "# Short\n\nOne line.\n", 1.0, (1, 3))
    close = note_of("Close.md", LONG, 0.95, (7, 9), (15, 17))
    fair = note_of("Fair.md", LONG, 0.75, (7, 9), (15, 17))
    weak = note_of("Weak.md", LONG, 0.4, (3, 5))
    none = note_of("None.md", "# None\n\nNo.\n", 0.1, (1, 3))
    packed = pack([short, close, fair, weak, none], 400)
    forms = [(item.path, item.excerpt.form) for item in packed.items]
    assert forms == [
        ("Short.md", "note"),
        ("Close.md", "section"),
        ("Fair.md", "passage"),
        ("Fair.md", "passage"),
        ("Weak.md", "outline"),
    ]
    assert packed.items[1].excerpt.heading == "Rye > Part 1"
    assert re.match(
        r"\[1\] Short\.md:1-3 · Short\n# Short\n\nOne line\.\n\n\[2\] Close\.md:7-9 · Rye > Part 1\n", packed.text
    )


def test_room_that_is_left_is_used_for_text() -> None:
    fair = note_of("Fair.md", LONG, 1.0, (7, 9), (15, 17))
    weak = note_of("Weak.md", LONG, 0.4, (3, 5))
    packed = pack([fair, weak], 1_200)
    assert [item.excerpt.form for item in packed.items][-1] == "passage"


def test_a_budget_too_small_for_text_gets_the_headings() -> None:
    one = note_of("Rye.md", "# Rye\n\n" + "It rises. " * 100, 1.0, (1, 3))
    packed = pack([one], 20)
    assert [item.excerpt.form for item in packed.items] == ["outline"]
    assert pack([one], 3).left_out[0].path == "Rye.md"


def test_a_long_paragraph_is_shown_by_the_sentences_that_were_found() -> None:
    text = "It rises. " * 300
    note = parse(VaultPath("Long.md"), text.encode())
    found = cut_excerpts(note, 1.0, [ShownPassage("", (1, 1), "It rises. " * 20)])
    assert [item.excerpt.text for item in pack([found], 100).items] == ["It rises. " * 20]


def test_no_note_takes_all_while_others_wait() -> None:
    every = [(5 + 4 * part, 5 + 4 * part) for part in range(9)]
    best = note_of("Best.md", LONG, 1.0, *every)
    others = [note_of(f"Other {at}.md", "Heard. " * 20, 0.6, (1, 1)) for at in range(3)]
    tokens = Counter[str]()
    for item in pack([best, *others], 1_000).items:
        assert item.excerpt.form in {"section", "passage"}
        tokens[item.path] += estimate_tokens(item.text)
    assert set(tokens) == {"Best.md", *(note.path for note in others)}
    # What the others leave is the best one's, and one alone gets everything.
    assert 500 < tokens["Best.md"] < sum(tokens.values()) - 100
    assert pack([best], 1_000).tokens > 800
