"""The note of judged questions, as people write tables."""

import pytest

from bridge.notebook.judged_questions import (
    EXAMPLE,
    HEAD,
    JudgedQuestion,
    UnreadableLine,
    read_judged_questions,
)

NO_LINK = "it links no note; in a table, a bar in a link is written `\\|`"


def rows(*lines: str) -> list[JudgedQuestion | UnreadableLine]:
    """Read a note with a table of these rows, of which the first is line 3."""
    return list(read_judged_questions("\n".join([HEAD, *lines])))


def test_the_example_is_read_as_it_is_explained() -> None:
    assert rows(EXAMPLE) == [JudgedQuestion("When are beans sown?", (("Beans",), ("Calendar", "Frost")), 3)]


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ("| q | [[A]] |", (("A",),)),
        ("q | [[A]]", (("A",),)),
        ("|q|[[A]] and [[B]]|", (("A", "B"),)),
        ("| q | [[A]] > [[B]] >> [[C]] |", (("A",), ("B",), ("C",))),
        (r"| q | [[Sub/A.md\|the > one]], ![[B#x > y]] |", (("Sub/A.md", "B#x > y"),)),
        ("| q | [[A]] | [[a remark]] |", (("A",),)),
        ("| q | [[A]] |\r", (("A",),)),
    ],
)
def test_a_row_has_a_question_and_notes(row: str, answers: tuple[tuple[str, ...], ...]) -> None:
    assert rows(row) == [JudgedQuestion("q", answers, 3)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_line_ends_and_a_byte_order_mark_are_read(mark: str, line_end: str) -> None:
    text = mark + f"{HEAD}\n| q | [[A]] |\n| r | [[B]] |\n".replace("\n", line_end)
    found = [one for one in read_judged_questions(text) if isinstance(one, JudgedQuestion)]
    assert [question.answers for question in found] == [(("A",),), (("B",),)]


def test_a_question_may_have_a_bar() -> None:
    assert rows(r"| this \| that | [[A]] |") == [JudgedQuestion("this | that", (("A",),), 3)]


def test_rows_that_cannot_be_read_are_told_by_their_lines() -> None:
    assert rows("| q | A |", "| | [[A]] |", "| | |", "| Q | [[A]] |", "| q | [[B]] |", "| r | [[A|a]] |") == [
        UnreadableLine(3, NO_LINK),
        UnreadableLine(4, "it has no question"),
        JudgedQuestion("Q", (("A",),), 6),
        UnreadableLine(7, "line 6 asks the same"),
        UnreadableLine(8, NO_LINK),
    ]


def test_only_rows_of_tables_count() -> None:
    code = f"```\n{HEAD}\n| in code | [[A]] |\n```"
    text = f"---\ntype: x\n---\nSome | words\n\n{code}\n\n{HEAD}\n| ä | [[A]] |\n\nand\n\n{HEAD}\n| more | [[B]] |"
    assert list(read_judged_questions(text)) == [
        JudgedQuestion("ä", (("A",),), 14),
        JudgedQuestion("more", (("B",),), 20),
    ]
    assert list(read_judged_questions("")) == []
