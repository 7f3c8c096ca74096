import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.index.boilerplate import LONGEST_LINE, Boilerplate
from tests.index.made import sentence


def test_a_line_in_many_notes_is_boilerplate() -> None:
    learnt = Boilerplate.learn([f"<< [[2024-01-{n:02}]] | Today >>\n{sentence(n, 8)}" for n in range(1, 31)])
    assert "<< [[2025-12-24]] | Today >>" in learnt
    assert sentence(3, 8) not in learnt


def test_a_line_said_often_in_one_note_is_none() -> None:
    assert "again and again" not in Boilerplate.learn(["again and again\n" * 100, *[sentence(n, 5) for n in range(50)]])


def test_a_small_vault_keeps_what_it_repeats() -> None:
    assert "- [ ] TODO write this" not in Boilerplate.learn(["- [ ] TODO write this\n"] * 7)


def test_a_large_vault_keeps_what_few_notes_share() -> None:
    notes = [f"{sentence(n, 5)}\n" + ("Shared by some\n" if n < 20 else "") for n in range(1000)]
    assert "Shared by some" not in Boilerplate.learn(notes)


def test_the_frontmatter_is_not_learnt() -> None:
    assert "status: draft" not in Boilerplate.learn(["---\nstatus: draft\n---\ntext\n"] * 40)


def test_a_line_too_long_for_a_passage_is_none() -> None:
    longest = "w" * LONGEST_LINE
    learnt = Boilerplate.learn([f"{longest}\n{longest}w\nlast"] * 8)
    assert longest in learnt
    assert "last" in learnt
    assert f"{longest}w" not in learnt
    assert learnt.among([f"{longest}\n"] * 8).recurring < learnt.recurring


def test_markers_and_numbers_do_not_tell_lines_apart() -> None:
    learnt = Boilerplate.learn([f"## Week {n} review\n" for n in range(20)])
    assert "- Week 7  REVIEW" in learnt
    assert "1" not in learnt


@given(st.lists(st.text(st.sampled_from("aB1 #>-*[]x\u00df\u0130\n\t"), max_size=30), min_size=1, max_size=5))
def test_what_was_learnt_holds_the_same_lines_after_a_restart(texts: list[str]) -> None:
    learnt = Boilerplate.learn(texts * 8)
    again = Boilerplate.loads(learnt.dumps())
    lines = [line for text in texts for each in text.split("\n") for line in (each, f"- {each}", each.upper())]
    assert [line in learnt for line in lines] == [line in again for line in lines]


def test_nothing_is_known_before_learning() -> None:
    assert Boilerplate.empty().version == 0
    assert "anything" not in Boilerplate.empty()


@given(st.lists(st.text(), max_size=30), st.integers(1, 9))
def test_what_was_learnt_can_be_written_down(texts: list[str], version: int) -> None:
    learnt = Boilerplate.learn([*texts, *["same line"] * 20], version)
    assert Boilerplate.loads(learnt.dumps()) == learnt


@pytest.mark.parametrize("data", ["", "[]", "{}", '{"version": 1}', '{"version": "x", "recurring": []}', "rubbish"])
def test_something_else_is_refused(data: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - JSON has a message of its own
        Boilerplate.loads(data)
