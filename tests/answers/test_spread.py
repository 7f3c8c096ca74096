"""Excerpts that are spread over long notes, and the prompt of a summary."""

import pytest

from bridge.features.answers.prompt import summary_grammar, write_summary_prompt
from bridge.features.summaries.write import spread_excerpts
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.text.budget import estimate_tokens, share_room
from bridge.types import VaultPath

LINE = "Rye bread rises slowly in a cold kitchen. "


def note(text: str, path: str = "A.md") -> Note:
    return read_document(VaultPath(path), text.encode())


@pytest.mark.parametrize(
    ("sizes", "room", "shares"),
    [([], 10, []), ([3, 4], 10, [3, 4]), ([10, 1, 10], 11, [5, 1, 5]), ([9, 9], 0, [0, 0])],
)
def test_small_ones_get_what_they_need(sizes: list[int], room: int, shares: list[int]) -> None:
    assert share_room(sizes, room) == shares


def test_a_short_note_is_read_whole_without_headings_and_code() -> None:
    found = spread_excerpts([note(f"# One\n\n{LINE}\n\n- an item\n\n## Two\n\n```\ncode\n```\n\nMore.\n")], 1_000)
    assert [(one.number, one.heading, one.text) for one in found] == [
        (1, "One", f"{LINE.strip()}\n\n- an item"),
        (2, "One > Two", "More."),
    ]


def test_each_section_of_a_long_note_is_read_from_its_beginning() -> None:
    text = "".join(f"## Part {number}\n\nIt begins {number}.\n\n{LINE * 40}\n\n" for number in range(9))
    found = spread_excerpts([note(text), note("Short.", "B.md")], 600)
    assert [one.path for one in found].count(VaultPath("B.md")) == 1
    assert [one.text[:12] for one in found[:9]] == [f"It begins {number}." for number in range(9)]
    assert sum(estimate_tokens(one.text) for one in found) <= 600


def test_of_too_many_sections_some_are_read_and_of_one_long_paragraph_its_first_words() -> None:
    many = "".join(f"## Part {number}\n\n{LINE}\n\n" for number in range(100))
    found = spread_excerpts([note(many)], 400)
    assert len(found) == 10
    assert found[-1].heading == "Part 90"
    (one,) = spread_excerpts([note(LINE * 500)], 100)
    assert 80 <= estimate_tokens(one.text) <= 100
    assert one.text.startswith(LINE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The starter is fed twice a day, and it is kept in the fridge.", "at most 3 short sentences"),
        ("Der Sauerteig wird gefüttert und das ist nicht alles, was er braucht.", "höchstens 3 kurzen Sätzen"),
        ("酵母是面包的灵魂。今天天气很好。", "最多 3 句"),
        ("酵母はパンの魂です。", "最大 3 つの短い文"),
        ("Ржаному хлебу нужна закваска.", "не более чем в 3 коротких"),
    ],
)
def test_a_summary_is_asked_for_in_the_language_of_the_notes(text: str, told: str) -> None:
    rules, excerpts = write_summary_prompt(spread_excerpts([note(text)], 500), 3, "the fridge")
    assert told in rules.content
    assert "the fridge" in rules.content
    assert excerpts.content == f"[1] A.md\n{text}"


def test_the_grammar_allows_so_many_sentences_and_the_given_numbers() -> None:
    assert summary_grammar([1, 4], 3).startswith("root ::= sentence{1,3}\n")
    assert 'number ::= "1" | "4"\n' in summary_grammar([1, 4], 3)
