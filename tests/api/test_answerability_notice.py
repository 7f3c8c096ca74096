"""The line that says what the vault does not answer."""

import pytest

from bridge.features.answers.question_kind import name_asked
from bridge.features.answers.questions import answerability_notice
from bridge.search.answerability import Answerability, Verdict


@pytest.mark.parametrize(
    ("verdict", "missing", "line"),
    [
        ("answered", ["tapir"], None),
        ("partial", ["tapir", "zebra"], "The best notes do not say “tapir”, “zebra”."),
        ("partial", [], None),
        ("unsure", ["tapir"], "The best notes do not say “tapir”."),
        ("unsure", ["tapir", "zebra"], None),
        ("unsure", [], None),
        ("not_in_vault", [], "Not in the vault, as far as can be told: the closest is *Zoo*."),
    ],
)
def test_the_line(verdict: Verdict, missing: list[str], line: str | None) -> None:
    assert answerability_notice(Answerability(verdict, 0.3, tuple(missing)), "Zoo") == line


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        (["which city"], "The quoted lines name no city."),
        (["which city", "born"], "The quoted lines name no city and do not say “born”."),
        (["born"], "The quoted lines do not say “born”."),
    ],
)
def test_what_a_question_asks_for_is_told_by_its_name(missing: list[str], line: str) -> None:
    judged = Answerability("partial", 0.3, tuple(missing))
    things = name_asked("In which city was Ada Quill born?")
    assert answerability_notice(judged, "Zoo", "quoted lines", things) == line


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Quanto costa?", {"costa": "price", "quanto": "number"}),
        ("PDCA 是哪一年提出的？", {"哪一年": "year"}),
        ("Wer schrieb das?", {"wer": "person"}),
        ("In welcher Stadt?", {"welcher stadt": "city"}),
        ("Why?", {}),
    ],
)
def test_how_a_question_asks_tells_for_what(question: str, things: dict[str, str]) -> None:
    assert name_asked(question) == things
