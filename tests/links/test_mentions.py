"""Names are found as words of their own, in every script, at the places of the original text."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.features.links.mentions import Corpus, NameFinder, NoteName
from bridge.text.fold import fold_case
from bridge.types import VaultPath


def names(*texts: str) -> NameFinder:
    return NameFinder(NoteName(VaultPath(f"{text}.md"), text) for text in texts)


def said(known: NameFinder, text: str) -> list[str]:
    return [text[slice(*mention.span)] for mention in known.mentions(text)]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Sourdough", "My sourdough, and SOURDOUGH again", ["sourdough", "SOURDOUGH"]),
        ("Sour", "My sourdough is sour", ["sour"]),
        ("Spelt", "spelt-bread", ["spelt"]),
        ("it", "IT is it", ["it"]),
        ("IT", "IT is it", ["IT"]),
        ("Straße", "Die STRASSE und die Straße", ["STRASSE", "Straße"]),
        ("gros", "groß", []),
        ("İstanbul", "to İstanbul!", ["İstanbul"]),
        ("发酵", "面团发酵很久", ["发酵"]),
        ("発酵", "生地の発酵を待つ", ["発酵"]),
        ("ขนมปัง", "ทำขนมปังกัน", ["ขนมปัง"]),
        ("กา", "กาแฟ กา", ["กา"]),
        ("ตาก", "ตากผ้า", []),
        ("राम", "रामायण पढ़ी। राम ने कहा।", ["राम"]),
        ("حسن", "حسنًا، سنذهب مع حسن", ["حسن"]),
        ("민수", "김민수 말고 민수는", ["민수"]),
        ("Хлеб", "хлебный хлеб", ["хлеб"]),
        ("خبز", "رائحة خبز طازج", ["خبز"]),
        ("빵", "빵 하나", []),
        ("효모", "효모 하나", ["효모"]),
        ("C++", "in C++ and C", ["C++"]),
        ("a.*b", "a.*b but not aXXb", ["a.*b"]),
        ("[x]|y#^", "see [x]|y#^ here", ["[x]|y#^"]),
        ("М’ята", "М'ята, м’ята і мʼята, м'ятами", ["М'ята", "м’ята", "мʼята"]),
        ("Солов'їна", unicodedata.normalize("NFD", "й Солов’їна"), [unicodedata.normalize("NFD", "Солов’їна")]),
        ("צה״ל", 'אמר צה"ל, וצה"ל, צה״ל', ['צה"ל', "צה״ל"]),
        ("ג׳ירפה", "גם ג'ירפה", ["ג'ירפה"]),
        ("Moon’s Milk", "Moon's Milk is another", []),
        ("col·lecció", "la col·lecció, col·leccions", ["col·lecció"]),
        ("மொழி", "மொழி, மொழி", ["மொழி", "மொழி"]),
        ("12", "12 of them", []),
        ("2024", "in 2024", ["2024"]),
        ("!!", "what!!", []),
    ],
)
def test_a_name_is_found_as_words_of_its_own(name: str, text: str, found: list[str]) -> None:
    assert said(names(name), text) == found


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_count_however_they_are_written(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "In Le Cannet: café crème, 가나 が.")
    known = names("Café crème", "가나")
    assert [unicodedata.normalize("NFC", found) for found in said(known, text)] == ["café crème", "가나"]


def test_of_names_within_each_other_the_longest_that_is_a_word_is_found() -> None:
    known = names("New York", "New York Times", "York", "Data", "Data B")
    assert said(known, "the New York Times of New York and York") == ["New York Times", "New York", "York"]
    assert said(known, "a data bank") == ["data"]


def test_nothing_is_found_where_it_is_protected() -> None:
    known = names("Rye")
    assert [mention.span for mention in known.mentions("Rye Rye Rye", [(3, 5)])] == [(0, 3), (8, 11)]


def test_a_name_of_several_notes_is_found_with_all_of_them() -> None:
    known = NameFinder([NoteName(VaultPath("a/Index.md"), "Index"), NoteName(VaultPath("b.md"), "index", alias=True)])
    (mention,) = known.mentions("the index")
    assert {name.path for name in mention.names} == {"a/Index.md", "b.md"}


def test_nothing_is_found_without_names() -> None:
    assert names().mentions("anything") == []


@given(
    st.text(alphabet="aB ßİé\u0301\u0308ﬁ月가ᄀ\n.", max_size=40), st.sampled_from(["ab", "ss", "é", "fi", "月a", "i̇a"])
)
def test_places_lie_in_the_text_and_say_the_name(text: str, name: str) -> None:
    known = names(name)
    for mention in known.mentions(text):
        start, end = mention.span
        assert 0 <= start < end <= len(text)
        assert fold_case(text[start:end]) == fold_case(mention.form)


def test_the_corpus_follows_what_notes_say() -> None:
    a, b = VaultPath("a.md"), VaultPath("b.md")
    corpus = Corpus.of(names("Spelt", "Wheat"), {a: "spelt and wheat", b: "spelt, spelt"})
    assert (corpus.notes("spelt"), corpus.notes("wheat")) == (2, 1)
    assert corpus.notes_with(["spelt"]) == [a, b]
    corpus.read({a: "wheat"})
    corpus.forget([b])
    corpus.forget([b])
    assert (corpus.notes("spelt"), corpus.notes("wheat"), len(corpus)) == (0, 1, 1)


def test_the_corpus_follows_names() -> None:
    texts = {VaultPath("a.md"): "spelt and wheat", VaultPath("b.md"): "wheat and millet"}
    corpus = Corpus.of(names("Spelt", "Wheat"), texts)
    corpus.rename(names("Millet", "Wheat"), texts)
    assert [corpus.notes(form) for form in ("spelt", "wheat", "millet")] == [0, 2, 1]
    assert corpus.notes_with(["millet", "spelt"]) == ["b.md"]
    corpus.read({VaultPath("b.md"): "spelt"})
    assert [corpus.notes(form) for form in ("spelt", "wheat", "millet")] == [0, 1, 0]
