"""The sentences of notes."""

import pytest

from bridge.markdown.documents import read_document
from bridge.search.sentences import iter_asides, iter_sentences
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
        ("Oggi no. Il dott. Bianchi abita qui.", ["Il dott. Bianchi abita qui."]),
        ("Там живёт проф. Иванов на ул. Мира. Он дома.", ["Там живёт проф. Иванов на ул. Мира."]),
        ("It was played on Oct. 13th, 2002. It was loud.", ["It was played on Oct. 13th, 2002.", "It was loud."]),
        (
            "Am 13. Oktober war es laut. Im 19. Jahrhundert nicht.",
            ["Am 13. Oktober war es laut.", "Im 19. Jahrhundert nicht."],
        ),
        ("Vedi un componente (es. React). Poi il Nr. 5 qui.", ["Vedi un componente (es. React).", "Poi il Nr. 5 qui."]),
        ("Es kam ca. am 3. Okt. 2003 an. Gut so.", ["Es kam ca. am 3. Okt. 2003 an."]),
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


def test_only_what_stands_near_some_lines_is_read() -> None:
    text = "".join(f"This is sentence number {word}.\n\n" for word in ("one", "two", "three", "four", "five"))
    note = read_document(VaultPath("A.md"), text.encode())
    found = [one.text for one in iter_sentences(note, [(3, 3)])]
    assert found == [f"This is sentence number {word}." for word in ("one", "two", "three")]


def test_a_table_or_a_heading_in_a_callout_is_no_sentence() -> None:
    text = "> [!infobox]\n> # The name of an elf\n> | Attribute | Value |\n> |---|---|\n> | Race | Wood elf |\n>\n"
    note = read_document(VaultPath("A.md"), f"{text}> She lives in the woods.\n".encode())
    assert [(one.text, one.lines) for one in iter_sentences(note)] == [("She lives in the woods.", (7, 7))]
