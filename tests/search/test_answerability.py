"""Whether passages answer a question."""

import pytest

from bridge.search.answerability import (
    Answerability,
    BestPassages,
    Verdict,
    asked_terms,
    assess,
    assess_quotes,
    question_terms,
    without_said,
)
from bridge.search.calibrate import FOREIGN
from bridge.search.fuse import WEIGHTS, RetrieverResult
from bridge.search.hits import Reasons
from bridge.search.pipeline import RankedNotes, best_passages_of

BREAD = "Rye bread needs a sourdough starter, which is fed twice a day. Bread.md"


def worth(word: str) -> float:
    return 1.0 if word == "bread" else 5.0


def verdict(question: str, words: list[str], *texts: str, score: float = 0.5) -> tuple[str, tuple[str, ...]]:
    found = assess(question, asked_terms(words), BestPassages(texts, score, has_model=True), worth)
    return found.verdict, found.missing


def test_a_passage_that_says_all_words_answers() -> None:
    assert verdict("is a starter fed", ["starter", "fed"], BREAD) == ("answered", ())


def test_forms_of_a_word_count() -> None:
    assert verdict("are starters needed", ["starters", "needed"], BREAD) == ("answered", ())


def test_words_that_no_passage_says_are_missing_the_rarest_first() -> None:
    found = verdict("zeppelin engine bread torque", ["bread", "zeppelin", "engine"], "Something else.", score=0.1)
    assert found == ("not_in_vault", ("zeppelin", "engine", "bread"))


def test_numbers_are_words() -> None:
    text = "The starter was bought in 2019 for 480. 2023-09-12.md"
    assert verdict("starter 2019 480", ["starter", "2019", "480"], text) == ("answered", ())
    assert verdict("2023-09-12", ["2023-09-12"], text) == ("answered", ())
    assert verdict("starter 2018", ["starter", "2018"], text, score=0.1)[1] == ("2018",)


def test_half_of_the_words_answer_in_part() -> None:
    words = ["starter", "fed", "sourdough", "zeppelin", "engine"]
    assert verdict("?", words, "A starter of sourdough.", "It is fed.", score=0.3) == (
        "partial",
        ("zeppelin", "engine"),
    )


def test_a_single_word_cannot_be_judged() -> None:
    assert verdict("zeppelin", ["zeppelin"], BREAD)[0] == "unsure"


def test_a_question_in_a_script_that_no_note_has_cannot_be_judged() -> None:
    best = BestPassages([BREAD], 0.1, has_model=True, has_words=False)
    assert assess("теги для заметок", ["теги", "заметок"], best, worth).verdict == "unsure"


def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    assert asked_terms(["面包的灵魂"]) == ("面包", "包的", "的灵", "灵魂")
    assert verdict("面包的灵魂是什么", ["面包的灵魂"], "酵母是面包的灵魂。", score=0.6) == ("answered", ())
    assert verdict("飞机引擎扭矩", ["飞机引擎扭矩"], "酵母是面包的灵魂。", score=0.1) == (
        "not_in_vault",
        ("飞机引擎扭矩",),
    )


def test_without_passages_nothing_answers() -> None:
    assert verdict("zeppelin engine", ["zeppelin", "engine"], score=0.0)[0] == "not_in_vault"


def on_quotes(
    words: list[str], *lines: str, chance: float, judged: Verdict = "answered"
) -> tuple[str, tuple[str, ...]]:
    """Judge a question by the lines that are quoted for it."""
    worths = {term: worth(term) for term in question_terms(words)}
    confidence = 0.01 if judged == "not_in_vault" else 0.9
    found = assess_quotes(Answerability(judged, confidence, ()), " ".join(words), worths, chance, lines)
    return found.verdict, found.missing


def test_a_line_that_likely_answers_is_an_answer() -> None:
    words = ["crust", "dark"]
    assert on_quotes(words, "The crust is dark.", chance=0.8) == ("answered", ())
    assert on_quotes(words, "The crust is dark.", chance=0.8, judged="not_in_vault") == ("unsure", ())


@pytest.mark.parametrize(
    ("words", "line", "unsaid"),
    [
        (["founded", "threshold", "house"], "Out on Threshold House.", "founded"),
        (["मुंबई", "बसाया"], "मुंबई एक शहर है।", "बसाया"),
        (["تأسست", "بغداد", "القديمة"], "بغداد القديمة مدينة.", "تأسست"),
        (["ייסד", "תל", "אביב"], "תל אביב היא עיר.", "ייסד"),
    ],
)
def test_what_no_quoted_line_says_is_missing(words: list[str], line: str, unsaid: str) -> None:
    assert on_quotes(words, line, chance=0.2) == ("partial", (unsaid,))
    assert on_quotes(words, line, chance=0.2, judged="not_in_vault") == ("not_in_vault", (unsaid,))
    assert on_quotes(words, f"{line} {unsaid}", chance=0.2) == ("unsure", ())


