"""The note of questions: lines that count, and a note that is otherwise the user's."""

from datetime import date

import pytest

from bridge.features.answers.questions import KeptQuestion, WaitingQuestions, add_questions

DAY, NEXT = date(2026, 1, 31), date(2026, 2, 1)


def asked(text: str, times: int = 1, last: date = DAY, client: str = "", *missing: str) -> KeptQuestion:
    return KeptQuestion(text, times, last, client, missing)


def test_a_question_is_written_and_read_again() -> None:
    one = asked("How heavy is the retarder?", 3, DAY, "cursor", "retarder", "heavy")
    text = add_questions("", [one, asked("面包？")])
    assert text.startswith("---\ntype: questions\n---\n")
    assert (
        "- [ ] `How heavy is the retarder?` · asked 3 times, last 2026-01-31 by cursor · missing: retarder, heavy\n"
        "- [ ] `面包？` · asked 1 time, last 2026-01-31\n"
    ) in text


def test_the_same_question_is_counted_in_its_line() -> None:
    text = add_questions("", [asked("How heavy is it?", 2, DAY, "cursor", "heavy")])
    more = add_questions(text, [asked("how heavy is it", 1, NEXT, "claude"), asked("Why?")])
    assert more.endswith(
        "- [ ] `How heavy is it?` · asked 3 times, last 2026-02-01 by claude\n"
        "- [ ] `Why?` · asked 1 time, last 2026-01-31\n"
    )


def test_what_the_user_wrote_stays_byte_for_byte() -> None:
    before = (
        "My questions\r\n\r\n- [ ] buy flour\r\n- [x] `Why?` · asked 2 times, last 2026-01-01\r\n"
        "- [ ] `Who?` · asked 2 times, last 2026-01-01\r\n\r\nAn end without a line end"
    )
    after = add_questions(before, [asked("Why?"), asked("Who?"), asked("When?")])
    assert after == (
        "My questions\r\n\r\n- [ ] buy flour\r\n- [x] `Why?` · asked 2 times, last 2026-01-01\r\n"
        "- [ ] `Who?` · asked 3 times, last 2026-01-31\r\n- [ ] `When?` · asked 1 time, last 2026-01-31\r\n"
        "\r\nAn end without a line end"
    )
    assert add_questions(before, []) == before


@pytest.mark.parametrize("text", ["a `b` · c\nd [[Note]] #tag <!-- x --> e", "x" * 900, "· missing: y"])
def test_no_question_breaks_its_line(text: str) -> None:
    waiting = WaitingQuestions()
    waiting.add(text, DAY, "a · b", ("w`1", "w,2"))
    (one,) = waiting.take()
    once = add_questions("", [one])
    assert add_questions(once, [one]) == once.replace("asked 1 time,", "asked 2 times,")
    assert "\n" not in one.text
    assert len(one.text) <= 301


def test_secrets_and_too_many_questions_are_not_kept() -> None:
    waiting = WaitingQuestions()
    waiting.add("What is ghp_0123456789abcdefghijklmnopqrstuvwxyz for?", DAY, "", ())
    waiting.add("  ", DAY, "", ())
    assert waiting.take() == []
    for number in range(300):
        waiting.add(f"Question {number}?", DAY, "", ())
    waiting.add("question 7", NEXT, "claude", ())
    taken = waiting.take()
    assert (len(taken), waiting.take()) == (200, [])
    assert next(one for one in taken if one.text == "Question 7?").times == 2


def test_what_could_not_be_written_waits_on() -> None:
    waiting = WaitingQuestions()
    waiting.add("Why?", DAY, "", ())
    taken = waiting.take()
    waiting.add("why", NEXT, "cursor", ())
    waiting.put_back(taken)
    assert waiting.take() == [asked("Why?", 2, NEXT, "cursor")]
