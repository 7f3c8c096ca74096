"""The forms by which a vault names a note are found, each with its reason."""

import pytest

from bridge.features.entities.aliases import AliasSuggestion, acronyms_of, find_alias_forms
from bridge.types import VaultPath

A, B, C = VaultPath("A.md"), VaultPath("B.md"), VaultPath("C.md")
TITLE = "National Bread Week"


def test_forms_come_with_their_reasons_and_the_most_used_first() -> None:
    found = find_alias_forms(
        TITLE,
        [("the bread week", A), ("bread week", B), ("Bread week", C), ("bread week", A), ("here", A)],
        [("bread week", B)],
        {A: f"{TITLE} (NBW) is near. NBW!", B: "NBW alone says nothing.", C: f"{TITLE.lower()} (see below)"},
        {"national bread week"},
    )
    assert found == [
        AliasSuggestion("bread week", ("link text", "accepted"), 3, (B, C, A)),
        AliasSuggestion("NBW", ("acronym", "in parentheses"), 1, (A,)),
        AliasSuggestion("the bread week", ("link text",), 1, (A,)),
    ]


def test_names_stand_on_either_side_of_parentheses_also_beside_links() -> None:
    texts = {A: "Roggen ([[Rye]]) and [[Rye]] (Secale cereale), but rye (of course) and Rye (2024).", B: "Rye（黑麦）"}
    found = find_alias_forms("Rye", [], [], texts, {"rye"})
    assert {one.form: one.examples for one in found} == {"Roggen": (A,), "Secale cereale": (A,), "黑麦": (B,)}


def test_names_of_other_notes_and_parts_of_sentences_are_left_out() -> None:
    shown = [("Spelt", A), ("a text that is much too long to be the name of anything", A), ("123", A), ("[x]", A)]
    assert find_alias_forms("Rye", shown, [], {}, {"rye", "spelt"}) == []


@pytest.mark.parametrize(
    ("title", "acronyms"),
    [("Getting Things Done", ("GTD",)), ("Department of Health", ("DH", "DOH")), ("Rye", ()), ("", ())],
)
def test_acronyms_are_made_with_and_without_small_words(title: str, acronyms: tuple[str, ...]) -> None:
    assert acronyms_of(title) == acronyms
