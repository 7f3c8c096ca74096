import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.fold import FoldedText, fold_case, fold_word, fold_words, listing_key, normalize
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


def test_what_sorts_a_name_is_one_text_however_many_numbers_it_has() -> None:
    assert len(listing_key("9a8b7c6d5" * 99)) == len(listing_key("9")) == 2
    assert isinstance(listing_key("9a8b")[0], str)


@pytest.mark.parametrize("fold", [fold_case, lambda text: normalize("NFKD", text), lambda text: FoldedText(text).text])
def test_marks_without_end_are_sorted_in_short_runs(fold: Callable[[str], str]) -> None:
    few, many = "e" + "\u0301\u0323" * 60, "e" + "\u0301\u0323" * 3_000
    assert fold(few) == unicodedata.normalize("NFKD" if "ẹ" not in fold(few) else "NFC", few)
    runs = re.findall("[\u0301\u0323]+", fold(many))
    assert max(map(len, runs)) <= 200
    assert sum(map(len, runs)) >= 5_999
    rule = "─" * 3_000
    assert fold(rule) == rule


@pytest.mark.parametrize(
    "words",
    [
        "Ганна ґанок дім Євген Жанна Зоя Іван Їжак квіти хліб яблуко",
        "анар әке бала ғылым ел жол қала лақ нан өмір су ұл үй",
        "ђак ја кола љубав млеко његош тата ћевап цар џеп шума",
        "آب پدر تاب جان چای خانه زبان ژاله سیب شیر کتاب گل لب ماه نان یار",
        "باغ پانی تارا ٹوپی ثمر دال ڈاک رات سیب کام گھر یاد",
        "கடல் சமையல் டமாரம் தமிழ் நகரம் மழை யானை ரயில் லட்டு வயல் ழகரம் றெக்கை ஜன்னல் ஹாஸ்யம்",
        "രാജ ലോകം വനം സൂര്യൻ ഹൃദയം ളാഹ ഴകരം റബ്ബർ",
        "กาแฟ เกลือ ไก่ ขนม ไข่ งาน จาน เด็ก บ้าน แมว โรงเรียน หมู อาหาร",
        "ກາເຟ ໄກ່ ເຂົ້າ ບ້ານ ແມວ ອາຫານ",
        "あさ アリ いぬ ウシ うみ カメ さくら",
        "alma ev əl fil göz xala",
        "bara ɓera dama ɗaki kasa ƙofa yaro",
        "ਸੇਬ ਹਾਥੀ ਕੁੱਤਾ ਗਾਂ ਰਾਤ ਵਾਲ",
        "ახალი ბაღი გზა დედა",
        "ամառ գարուն երեխա զանգ",
    ],
)
def test_lists_follow_the_alphabet(words: str) -> None:
    expected = words.split()
    assert sorted(expected, key=listing_key) == expected


@given(st.text())
def test_lists_have_one_order(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert len({listing_key(form)[0] for form in forms}) == 1


DECOMPOSED = [unicodedata.normalize("NFD", name) for name in ("Kİ", "கோ", "മൊ", "କୋ", "කෝ", "কো", "ဦး", "방")]


@pytest.mark.parametrize("name", ["KİŞİ", "ΟΔΟΣ", "STRASSE", "ЁЖ", "ŻUREK", *DECOMPOSED])
def test_a_name_is_the_same_in_either_case(name: str) -> None:
    assert fold_case(name) == fold_case(name.lower()) == FoldedText(name).text == FoldedText(name.lower()).text


def test_case_is_no_accent() -> None:
    assert fold_case("sınır") != fold_case("sinir")
    assert fold_case("café") != fold_case("cafe")
