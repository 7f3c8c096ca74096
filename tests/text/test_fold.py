import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.fold import FoldedText, fold_case, fold_word, fold_words, listing_key
from bridge.text.scripts import latin_share
from bridge.text.words import count_words, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"),
        (unicodedata.normalize("NFD", "Café"), "café"),
        ("ＷＩＤＥ", "wide"),
        ("L’été", "l'ete"),
        ("كِتَاب", "كتاب"),
        ("كـتـاب", "كتاب"),
        ("أحمد", "احمد"),
        ("שָׁלוֹם", "שלום"),
        ("می‌خواهم", "میخواهم"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("Łódź Đorđe Ørsted æbler œuvre", "lodz dorde orsted aebler oeuvre"),
        ("ışık İstanbul Straße", "isik istanbul strasse"),
        ("ज़रूरत", "जरूरत"),
        ("१२ ٣٤ ۵", "12 34 5"),
        ("کتابخانه", "كتابخانه"),
        ("צה״ל", "צהל"),
        ("🌱\ufe0f", "🌱"),
    ],
)
def test_ways_to_write_a_word_are_folded(one: str, other: str) -> None:
    assert fold_word(one) == fold_word(other)


@pytest.mark.parametrize(("one", "other"), [("かき", "かぎ"), ("ハス", "バス"), ("ป่า", "ปา"), ("कया", "क्या")])
def test_marks_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert fold_word(one) != fold_word(other)


@given(st.lists(st.text(st.characters(exclude_characters="\n"))))
def test_words_are_folded_together_as_one_by_one(words: list[str]) -> None:
    assert fold_words(words) == [fold_word(word) for word in words]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It’s a snake_case name", ["it's", "a", "snake", "case", "name"]),
        ("हिन्दी में लिखा", ["हिंदी", "में", "लिखा"]),
        ("كِتَابٌ جديد", ["كتاب", "جديد"]),
        (unicodedata.normalize("NFD", "für später"), ["fur", "spater"]),
        ("人々はABCを見た", ["人々は", "abc", "を見た"]),
        ("서울에서 만나", ["서울에서", "만나"]),
        ("ـ نص ـــ", ["ـ", "نص", "ـــ"]),
        ("x🏻", ["x", "🏻"]),
    ],
)
def test_a_text_is_split_into_words_in_any_script(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_characters_without_spaces_count_as_half_a_word() -> None:
    assert count_words("where is the fern") == 4
    assert count_words("蕨类植物在哪里 fern") == 4
    assert count_words("蕨") == 1
    assert count_words("- [ ] water → fern 📅") == 2


def test_the_share_of_latin_letters() -> None:
    assert latin_share("fern 2024") == 1.0
    assert latin_share("蕨类 ab") == 0.5
    assert latin_share("1950") == 1.0
    assert latin_share("ứng dụng") == 1.0


def test_lists_are_sorted_as_a_person_reads() -> None:
    names = ["Zofia", "mięsne", "Łukasz Żak", "mączne", "Part 10", "part 2", "Eva", "Élan", "Part", "Part 07", "Part 7"]
    assert sorted(names, key=listing_key) == [
        *("Élan", "Eva", "Łukasz Żak", "mączne", "mięsne", "Part", "part 2", "Part 07", "Part 7", "Part 10", "Zofia")
    ]


@pytest.mark.parametrize("name", ["KİŞİ", "ΟΔΟΣ", "STRASSE", "ЁЖ", "ŻUREK", unicodedata.normalize("NFD", "Kİ")])
def test_a_name_is_the_same_in_either_case(name: str) -> None:
    assert fold_case(name) == fold_case(name.lower()) == FoldedText(name).text == FoldedText(name.lower()).text


def test_case_is_no_accent() -> None:
    assert fold_case("sınır") != fold_case("sinir")
    assert fold_case("café") != fold_case("cafe")
