"""The sentences of notes."""

import pytest

from bridge.markdown.documents import read_document
from bridge.search.content import read_content
from bridge.search.sentences import iter_asides, iter_sentences, join_introduced, widen
from bridge.types import VaultPath


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He met J.G. Thirlwell there. Then he left town.", ["He met J.G. Thirlwell there.", "Then he left town."]),
        ("It burns like [St. Anthony’s Fire](https://example.org/a) does.", ["It burns like St. Anthony’s Fire does."]),
        ("Lies [Wie geht das? Ein Anfang](https://a.b/c) zuerst.", ["Lies Wie geht das? Ein Anfang zuerst."]),
        ("读过 [《如何上手笔记法？》文章](https://a.b/c) 的人。", ["读过 《如何上手笔记法？》文章 的人。"]),
        ("See [[Songs/J.G. Thirlwell|him. Or her]] for more.", ["See him. Or her for more."]),
        ("Dr. Who bakes bread. It rises well.", ["Dr. Who bakes bread.", "It rises well."]),
        ("It was made in 1985. It was lost in 1999.", ["It was made in 1985.", "It was lost in 1999."]),
        ("It rained all day. Mrs. Smith lives here.", ["It rained all day.", "Mrs. Smith lives here."]),
        ("Oggi no. Il dott. Bianchi abita qui.", ["Oggi no.", "Il dott. Bianchi abita qui."]),
        ("Там живёт проф. Иванов на ул. Мира. Он дома.", ["Там живёт проф. Иванов на ул. Мира.", "Он дома."]),
        ("It was played on Oct. 13th, 2002. It was loud.", ["It was played on Oct. 13th, 2002.", "It was loud."]),
        (
            "Am 13. Oktober war es laut. Im 19. Jahrhundert nicht.",
            ["Am 13. Oktober war es laut.", "Im 19. Jahrhundert nicht."],
        ),
        ("Vedi un componente (es. React). Poi il Nr. 5 qui.", ["Vedi un componente (es. React).", "Poi il Nr. 5 qui."]),
        ("Es kam ca. am 3. Okt. 2003 an. Gut so.", ["Es kam ca. am 3. Okt. 2003 an.", "Gut so."]),
        ("Il est né le 5 janv. 1950 à Lyon. Il vécut là.", ["Il est né le 5 janv. 1950 à Lyon.", "Il vécut là."]),
        ("Он родился 5 янв. 1950 г. в Москве. Он жил там.", ["Он родился 5 янв. 1950 г. в Москве.", "Он жил там."]),
        ("वह घर गया। वह सो गया था।", ["वह घर गया।", "वह सो गया था।"]),
        ("he went home. " * 30, [" ".join(["he went home."] * 22), " ".join(["he went home."] * 8)]),
        ("酵母是面包的灵魂。今天天气很好。", ["酵母是面包的灵魂。", "今天天气很好。"]),
        ("Freeze it in slices. ^not-the-fridge", ["Freeze it in slices."]),
        ("It floats ^float-test\nor it sinks.", ["It floats or it sinks."]),
    ],
)
def test_sentences_end_where_a_reader_sees_their_end(text: str, sentences: list[str]) -> None:
    note = read_document(VaultPath("A.md"), f"{text}\n".encode())
    assert [one.text for one in iter_sentences(note)] == sentences


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("| item | price |\n|---|---|\n| apples | 3 EUR |\n| [[Pear\\|pears]] | |\n", ["apples: price 3 EUR"]),
        ("| | |\n|---|---|\n| __Release date:__ | 1996-10-01 |\n", ["Release date: 1996-10-01"]),
        ("rating | year\n--|--\n7 | 1982\n", ["rating 7, year 1982"]),
        ("| | |\n|-|-|\n| Born | null |\n| Died | - |\n| Home | Rome |\n", ["Home: Rome"]),
        ("One of[^1]\n\n[^1]: Children travel free.\n", ["Children travel free."]),
        ("> [!infobox]\n> | item | price |\n> |---|---|\n> | pears | 4 EUR |\n> Said.\n", ["pears: price 4 EUR"]),
    ],
)
def test_a_row_says_what_its_header_calls_each_cell_and_a_footnote_what_it_says(table: str, rows: list[str]) -> None:
    note = read_document(VaultPath("A.md"), f"# Prices\n\n{table}".encode())
    found = list(iter_asides(note))
    assert [one.text for one in found] == rows
    lines = f"# Prices\n\n{table}".split("\n")
    assert all(one.text.split()[-1] in lines[one.lines[0] - 1] for one in found)


@pytest.mark.parametrize("unit", ["https://a.b/", "#tag", "[", "![", "[^", "[a](", "==a ", "> [!note]\n"])
def test_what_runs_on_without_end_is_read_in_time(unit: str) -> None:
    text = f"{unit * 20_000} x\n\nBread rises slowly in the cold.\n"
    said = [one.text for one in read_content(read_document(VaultPath("a.md"), text.encode()))]
    assert said[-1] == "Bread rises slowly in the cold."


def test_a_text_without_a_stop_is_cut_into_pieces_that_say_it_all() -> None:
    words = [f"word{number}" for number in range(3_000)]
    note = read_document(VaultPath("a.md"), f"{' '.join(words)}\n\n{'x_' * 9_000} y z\n".encode())
    said = [one.text for one in iter_sentences(note)]
    assert max(map(len, said)) <= 2_000
    assert " ".join(said).split()[:3_000] == words


