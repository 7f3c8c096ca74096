"""The line that says what the vault does not answer."""

import pytest

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
