"""The sentences quoted for a question."""

import pytest
from msgspec.structs import replace

from bridge.features.answers.quotes import RankedLines, RelevantNote, choose_quotes, find_nearest, iter_quotable
from bridge.markdown.documents import read_document
from bridge.types import VaultPath

LEVAIN = b"""\
# Levain

A levain is a starter of flour and water. It is fed twice a day.

## Storage

Cold slows it down. In the fridge it keeps for two weeks.
"""
KITCHEN = b"The kitchen was painted green in May. The fridge was bought in 2019.\n"


FILM = b"""\
---
created: 2024-02-03
rating: 7
director:
  - "[[Ridley Scott]]"
seen: 2024-01-07
cast: {lead: Ford}
city: true
score: "null"
---
It rains all the time in that city.
"""


def relevant(path: str, data: bytes, score: float = 0.5, *lines: tuple[int, int]) -> RelevantNote:
    return RelevantNote(read_document(VaultPath(path), data), score, lines)


def quoted(question: str, *notes: RelevantNote, most: int = 3) -> list[str]:
    return [one.sentence.text for one in choose_quotes(question, notes, most)]


def test_the_sentence_that_says_the_words_of_the_question_comes_first() -> None:
    notes = (relevant("Levain.md", LEVAIN), relevant("Kitchen.md", KITCHEN, 0.2))
    assert quoted("How often is the levain fed?", *notes)[0] == "It is fed twice a day."


def test_neither_a_repetition_nor_a_mere_name_is_quoted() -> None:
    said = "Cost per use is a price divided by its uses."
    text = f"# Buying\n\n## Cost per use\n\n{said}\n\n## Sums\n\nUses\n\nCost per use\n\n{said}\n"
    assert quoted("What is cost per use?", relevant("Buying.md", text.encode())) == [said]


def test_a_heading_and_a_neighbour_lend_their_words() -> None:
    found = quoted("How does storage of a levain in the cold work?", relevant("Levain.md", LEVAIN), most=1)
    assert found == ["Cold slows it down."]


def test_a_sentence_has_its_lines_and_its_note() -> None:
    found = choose_quotes("when was the fridge bought", [relevant("Kitchen.md", KITCHEN)], 1)[0]
    assert (found.sentence.path, found.sentence.lines) == ("Kitchen.md", (1, 1))
    assert 0 < found.score <= 1


def test_only_the_relevant_passages_are_quoted() -> None:
    note = relevant("Levain.md", LEVAIN, 0.5, (5, 7))
    assert set(quoted("levain, flour, water, fridge", note)) <= {
        "Cold slows it down.",
        "In the fridge it keeps for two weeks.",
    }


def test_a_second_quote_says_what_the_first_does_not() -> None:
    note = relevant(
        "A.md", b"The crust is dark. The dark crust is thick.\n\n- The oven is hot.\n- Steam makes it shine.\n"
    )
    assert quoted("dark crust with steam", note, most=2)[1] == "Steam makes it shine."


@pytest.mark.parametrize("question", ["", "the of and", "zeppelin"])
def test_nothing_is_quoted_for_what_no_note_says(question: str) -> None:
    assert quoted(question, relevant("Kitchen.md", KITCHEN)) == []


@pytest.mark.parametrize(
    ("question", "said"), [("Iğdır meşhur mu?", "Kayısısı meşhur."), ("Is Ada a glazier?", "Glazier.")]
)
def test_a_short_sentence_is_quoted(question: str, said: str) -> None:
    assert quoted(question, relevant("Ada Iğdır.md", f"{said}\n".encode())) == [said]


def test_text_without_spaces_is_quoted() -> None:
    note = relevant("面包.md", "酵母是面包的灵魂。今天天气很好。\n".encode())
    assert quoted("面包的灵魂是什么？", note, most=1) == ["酵母是面包的灵魂。"]


@pytest.mark.parametrize(
    ("question", "answer", "lines"),
    [
        ("What rating has Blade Runner?", "rating: 7", (3, 3)),
        ("Who is the director of Blade Runner?", "director: Ridley Scott", (4, 5)),
        ("When was Blade Runner?", "seen: 2024-01-07", (6, 6)),
    ],
)
def test_a_property_answers_a_question_about_its_note(question: str, answer: str, lines: tuple[int, int]) -> None:
    (found,) = choose_quotes(question, [relevant("Blade Runner.md", FILM)], 1)
    assert (found.sentence.text, found.sentence.lines) == (answer, lines)


