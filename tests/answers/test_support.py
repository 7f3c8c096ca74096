"""Whether cited notes say what an answer says."""

import pytest

from bridge.features.answers.write import Statement, is_supported, split_statements

BREAD = "Rye bread needs a sourdough starter. It keeps for 2 weeks in the fridge. Anna does not like it."


@pytest.mark.parametrize(
    ("answer", "statements"),
    [
        ("Rye needs a starter [1].", [("Rye needs a starter.", (1,))]),
        ("Rye needs a starter. [1] It keeps.[2]", [("Rye needs a starter.", (1,)), ("It keeps.", (2,))]),
        ("One [1][3]. Two.", [("One.", (1, 3)), ("Two.", ())]),
        ("Uncited. Cited [2].", [("Uncited.", ()), ("Cited.", (2,))]),
        ("- First [1]\n- Second [2]\n", [("First", (1,)), ("Second", (2,))]),
        ("酵母是面包的灵魂[1]。没有酵母[2]。", [("酵母是面包的灵魂。", (1,)), ("没有酵母。", (2,))]),
        ("[1]", []),
        ("", []),
    ],
)
def test_an_answer_is_split_into_sentences_with_what_they_cite(
    answer: str, statements: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert split_statements(answer) == [Statement(*one) for one in statements]


@pytest.mark.parametrize(
    "statement",
    [
        "Rye bread needs a starter.",
        "The starter keeps for 2 weeks.",
        "Rye breads keep in fridges for 2 weeks.",
        "Anna does not like the starter.",
    ],
)
def test_what_the_note_says_is_supported(statement: str) -> None:
    assert is_supported(statement, [BREAD])


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("It keeps for 3 weeks in the fridge.", "another number"),
        ("Rye bread does not need a starter.", "negated"),
        ("Anna likes rye bread.", "no longer negated"),
        ("Berta does not like rye bread.", "another name at the beginning"),
        ("Rye bread needs a starter from Vienna.", "another name"),
        ("Wheat was invented by farmers in the valley.", "other words"),
        ("It is so.", "no content"),
    ],
)
def test_what_the_note_does_not_say_is_not(statement: str, why: str) -> None:
    assert not is_supported(statement, [BREAD]), why


@pytest.mark.parametrize(
    ("statement", "supported"),
    [
        ("The bacteria prefer maltose.", True),
        ("The bacteria do not prefer maltose.", False),
        ("Several yeasts cannot touch maltose.", True),
        ("Several yeasts can touch maltose.", False),
        ("The bacteria prefer maltose, which the yeasts cannot touch.", True),
        ("The bacteria prefer maltose, which the yeasts touch.", False),
    ],
)
def test_a_negation_counts_in_its_own_clause(statement: str, supported: bool) -> None:
    said = "They get along: the bacteria prefer maltose, which several of the yeasts cannot touch."
    assert is_supported(statement, [said]) == supported


def test_one_of_several_notes_may_say_each_part() -> None:
    assert is_supported("Rye bread and spelt need a starter.", [BREAD, "Spelt needs a starter, too."])


def test_numbers_are_compared_without_what_groups_thousands() -> None:
    assert is_supported("The town has 12,500 inhabitants.", ["The town has 12500 inhabitants."])


@pytest.mark.parametrize(
    ("statement", "supported"),
    [("酵母是面包的灵魂。", True), ("酵母不是面包的灵魂。", False), ("天气是面包的父亲和母亲。", False)],
)
def test_text_without_spaces_is_compared(statement: str, supported: bool) -> None:
    assert is_supported(statement, ["酵母是面包的灵魂。今天天气很好。"]) == supported


def test_nothing_is_supported_by_no_note() -> None:
    assert not is_supported("Rye bread needs a starter.", [])
