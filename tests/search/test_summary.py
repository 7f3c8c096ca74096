"""A summary says each thing once, and nothing that is cut open."""

import pytest

from bridge.markdown.parse import parse
from bridge.search.summary import choose_sentences_of
from bridge.types import VaultPath

PLAIN = "The induction begins at one and ends where the bound is reached."


def sentences(*texts: str) -> list[str]:
    notes = [parse(VaultPath(f"{at}.md"), text.encode()) for at, text in enumerate(texts)]
    return [one.text for one in choose_sentences_of(notes, 10)]


@pytest.mark.parametrize(
    "cut",
    [
        "The sum is $$ \\begin{align} a &= b, and nothing closes it in this paragraph.",
        "Seen on <% tp.date.now() %> in the garden behind the house.",
        "This is the note {{title}} of the day that it names.",
        "The root $\\frac{1}{2} is never reached by the row of numbers.",
        "- Searched 3 times, read 1,204 notes, changed 1 note.",
    ],
)
def test_what_is_cut_open_or_a_template_is_left_out(cut: str) -> None:
    assert sentences(f"{cut}\n\n{PLAIN}\n") == [PLAIN]


def test_what_is_whole_stays() -> None:
    for whole in (
        "The bound is $$ a_{n} = 1 $$ above three, and costs $5 at most.",
        "The sum is $$ \\begin{align} a &= b. And c &= d \\\\ \\end{align} $$ as was to be shown.",
        "The root $\\frac{1. And 2}$ is never reached by the row.",
    ):
        assert sentences(f"{whole}\n") == [whole]
    assert sentences("We call `open(path. Then` the file is read.\n") == ["We call open(path. Then the file is read."]


def test_a_sentence_of_several_notes_is_said_once() -> None:
    assert sentences(f"{PLAIN}\n\n{PLAIN}\n", PLAIN.upper(), "Another sentence stands here.") == [
        PLAIN,
        "Another sentence stands here.",
    ]
