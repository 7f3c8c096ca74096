"""Names that are said almost are found where the name itself is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.features.links.evidence import Strictness
from bridge.features.links.link_candidates import SourceText, find_mentions, suggest
from bridge.features.links.mentions import Corpus, NameFinder, NoteName, find_declining_languages
from bridge.types import VaultPath
from tests.links.test_suggest import Around


def names(*texts: str, languages: tuple[str, ...] = ()) -> NameFinder:
    return NameFinder((NoteName(VaultPath(f"{text}.md"), text) for text in texts), languages)


def said(known: NameFinder, text: str, *, protected: tuple[tuple[int, int], ...] = ()) -> list[tuple[str, str]]:
    found = known.mentions(text, protected, almost=True)
    return [(text[slice(*one.span)], one.form) for one in found if one.almost]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Turbopump", "the turbo-pump, a turbo pump", ["turbo-pump", "turbo pump"]),
        ("Turbo-pump", "the turbopump and the Turbo  pump", ["turbopump"]),
        ("Turbo pump", "turbo. pump\nturbo\npump", []),
        ("Sourdough starter", "two sourdough starters", ["sourdough starters"]),
        ("Beans", "one bean", ["bean"]),
        ("Bus", "buss and bu", []),
        ("Fermentation", "fermentaton and fermentations", ["fermentaton", "fermentations"]),
        ("Fermentation", "foundation", []),
        ("Fermentation", "dermentation", []),
        ("Grace Hopper", "Grace Hoper wrote", ["Grace Hoper"]),
        ("Grace Hopper", "Grase Hopper wrote", ["Grase Hopper"]),
        ("Rye", "Ryes and Rie", []),
        ("A* search", "a search, a searches and A-search", []),
        ("C++ compiler", "the c compiler", []),
        ("A-Team", "a team and the ateam", ["ateam"]),
        ("X-ray film", "an x ray film", ["x ray film"]),
        ("Version 12345", "version 12346", []),
        ("a.*b|c", "a.*b|d and abc", []),
        ("发酵面团", "发酵面包", []),
        ("Сухари", "сухарь и сухари", ["сухарь"]),
        ("Хлебопекарня", "хлебопекарни", ["хлебопекарни"]),
        ("مخبوزات", "المخبوزات و مخبوزان", ["المخبوزات", "مخبوزان"]),
    ],
)
def test_what_is_joined_otherwise_in_the_plural_or_mistyped_is_found(name: str, text: str, found: list[str]) -> None:
    assert [words for words, _ in said(names(name), text)] == found


def test_the_name_itself_goes_before_what_is_almost_one() -> None:
    known = names("Turbopump", "Turbo pump")
    assert said(known, "turbo pump") == []
    assert said(known, "turbo-pump and turbopump") == [("turbo-pump", "turbopump")]
    assert said(names("Bread", "Breads of rye"), "bread of rye") == []


def test_nothing_is_found_where_it_is_protected() -> None:
    assert said(names("Turbopump"), "turbo-pump turbo pump", protected=((3, 7),)) == [("turbo pump", "turbopump")]


@pytest.mark.parametrize(("strictness", "count"), [("conservative", 0), ("balanced", 1), ("aggressive", 1)])
def test_it_is_suggested_with_its_reason_unless_suggestions_must_be_sure(strictness: Strictness, count: int) -> None:
    text = "- grace-hopper manuscript collection\n"
    corpus = Corpus.of(names("Grace Hopper Manuscript Collection"), {})
    found = suggest(SourceText(text), corpus, Around(), strictness)
    assert len(found) == count
    assert all("almost says “Grace Hopper Manuscript Collection”" in one.why for one in found)


def test_what_is_almost_said_is_less_likely_than_the_name() -> None:
    corpus = Corpus.of(names("Grace Hopper Archive"), {})
    (exact,) = suggest(SourceText("the Grace Hopper Archive"), corpus, Around(), "aggressive")
    (almost,) = suggest(SourceText("the Grace-Hopper Archive"), corpus, Around(), "aggressive")
    assert almost.score < exact.score


@pytest.mark.parametrize(
    ("language", "name", "text", "found"),
    [
        ("polish", "Kraków", "Byliśmy w Krakowie i krakowskim teatrze.", ["Krakowie"]),
        ("polish", "Anna Nowak", "Z Anną Nowak, o Annie Nowak.", ["Anną Nowak", "Annie Nowak"]),
        ("polish", "Jan Nowak", "Z Janem Nowakiem, a Janek z Nowakową.", ["Janem Nowakiem"]),
        ("polish", "Remont łazienki", "koszt remontu łazienki", ["remontu łazienki"]),
        ("polish", "Psy", "psychologia i psychiatra", []),
        ("polish", "Pracownia", "pracować, pracowity", []),
        ("czech", "Jan Novák", "s Janem Novákem", ["Janem Novákem"]),
        ("turkish", "Çorba tarifi", "annemin çorba tarifini yazdım", ["çorba tarifini"]),
        ("hungarian", "Kovács Anna", "Kovács Annával beszéltem", ["Kovács Annával"]),
        ("finnish", "Tampere", "Muutamme Tampereelle.", ["Tampereelle"]),
        ("romanian", "București", "străzile Bucureștiului", ["Bucureștiului"]),
        ("", "Анна Ковалёва", "Письмо Анны Ковалевой и Анной Ковалёвой", ["Анны Ковалевой", "Анной Ковалёвой"]),
        ("", "Волга", "плыли по Волге, на вологодском", ["Волге"]),
        ("", "Иван Петров", "у Ивана Петрова, но не Иванов с Петрой", ["Ивана Петрова"]),
        ("", "Марія Коваль", "Марію Ковальчук і Тарас Ковальов", []),
        ("finnish", "Matti Virtanen", "Matti Virtanenson", []),
        ("", "Ελένη Παππά", "της Ελένης Παππά", ["Ελένης Παππά"]),
        ("", "דוד לוי", "נתתי לדוד לוי", ["לדוד לוי"]),
        ("", "חיפה", "גרנו בחיפה, וחיפית", ["בחיפה"]),
        ("", "أحمد", "مررت بأحمد وأحمدي", ["بأحمد"]),
        ("", "القاهرة", "وصلنا للقاهرة", ["للقاهرة"]),
        ("", "محمد علي", "سعاد ومحمد علي", ["ومحمد علي"]),
        ("", "Kraków", "w Krakowie", []),
        ("", "Resume", "the résumé", []),
    ],
)
def test_a_name_is_found_in_the_forms_of_its_language(language: str, name: str, text: str, found: list[str]) -> None:
    mentions = names(name, languages=(language,) if language else ()).mentions(text, almost=True)
    assert [text[slice(*one.span)] for one in mentions if one.inflected] == found


def test_a_longer_name_in_another_form_goes_before_a_shorter_one() -> None:
    found = names("Nowak", "Anna Nowak", languages=("polish",)).mentions("U Anny Nowak i Nowak.", almost=True)
    assert [(one.form, one.inflected) for one in found] == [("anna nowak", True), ("nowak", False)]


def test_a_form_that_is_written_as_a_name_is_likelier_than_one_like_a_word() -> None:
    corpus = Corpus.of(names("Kraków", "Remont łazienki", "חיפוש", languages=("polish",)), {})

    def score(text: str) -> float:
        (found,) = find_mentions(SourceText(text), corpus, Around(), almost=True)
        assert any("in another form" in why for why in found.why)
        return found.score

    assert score("Byliśmy w Krakowie w maju") > 0.4
    assert score("byliśmy w krakowie w maju") < 0.2
    assert 0.4 < score("w sprawie remontu łazienki w maju") < score("Remontu łazienki nie ma w maju")
    assert score("השתמשו בחיפוש המהיר") < 0.4


def test_a_declining_language_counts_once_many_notes_are_written_in_it() -> None:
    assert find_declining_languages(["polish", "polish", "english", None]) == ["polish"]
    assert find_declining_languages(["polish", *["english"] * 20]) == []


@given(st.text(alphabet="abcs -'İßé\u0301\n月", max_size=60))
def test_places_lie_in_the_text_and_apart(text: str) -> None:
    found = names("abcab", "bca cab", "cabs").mentions(text, almost=True)
    ends = [0, *(one.span[1] for one in found)]
    assert all(end <= one.span[0] < one.span[1] <= len(text) for end, one in zip(ends, found, strict=False))
