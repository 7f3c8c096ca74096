"""What kind of answer a question asks for."""

import pytest

from bridge.features.answers.question_kind import (
    Kind,
    ask_of_choice,
    can_answer,
    is_of_another_kind,
    kind_of,
    kind_phrases,
)


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
        ("Ilu ludzi używa programu?", "amount"),
        ("Koliko sati spava?", "amount"),
        ("고춧가루는 얼마나 넣나요?", "amount"),
        ("민수의 생일은 언제인가요?", "moment"),
        ("Πότε γεννήθηκε η Ελένη;", "moment"),
        ("Anh Đức sinh ngày nào?", "moment"),
        ("Why is rye sour?", None),
        ("What does rye cost?", "amount"),
        ("Does rye cost more than wheat?", None),
        ("Costa meno il pane di casa o quello del forno?", None),
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


@pytest.mark.parametrize(
    ("question", "text", "can"),
    [
        ("How many episodes does it have?", "rating: 7", False),
        ("How many nectarines does it need?", "4 ripe nectarines and 90g of sugar", True),
        ("Quante rate si pagano?", "Si paga in due rate.", True),
        ("Ilu ludzi go używa?", "Ludzie używają go od lat.", False),
        ("Ilu ludzi go używa?", "Używają go trzy osoby, ludzie w domu.", True),
        ("Koliko sati spava?", "Spava osam (8) sati.", True),
        ("Wie viele Mitarbeiter gibt es?", "Mitarbeiter brauchen ein Konto.", False),
        ("Quanto deve durare la pausa lunga?", "Dopo 4 volte mezz'ora di pausa.", True),
        ("有多少集？", "score: 9.4", False),
        ("一共有多少集？", "9.4 分，共6集", True),
        ("Quanto ho speso per la culla?", "Culla da viaggio: Prezzo 20", False),
        ("Quanto ho speso per la culla?", "Culla: Io (€) 40", True),
        ("How much did the ticket cost?", "It was in 2004.", False),
        ("Quanto costa il biglietto?", "Sono 12 euro.", True),
        ("这个多少钱？", "12元买断", True),
        ("At which temperature is it baked?", "Preheat to 425F/220C.", True),
        ("What temperature has it?", "Bake for 12 minutes.", False),
        ("Che percentuale si detrae?", "Dal 50 al 90%.", True),
        ("How tall was he?", "Born: 1962-02-16", False),
    ],
)
def test_a_number_is_of_what_is_counted_or_has_the_unit_that_is_asked_for(question: str, text: str, can: bool) -> None:
    assert kind_of(question) == "amount"
    assert can_answer("amount", text, question) is can


def test_a_number_below_the_name_of_what_is_counted_counts_it() -> None:
    assert can_answer("amount", "About 99 were made.", "How many copies are there?", "Pressing > Copies")


def test_a_name_in_the_question_is_no_answer() -> None:
    assert not can_answer("person", "They like Anna.", "Who likes Anna?")


def test_how_much_asks_for_no_price_in_korean() -> None:
    assert can_answer("amount", "고춧가루: 200g", "고춧가루는 얼마나 넣나요?")
    assert not can_answer("amount", "고춧가루: 200g", "고춧가루는 얼마인가요?")


def test_a_number_of_months_says_until_when() -> None:
    assert can_answer("moment", "ノートは12ヶ月間保持されます。", "いつまで残りますか？")


def test_a_decade_says_when() -> None:
    assert can_answer("moment", "Ideata negli anni '60.", "Quando?")
    assert not can_answer("moment", "It is fed after 60 minutes.", "When?")


@pytest.mark.parametrize(
    ("question", "kind", "phrases"),
    [
        ("支链氨基酸一桶多少钱？", "amount", ["多少", "多少钱"]),
        ("我给它的评价是几分？", "amount", ["几分"]),
        ("How much does a ticket cost?", "amount", ["how much", "cost"]),
        ("When was it built?", "moment", ["when"]),
    ],
)
def test_how_a_question_asks_for_its_kind(question: str, kind: Kind, phrases: list[str]) -> None:
    assert kind_phrases(kind, question) == phrases


def test_megabytes_are_no_metres() -> None:
    assert not can_answer("amount", "The limit is 5 MB.", "How heavy is the app?")
    assert can_answer("amount", "It weighs 5 kg.", "How heavy is the loaf?")


def test_hours_of_sleep_are_no_count_of_what_stands_before() -> None:
    assert can_answer("amount", "老老实实保证7-9小时睡眠。", "每天睡几个小时最好？")


@pytest.mark.parametrize(
    ("kind", "text", "is_other"),
    [
        ("place", "Ada was born on 16 February 1962.", True),
        ("place", "Ada wurde am 16. Februar 1962 geboren.", True),
        ("place", "Ada was born in Bath in 1962.", False),
        ("place", "It keeps in the fridge for 2 weeks.", False),
        ("person", "The oven was built in May 1912.", True),
        ("person", "The oven was built by Bea in May 1912.", False),
        ("person", "彼特生于1962年", False),
        ("moment", "Ada was born in Bath.", True),
        ("moment", "Ada was born in Bath in 1962.", False),
        ("moment", "It is fed after the first rise.", False),
    ],
)
def test_what_says_only_something_else(kind: Kind, text: str, is_other: bool) -> None:
    assert is_of_another_kind(kind, text, "What of Ada?") is is_other


def test_a_noun_of_german_is_no_name_in_place_of_a_moment() -> None:
    text, question = "Es kommt nach der ersten Gare in den Ofen.", "Wann kommt das Brot in den Ofen?"
    assert not is_of_another_kind("moment", text, question)


@pytest.mark.parametrize(
    ("question", "text", "lacking"),
    [
        ("Which bank gave me the mortgage?", "The spread is what the bank earns on it.", "which bank"),
        ("Which bank gave me the mortgage?", "The mortgage is of the bank Monte Verde.", ""),
        ("Quale banca mi ha dato il mutuo?", "Il mutuo arriva dalla banca dopo la perizia.", "quale banca"),
        ("Which level is it?", "It works at level 2.", ""),
        ("Which bank gave it?", "Monte Verde gave it.", ""),
    ],
)
def test_which_of_some_things_needs_the_name_of_one_beside_it(question: str, text: str, lacking: str) -> None:
    assert ask_of_choice(question, [text]) == lacking


@pytest.mark.parametrize(
    ("question", "kind"),
    [("PDCA 是哪年提出的？", "moment"), ("我是几月几日去的？", "moment"), ("分成哪几个等级？", None)],
)
def test_a_number_of_a_day_is_no_amount(question: str, kind: Kind | None) -> None:
    assert kind_of(question) == kind