@pytest.mark.parametrize(
    "question",
    [
        "What rating has Dune?",
        "Blade Runner city",
        "When was it made in Blade Runner?",
        "Which score has Blade Runner?",
    ],
)
def test_properties_that_are_not_asked_for_are_not_quoted(question: str) -> None:
    assert not any(":" in text for text in quoted(question, relevant("Blade Runner.md", FILM)))


BOOK = b"""\
---
author: "[[E. M. Forster]]"
start: 1909-11-01
loc: London
---
# The Machine Stops

She was angry.
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who wrote The Machine Stops?", "author: E. M. Forster"),
        ("Wer hat The Machine Stops geschrieben?", "author: E. M. Forster"),
        ("When was The Machine Stops published?", "start: 1909-11-01"),
        ("Where is The Machine Stops set?", "loc: London"),
    ],
)
def test_a_property_of_the_kind_that_is_asked_for_is_quoted(question: str, answer: str) -> None:
    assert quoted(question, relevant("The Machine Stops.md", BOOK), most=1) == [answer]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Kdo je účetní?", "povolání: účetní"),
        ("Who is the accountant?", "job: accountant"),
    ],
)
def test_who_is_asked_for_by_what_a_property_says(question: str, answer: str) -> None:
    note = f"---\n{answer}\n---\nLives in the old mill.\n"
    assert quoted(question, relevant("Ada Quill.md", note.encode()))[0] == answer


def test_a_date_does_not_say_who() -> None:
    note = relevant("Loaf.md", b"---\nfirst_baked: 2019-04-13\n---\nThe first loaf was baked by Anna.\n")
    assert quoted("Who baked the first loaf?", note) == ["The first loaf was baked by Anna."]
    assert quoted("When was the first loaf baked?", note)[0] == "first_baked: 2019-04-13"


def test_a_row_below_a_heading_that_says_the_words_is_quoted() -> None:
    table = b"# Starter\n\nIt bubbles.\n\n## Feeding\n\n| Rhythm | ripe after |\n| --- | --- |\n| overnight | 9 h |\n"
    assert quoted("How often is a starter fed?", relevant("Starter.md", table), most=1) == ["overnight: ripe after 9 h"]


def test_the_line_with_a_name_is_quoted_where_somebody_is_asked_for() -> None:
    note = relevant("Oven.md", b"The oven was built of clay. The oven was built by our neighbour Anna in spring.\n")
    assert quoted("Who built the oven?", note)[0] == "The oven was built by our neighbour Anna in spring."


def test_lines_beside_the_question_are_not_quoted() -> None:
    note = relevant("Rye.md", b"Rye ripens late. It was a wet year. Rye bread keeps for a week.\n")
    assert quoted("How long does rye bread keep?", note) == ["Rye bread keeps for a week."]


def test_of_lines_that_are_read_the_nearest_comes_first() -> None:
    note = relevant("Cold.md", b"Bread ages in the cold. Bread in the fridge turns stale soonest.\n")
    lines = RankedLines("Why does bread age in the cold?", [note.ask("Why does bread age in the cold?")])
    far_first = {text: 0.0 if "ages" in text else 1.0 for text in lines.texts()}
    chosen = lines.choose(2, [far_first[text] for text in lines.texts()])
    assert chosen[0].sentence.text == "Bread in the fridge turns stale soonest."


def test_a_quote_that_ends_with_a_colon_carries_its_list_and_no_item_is_quoted_again() -> None:
    steps = (
        "To feed a starter by hand:\n\n1. Weigh the starter.\n2. Stir in flour for the starter.\n\nThe starter rests.\n"
    )
    found = choose_quotes("How is a starter fed by hand?", [relevant("Starter.md", steps.encode())])
    assert found[0].sentence.text == (
        "To feed a starter by hand: 1. Weigh the starter. 2. Stir in flour for the starter."
    )
    assert found[0].sentence.lines == (1, 4)
    assert len(found) == 1


def test_a_line_of_two_passages_is_quoted_once() -> None:
    lines = b"The starter is fed\ntwice a day.\n"
    found = quoted(
        "How often is the starter fed?", relevant("A.md", lines, 0.5, (1, 1)), relevant("A.md", lines, 0.5, (2, 2))
    )
    assert found == ["The starter is fed twice a day."]


RECIPE = b"""\
---
author: Ada Lee
rating: 7
servings: 8 slices
---
This tart is arranged of nectarine slices on top of a filling.

Making and blind-baking the crust

1. Preheat the oven to 425F.
2. Roll it out into a circle.

## Ingredients

