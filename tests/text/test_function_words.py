"""Function words: none of them asks for a note, in any language, and no word that means something is one."""

import pytest

from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_word
from bridge.text.function_words import content_words, drop_function_words, function_words


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Qual è la capitale dell'Umbria", "capitale dell'Umbria"),
        ("tra quali città passa il fiume", "città passa fiume"),
        ("quanto costa", "costa"),
        ("¿En qué año nació el autor", "¿En año nació autor"),
        ("como fazer pão de queijo", "fazer pão queijo"),
        ("Combien de personnes vivent à Paris", "personnes vivent Paris"),
        ("Wie viele Einwohner hat die Stadt", "Einwohner Stadt"),
        ("Hur många invånare har Sverige", "invånare Sverige"),
        ("Kto napisał tę książkę", "napisał książkę"),
        ("Bu kitap kim tarafından yazıldı", "kitap yazıldı"),
        ("на каком языке написана эта книга", "языке написана книга"),
        ("ποιος έγραψε αυτό το βιβλίο", "έγραψε βιβλίο"),
        ("أين ولد الكاتب", "ولد الكاتب"),
        ("לאן נסע הסופר", "נסע הסופר"),
        ("यह किताब किसने लिखी", "किताब लिखी"),
    ],
)
def test_what_a_question_begins_with_is_not_searched(question: str, content: str) -> None:
    assert " ".join(content_words(question.split())) == content


@pytest.mark.parametrize(
    "words",
    [
        "war peace",
        "die hard",
        "mein kampf",
        "son god",
        "sin city",
        "man island",
        "los angeles",
        "come home",
        "fur coat",
    ],
)
def test_a_word_that_means_something_elsewhere_is_searched(words: str) -> None:
    assert set(words.split()) - {"los"} <= set(content_words(words.split()))


@pytest.mark.parametrize(
    "question", ["war and peace", "the war on terror", "No man is an island", "list of sun and moon"]
)
def test_english_questions_keep_words_that_other_languages_only_use(question: str) -> None:
    left_out = set(question.split()) - set(content_words(question.split()))
    assert left_out <= {"and", "the", "on", "No", "is", "an", "of"}


def test_a_text_of_nothing_else_is_kept_whole() -> None:
    assert content_words(["was", "ist", "das"]) == ("was", "ist", "das")


@pytest.mark.parametrize("language", ["english", "german", "italian", "turkish", "vietnamese", None])
def test_words_count_with_their_accents_and_without(language: str | None) -> None:
    own = function_words(language)
    assert {fold_word(word) for word in own} - {"fur", "jake", "mika", "nar"} <= own


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("italian", "Quanto è alta quella torre nel centro?", 3),
        ("german", "Für wen wurde über sie geschrieben?", 1),
        ("arabic", "إلى أين ذهب", 1),
        ("russian", "какой город", 1),
        ("greek", "πού πότε γιατί νησί", 1),
    ],
)
def test_a_sentence_is_compared_by_its_content(language: str, text: str, terms: int) -> None:
    assert len(terms_of(text, language)) == terms


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Cik stundu rūga maize", "stundu rūga maize"),
        ("Kailan dapat palitan ang preno", "palitan preno"),
        ("Велосипед тежегішін қашан ауыстырамын", "Велосипед тежегішін ауыстырамын"),
        ("Where does the war come from", "war come"),
        ("war museum", "war museum"),
    ],
)
def test_one_function_word_tells_the_language_of_a_question(question: str, left: str) -> None:
    words = question.split()
    assert drop_function_words(content_words(words), (), words) == tuple(left.split())