def test_only_what_stands_near_some_lines_is_read() -> None:
    text = "".join(f"This is sentence number {word}.\n\n" for word in ("one", "two", "three", "four", "five"))
    note = read_document(VaultPath("A.md"), text.encode())
    found = [one.text for one in iter_sentences(note, [(3, 3)])]
    assert found == [f"This is sentence number {word}." for word in ("one", "two", "three")]


def test_a_table_or_a_heading_in_a_callout_is_no_sentence() -> None:
    text = "> [!infobox]\n> # The name of an elf\n> | Attribute | Value |\n> |---|---|\n> | Race | Wood elf |\n>\n"
    note = read_document(VaultPath("A.md"), f"{text}> She lives in the woods.\n".encode())
    assert [(one.text, one.lines) for one in iter_sentences(note)] == [("She lives in the woods.", (7, 7))]


def join(text: str, chars: int = 400, *, code: bool = True) -> list[tuple[str, tuple[int, int]]]:
    note = read_document(VaultPath("A.md"), text.encode())
    return [(one.text, one.lines) for one in join_introduced(note, iter_sentences(note), chars, code=code)]


@pytest.mark.parametrize(
    ("below", "said", "last"),
    [
        ("1. Open the lid.\n2. Stir\n3. Wait\n", "1. Open the lid. 2. Stir; 3. Wait", 5),
        ("- flour\n- water[^1]\n\t- warm water\n\nIt rises well now.\n", "flour; water; warm water", 5),
        ("```sh\nknead --slowly\nbake\n```\n", "`knead --slowly bake`", 6),
        ("$$\nw = 0.7 f\n$$\n", "$$ w = 0.7 f $$", 5),
        ("| flour | water |\n|---|---|\n| rye | 80 % |\n| spelt | 65 % |\n", "rye: water 80 %; spelt: water 65 %", 6),
        ("> Patience. And flour.\n\nNot this one.\n", "Patience. And flour.", 3),
        ("On a cold day:\n\n- Wait longer.\n", "On a cold day: Wait longer.", 5),
    ],
)
def test_a_colon_brings_what_it_introduces_with_its_lines(below: str, said: str, last: int) -> None:
    assert join(f"The steps to bread are:\n\n{below}")[0] == (f"The steps to bread are: {said}", (1, last))


def test_an_item_introduces_only_what_stands_below_it() -> None:
    found = join("- The flours are these:\n\t- rye flour\n\t- spelt flour\n- The oven is hot.\n")
    assert found[0] == ("The flours are these: rye flour; spelt flour", (1, 3))


def test_what_a_colon_introduces_is_bounded_and_its_lines_with_it() -> None:
    items = "".join(f"- The step number {number} of this bread.\n" for number in range(1, 30))
    (text, lines), *_ = join(f"The steps to bread are:\n{items}", 100)
    assert text == "The steps to bread are: The step number 1 of this bread. The step number 2 of this bread. …"
    assert lines == (1, 3)
    (text, lines), *_ = join(f"The steps to bread are:\n\n{'On and on ' * 30}.\n", 100)
    assert (len(text) < 120, text.endswith("…"), lines) == (True, True, (1, 3))


@pytest.mark.parametrize("below", ["", "# Bread\n\n- rye\n", "\n\n\n- rye\n", "```mermaid\ngraph TD\n```\n"])
def test_a_colon_brings_nothing_where_nothing_stands_below_it(below: str) -> None:
    assert join(f"The steps to bread are:\n\n{below}")[0] == ("The steps to bread are:", (1, 1))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "$$w = 0.7 f + 3 s$$\nThe dough is wet. It is $$w + 1$$ heavy.",
            ["The dough is wet.", "It is $$w + 1$$ heavy."],
        ),
        (
            "The weight is this:\n$$w = f + s$$\nThe dough is wet.",
            ["The weight is this: $$w = f + s$$", "The dough is wet."],
        ),
        ("$$ \\begin{matrix}a & b\n\n\\end{matrix}=ad-bc$$", []),
        ("up:: [[Map of Bread]]\nBread is fed twice.", ["up:: Map of Bread", "Bread is fed twice."]),
        ("--- Insert the footnotes here ---", []),
        (
            "> Hide the title:\n> ```css\n> .a { color: red }\n> ```\n> Or show it below.",
            ["Hide the title: .a { color: red }", "Or show it below."],
        ),
        ("> ```md\n> > [!note] Lorem ipsum dolor\n> ```", []),
    ],
)
def test_a_formula_a_field_and_code_are_no_part_of_the_prose_beside_them(text: str, sentences: list[str]) -> None:
    note = read_document(VaultPath("A.md"), f"{text}\n".encode())
    assert [one.text for one in iter_sentences(note)] == sentences


@pytest.mark.parametrize(
    ("text", "said", "wide", "lines"),
    [
        ("If you lost it, look at home.\nPut it back there. Rye is late.", "Put it back there.", None, (1, 2)),
        ("- github and pages\n  - It has no limits. I use this one now.\n- A server at home", "I use this one now.",
         "github and pages It has no limits. I use this one now.", (1, 2)),
        ("酵母是面包的灵魂。今天天气很好。", "今天天气很好。", None, (1, 1)),
        (f"The oven is hot. {'Rye and oats ' * 30}. Bake it now.", "Bake it now.", "Bake it now.", (1, 1)),
    ],
)  # fmt: skip
def test_a_sentence_is_widened_by_those_beside_it(
    text: str, said: str, wide: str | None, lines: tuple[int, int]
) -> None:
    note = read_document(VaultPath("A.md"), f"{text}\n\nAnother paragraph of it.\n".encode())
    [one] = [one for one in iter_sentences(note) if one.text == said]
    found = widen(note, one, 300)
    assert (found.text, found.lines) == (wide or text.replace("\n", " "), lines)