- 4 nectarines or peaches
- 90g sugar
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many nectarines go into the tart?", "4 nectarines or peaches"),
        ("How many servings does the tart make?", "servings: 8 slices"),
        ("At which temperature is the crust of the tart blind-baked?", "Preheat the oven to 425F."),
        ("What are the ingredients of the tart?", "Ingredients: 4 nectarines or peaches; 90g sugar"),
    ],
)
def test_what_is_counted_and_what_stands_above_lead_to_the_line(question: str, first: str) -> None:
    found = quoted(question, relevant("Tart.md", RECIPE))
    assert found[0] == first
    assert "rating: 7" not in found


def test_a_property_that_counts_what_is_asked_for_answers() -> None:
    series = "---\nscore: 9.4\ndesc: 本剧改编自同名小说，共6集。\n---\n主演 66 岁。\n".encode()
    assert quoted("喜鹊谋杀案一共有多少集？", relevant("喜鹊谋杀案.md", series))[0].startswith("desc: ")


def test_of_a_note_a_model_reads_lines_that_say_no_word_of_a_question() -> None:
    note = relevant("Starter.md", b"The starter is fed daily.\n\nThe jar stands in a warm place.\n", 0.9)
    lines = RankedLines("How is it kept alive?", [note.ask("How is it kept alive?")])
    assert lines.choose(3) == []
    nearness = [0.95 if "warm" in text else 0.1 for text in lines.texts()]
    assert [one.sentence.text for one in lines.choose(3, nearness)] == ["The jar stands in a warm place."]


def test_a_field_that_repeats_the_title_is_no_answer() -> None:
    note = relevant("Toad.md", "- 书名：蛤蟆先生\n- 作者：罗伯特·戴博德\n".encode())
    assert quoted("蛤蟆先生的作者是谁？", relevant("蛤蟆先生.md", note.note.text.encode()))[0] == "作者：罗伯特·戴博德"
    album = relevant("Copal.md", b"| Title | Copal |\n|---|---|\n| Label | Threshold Archives |\n\nTitle: Copal\n")
    assert not any(text.startswith("Title") for text in quoted("Which label released Copal?", album))


def test_the_note_whose_title_is_the_question_answers_with_its_first_words() -> None:
    day = relevant("2023-04-01.md", "- [[男性脱发只有2个药物有用]]\n".encode(), 0.9)
    note = relevant("男性脱发只有2个药物有用.md", "非那，米拓".encode(), 0.8)
    assert quoted("男性脱发有哪两个药物有用？", day, note) == ["非那，米拓"]


def test_the_author_of_a_note_is_context_of_its_lines() -> None:
    tools = relevant(
        "Bits.md", b"---\nauthor: Kevin Kelly\n---\n- Start with the cheapest tools.\n- Call your mother.\n"
    )
    assert quoted("Which tools does Kevin Kelly start with?", tools)[0] == "Start with the cheapest tools."


LONG = "so much to do " * 12


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- 知彼篇\n\t- 公司想要什么人\n\t- 面试过程\n", "知彼篇; 公司想要什么人; 面试过程"),
        ("## Setlist\n1. Something\n2. Red Queen\n", "Setlist: 1. Something; 2. Red Queen"),
        (
            "> [!tip] Best three ideas\n> - Read slowly.\n> - Take notes.\n",
            "Best three ideas; Read slowly. Take notes.",
        ),
        (
            "The steps of it are:\n\n" + "".join(f"{at}. Step {at}: {LONG}\n" for at in (1, 2, 3)),
            "The steps of it are: 1. Step 1; 2. Step 2; 3. Step 3",
        ),
    ],
)
def test_what_introduces_a_list_is_quoted_with_it(text: str, said: str) -> None:
    assert said in [one.text for one in iter_quotable(read_document(VaultPath("A.md"), text.encode()))]


GAME = b"""\
---
categories:
  - "[[Games]]"
system: "[[Nintendo Switch]]"
maker: "[[Nintendo]]"
---
"""


def test_the_property_that_is_nearest_in_meaning_is_quoted() -> None:
    note, question = relevant("Breath of the Wild.md", GAME), "Which console is Breath of the Wild played on?"
    asked = note.ask(question)
    near = RankedLines(question, [replace(asked, nearest="system")]).choose(3)
    assert [one.sentence.text for one in near] == ["system: Nintendo Switch"]
    assert RankedLines(question, [asked]).choose(3) == []


@pytest.mark.parametrize(
    ("properties", "lines", "nearest"),
    [
        # As the models measure them.
        ({"system": 0.42, "maker": 0.28}, [], "system"),
        ({"urodziny": 0.56, "miasto": 0.34}, [0.33, 0.3], "urodziny"),
        ({"επάγγελμα": 0.43, "πόλη": 0.32}, [0.425, 0.32], ""),
        ({"nghề": 0.375, "thành phố": 0.378}, [0.335], ""),
        ({"thành phố": 0.45, "nghề": 0.44}, [0.2], ""),
        ({"miasto": 0.53}, [0.6], ""),
        ({}, [0.6], ""),
    ],
)
def test_a_property_is_nearest_only_clearly(properties: dict[str, float], lines: list[float], nearest: str) -> None:
    assert find_nearest(properties, 0.4, lines) == nearest