@pytest.mark.parametrize(("chance", "confidence", "wanted"), [(0.05, 0.9, "not_in_vault"), (0.2, 0.9, "partial")])
def test_lines_and_notes_that_are_not_near_answer_nothing(chance: float, confidence: float, wanted: str) -> None:
    worths = {"blood": 1.0, "type": 1.0}
    judged = Answerability("unsure", confidence, ())
    assert assess_quotes(judged, "blood type", worths, chance, ["An integer is a type."]).verdict == wanted


def test_words_strewn_over_lines_or_said_by_no_note_answer_nothing() -> None:
    worths, judged = {"wifi": 1.0, "password": 1.0}, Answerability("unsure", 0.9, ())
    strewn, whole = ["The wallet has a password.", "Wifi is slow."], ["The wifi has a password."]
    assert assess_quotes(judged, "wifi password", worths, 0.08, strewn).verdict == "not_in_vault"
    assert assess_quotes(judged, "wifi password", worths, 0.08, whole).verdict == "unsure"
    for worth, wanted in ((3.0, "not_in_vault"), (0.5, "partial")):
        worths = {"work": 1.0, "smartwatch": worth}
        found = assess_quotes(judged, "work on a smartwatch", worths, 0.3, ["All of it works."], ["smartwatch"])
        assert (found.verdict, found.missing) == (wanted, ("smartwatch",))


@pytest.mark.parametrize(
    ("question", "line", "unsaid"),
    [
        ("卡片笔记法", "今天天气很好。", ("卡片笔记法",)),
        ("秦始皇什么时候统一六国？", "六国的统一很难。", ("秦始皇",)),
        ("减脂的速度是多少？", "减脂需要耐心，速度不重要。", ()),
        ("DNS的CNAME记录有什么作用？", "DNS 有记录。", ("cname", "作用")),
        ("エベレストの高さは何メートルですか？", "山の高さはメートルで測る。", ("エベレスト",)),
        ("서울은 언제 수도가 되었나요?", "서울은 도시다.", ("수도가", "되었")),
    ],
)
def test_the_parts_of_a_run_of_which_nothing_is_said_are_missing(
    question: str, line: str, unsaid: tuple[str, ...]
) -> None:
    worths = dict.fromkeys(question_terms([question]), 1.0)
    judged = Answerability("answered", 0.9, ())
    assert assess_quotes(judged, question, worths, 0.2, [line]).missing == unsaid


@pytest.mark.parametrize(
    ("question", "line", "missing"),
    [
        ("l'histoire d'une école", "L'école a une longue histoire.", ()),
        ("economia dell'Australia", "L'Australia esporta lana.", ("economia",)),
        ("cos'è il valore netto?", "Il valore netto indica il resto.", ()),
        ("qu'est-ce qu'une boulangerie", "Le pain lève.", ("boulangerie",)),
    ],
)
def test_an_elided_article_is_no_part_of_a_word(question: str, line: str, missing: tuple[str, ...]) -> None:
    worths = dict.fromkeys(question_terms(question.split()), 1.0)
    assert assess_quotes(Answerability("answered", 0.9, ()), question, worths, 0.2, [line]).missing == missing


def test_a_missing_word_is_named_as_it_was_typed() -> None:
    judged = Answerability("answered", 0.9, ())
    worths = {"potent": 5.0, "file": 1.0}
    assert assess_quotes(judged, "How do I file a patent?", worths, 0.2, ["A file."]).missing == ("patent",)


@pytest.mark.parametrize(
    ("lines", "chance", "wanted"),
    [
        (["Add ice water."], 0.2, "not_in_vault"),
        (["Add ice water."], 0.4, "partial"),
        (["A cactus stands here."], 0.3, "partial"),
        (["Add ice water.", "Once a week it is."], 0.6, "answered"),
    ],
)
def test_a_line_that_says_only_the_more_common_word_answers_nothing(
    lines: list[str], chance: float, wanted: str
) -> None:
    worths = {"water": 2.0, "cactus": 5.0}
    judged = Answerability("partial", 0.5, ("cactus",))
    assert assess_quotes(judged, "water cactus", worths, chance, lines).verdict == wanted


@pytest.mark.parametrize(("missing", "wanted"), [(("catan", "year"), "not_in_vault"), (("year",), "partial")])
def test_without_a_line_the_notes_must_lack_the_words(missing: tuple[str, ...], wanted: str) -> None:
    judged = Answerability("partial", 0.3, missing)
    assert assess_quotes(judged, "catan year", {"catan": 1.0, "year": 1.0}, 0.0, []).verdict == wanted


def test_how_often_is_asked_is_not_said() -> None:
    assert on_quotes(["often", "fed"], "It is fed.", chance=0.8) == ("answered", ())


def test_a_word_that_a_hit_says_is_not_missing() -> None:
    judged = Answerability("partial", 0.3, ("zeppelin", "engines"))
    assert without_said(judged, ["The ==engine== is old.", "Bread"]).missing == ("zeppelin",)


@pytest.mark.parametrize(("trust", "counts"), [(1.0, True), (FOREIGN, False), (0.0, False)])
def test_meaning_counts_where_the_model_reads_the_question(trust: float, counts: bool) -> None:
    near = RetrieverResult("meaning", WEIGHTS["meaning"] * trust)
    assert best_passages_of(RankedNotes([], {}, [near], Reasons(), "hybrid")).has_model is counts
