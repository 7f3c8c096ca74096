"""What kind of answer a question asks for."""

import pytest

from bridge.features.answers.question_kind import Kind, can_answer, kind_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was it built?", "moment"),
        ("Seit wann steht das Haus?", "moment"),
        ("किस वर्ष में बना?", "moment"),
        ("How old is the oven?", "amount"),
        ("Quanti mesi spettano alla mamma?", "amount"),
        ("馒头要蒸多久？", "amount"),
        ("Who wrote it?", "person"),
        ("Кто написал?", "person"),
        ("导演是谁？", "person"),
        ("Where does it live?", "place"),
        ("Why is rye sour?", None),
        ("Was ist ein Sauerteig?", None),
    ],
)
def test_its_words_tell(question: str, kind: Kind | None) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("kind", "text", "can"),
    [
        ("moment", "It opened in 1912.", True),
        ("moment", "It opened late.", False),
        ("amount", "It takes two hours.", True),
        ("amount", "It takes a while.", False),
        ("person", "It was built by Anna.", True),
        ("person", "She was angry.", False),
        ("person", "彼特·道格特", True),
        ("person", ": 2019-04-13", False),
    ],
)
def test_what_may_answer(kind: Kind, text: str, can: bool) -> None:
    assert can_answer(kind, text, "Who or what?") is can


def test_a_name_in_the_question_is_no_answer() -> None:
    assert not can_answer("person", "They like Anna.", "Who likes Anna?")