def test_what_another_property_says_need_not_be_answered() -> None:
    album = b'---\ncategories: "[[Albums]]"\nartist: "[[Paul Chambers]]"\n---\n'
    note = relevant("Bass on Top.md", album)
    assert quoted("Who made the album Bass on Top?", note) == ["artist: Paul Chambers"]


def test_a_list_of_the_note_is_quoted_where_several_things_are_asked_for() -> None:
    text = "# Recession Studios\n\nCoil performed live at Recession Studios.\n\n## Setlist\n\n1. Sicktone\n2. Poisons\n"
    note = relevant("Recession Studios.md", text.encode())
    assert "Setlist: 1. Sicktone; 2. Poisons" in quoted("Which songs were played at Recession Studios?", note)


def test_forms_of_the_words_that_ask_are_not_looked_for() -> None:
    text = "Il pane si chiama levain e non contiene sale. Questo impasto è della nonna, che ne era molto fiera."
    assert quoted("Come si chiamava il levain?", relevant("Pane.md", text.encode()), most=1)[0].startswith("Il pane")


@pytest.mark.parametrize(
    ("question", "is_named"), [("Who paid on 26 May 2002?", True), ("Who paid on 2.4.2002?", False)]
)
def test_a_day_alone_names_the_note_of_it(question: str, is_named: bool) -> None:
    note = relevant("2002-05-26 Dinner at Rosa and Ada.md", b"The bill was paid by Bea.\n")
    assert note.ask(question).is_named is is_named


def test_a_property_answers_by_a_word_like_its_name() -> None:
    note = relevant("The Scam.md", b"---\nAuthor: The plain bagel\n---\nIl guadagno non e mai passivo.\n")
    assert quoted("Chi e l'autore di The Scam?", note)[0] == "Author: The plain bagel"


def test_a_property_that_says_the_day_that_is_asked_about_comes_first() -> None:
    note = relevant("Rye talk.md", b"---\nDate: 22-12-2022\n---\nThe talk on rye says that rye needs more water.\n")
    assert quoted("Was the talk on rye on 22 December 2022?", note)[0] == "Date: 22-12-2022"


def test_a_list_that_begins_a_note_is_quoted_with_its_title() -> None:
    levels = relevant("学习目标的分级.md", "- 了解。20 分。\n- 入门。40 分。\n\n要搞清楚学习目标的分级。\n".encode())
    assert "入门。40 分。" in quoted("学习目标分成哪几个等级？", levels)[0]


def test_a_short_note_is_read_in_the_language_of_the_question() -> None:
    text = "| ciasto | ilość |\n| --- | --- |\n| woda | 250 ml |\n| mąka | 500 g |\n"
    quotes = quoted("Ile mąki potrzeba na pierogi?", relevant("Pierogi ruskie.md", text.encode()))
    assert quotes[0] == "mąka: ilość 500 g"


def test_an_item_that_ends_in_a_semicolon_is_no_question() -> None:
    note = relevant("Gambit.md", b"- The king is castled in the gambit;\n- The rook is near;\n")
    assert not choose_quotes("Where is the king castled?", [note])[0].asks


def test_a_list_whose_last_item_asks_is_no_question() -> None:
    text = "- Betel nuts are like a drug.\n- Why is the betel nut not forbidden?\n"
    other = "Betel nuts grow on palms.\n"
    notes = [relevant("Betel nut.md", text.encode()), relevant("Palm.md", other.encode())]
    found = choose_quotes("What are the harms of betel nuts?", notes)
    assert [one.asks for one in found] == [False, False]
    assert found[0].sentence.path == "Betel nut.md"


def test_a_line_counts_what_the_one_before_says_in_its_own_section() -> None:
    said = "Lost keys turn up at home.\n\nPut them where you looked first.\n\n## Other\n\nPut them elsewhere.\n"
    first, second, *_ = quoted("Where are lost keys at home put?", relevant("Advice.md", said.encode()))
    assert (first, second) == ("Lost keys turn up at home.", "Put them where you looked first.")


def test_a_line_is_quoted_of_which_only_the_title_says_the_words() -> None:
    note = relevant("Night Train.md", b"It was at first known as Seven Miles.\n")
    assert quoted("What was Night Train called before?", note) == ["It was at first known as Seven Miles."]
