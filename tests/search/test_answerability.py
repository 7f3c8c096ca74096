"""Whether passages answer a question."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from bridge.search.answerability import (
    Answerability,
    AskedWords,
    BestPassages,
    QuotedLine,
    Verdict,
    asked_terms,
    assess,
    assess_quotes,
    question_terms,
    without_said,
)
from bridge.search.calibrate import FOREIGN_TRUST
from bridge.search.fuse import WEIGHTS, Evidence, RetrieverResult
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
    found = on_lines(Answerability(judged, confidence, ()), " ".join(words), worths, chance, lines)
    return found.verdict, found.missing


def on_lines(
    judged: Answerability, question: str, worths: dict[str, float], chance: float, lines: Sequence[str]
) -> Answerability:
    return assess_quotes(judged, AskedWords(question, worths), [QuotedLine(line, chance) for line in lines])


def test_a_line_that_likely_answers_is_an_answer() -> None:
    words = ["crust", "dark"]
    assert on_quotes(words, "The crust is dark.", chance=0.8) == ("answered", ())
    assert on_quotes(words, "A line.", chance=0.6, judged="not_in_vault") == ("not_in_vault", ("crust", "dark"))


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
    assert on_quotes(words, line, chance=0.9) == ("partial", (unsaid,))
    assert on_quotes(words, line, chance=0.03) == ("not_in_vault", (unsaid,))
    assert on_quotes(words, f"{line} {unsaid}", chance=0.08) == ("unsure", ())


def test_words_strewn_over_lines_or_said_by_no_note_answer_nothing() -> None:
    worths, judged = {"wifi": 1.0, "password": 1.0}, Answerability("answered", 0.9, ())
    strewn, whole = ["The wallet has a password.", "Wifi is slow."], ["The wifi has a password."]
    assert on_lines(judged, "wifi password", worths, 0.08, strewn).verdict == "not_in_vault"
    assert on_lines(judged, "wifi password", worths, 0.08, whole).verdict == "unsure"
    worths = {"work": 1.0, "smartwatch": 3.0}
    found = on_lines(judged, "work on a smartwatch", worths, 0.3, ["All of it works."])
    assert (found.verdict, found.missing) == ("not_in_vault", ("smartwatch",))


def test_a_likely_line_without_the_rarest_word_may_answer_and_one_without_a_common_word_does() -> None:
    worths = {"colour": 5.0, "badge": 4.0, "order": 1.0}
    judged = Answerability("answered", 0.9, ())
    assert on_lines(judged, "colour order badge", worths, 0.95, ["An order of a badge."]).verdict == "partial"
    found = on_lines(judged, "colour order badge", worths, 0.95, ["A badge of that colour."])
    assert (found.verdict, found.missing) == ("answered", ("order",))


def test_one_of_several_questions_is_enough() -> None:
    worths = {"crust": 1.0, "dark": 1.0, "zeppelin": 3.0, "torque": 3.0}
    judged = Answerability("answered", 0.9, ())
    found = on_lines(judged, "Is the crust dark? What torque has a zeppelin?", worths, 0.8, ["The crust is dark."])
    assert found.verdict == "partial"
    assert found.confidence > 0.6


def test_a_question_in_a_language_that_no_note_has_stays_open() -> None:
    judged = Answerability("unsure", 0.1, ())
    assert on_lines(judged, "теги заметок", {"теги": 1.0, "заметок": 1.0}, 0.05, ["A tag."]).verdict == "unsure"


@pytest.mark.parametrize(
    ("question", "line", "unsaid"),
    [
        ("卡片笔记法", "今天天气很好。", ("卡片笔记法",)),
        ("秦始皇什么时候统一六国？", "六国的统一很难。", ("秦始皇",)),
        ("减脂的速度是多少？", "减脂需要耐心，速度不重要。", ()),
        ("DNS的CNAME记录有什么作用？", "DNS 有记录。", ("cname", "作用")),
        ("エベレストの高さは何メートルですか？", "山の高さはメートルで測る。", ("エベレスト",)),
        ("学生だと安くなりますか？", "学生は対象です。", ("安くなり",)),
        ("買ったクレジットは払い戻してもらえる？", "クレジットを購入する。", ("買った", "払い戻してもらえる")),
        ("画像が見られないのはなぜ？", "画像はリンクです。", ("見られない",)),
        ("LINEのトークを取り込める？", "LINE です。", ("トーク", "取り込める")),
        ("电影花了多少钱拍的？", "电影成本低。", ()),
        ("怎样才能少刷手机？", "少刷手机很难。", ()),
        ("서울은 언제 수도가 되었나요?", "서울은 도시다.", ("수도가", "되었")),
    ],
)
def test_the_parts_of_a_run_of_which_nothing_is_said_are_missing(
    question: str, line: str, unsaid: tuple[str, ...]
) -> None:
    worths = dict.fromkeys(question_terms([question]), 1.0)
    assert on_lines(Answerability("answered", 0.9, ()), question, worths, 0.2, [line]).missing == unsaid


@pytest.mark.parametrize(
    ("question", "rare", "unsaid"),
    [("氮泵在德国合法吗？", {"国合"}, ("德国", "合法")), ("我的护照放在哪里？", {"照放"}, ("护照",))],
)
def test_a_long_run_is_told_apart_by_the_pairs_that_notes_have(
    question: str, rare: set[str], unsaid: tuple[str, ...]
) -> None:
    worths = {term: 3.0 if term in rare else 1.0 for term in question_terms([question])}
    assert on_lines(Answerability("answered", 0.9, ()), question, worths, 0.2, ["氮泵。"]).missing == unsaid


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
    assert on_lines(Answerability("answered", 0.9, ()), question, worths, 0.2, [line]).missing == missing


def test_a_missing_word_is_named_as_it_was_typed() -> None:
    judged, lines = Answerability("answered", 0.9, ()), [QuotedLine("A file.", 0.2)]
    for question, read in (("How do I file a patent?", ""), ("Which museum files it?", "Which potent files it?")):
        asked = AskedWords(question, {"potent": 5.0, "file": 1.0}, read)
        assert assess_quotes(judged, asked, lines).missing == ("museum" if read else "patent",)


@pytest.mark.parametrize("line", ["Add ice water.", "Once a week it is."])
def test_a_line_that_says_only_the_more_common_word_answers_nothing(line: str) -> None:
    worths = {"water": 2.0, "cactus": 5.0}
    judged = Answerability("partial", 0.5, ("cactus",))
    assert on_lines(judged, "water cactus", worths, 0.2, [line]).verdict == "not_in_vault"


@pytest.mark.parametrize("asked", ["perche", "perché", "PERCHE"])
def test_a_function_word_of_the_language_of_a_passage_is_said(asked: str) -> None:
    text = "Questo lo dico perché una perizia costa dai trecento euro in su, e non è poca cosa per chi compra."
    assert verdict(asked, [asked], text) == ("unsure", ())
    assert verdict("poiche", ["poiche"], text)[1] == ("poiche",)


def test_a_line_that_stands_out_by_its_meaning_may_answer_in_other_words_but_no_more() -> None:
    worths, judged = {"pass": 3.0, "away": 3.0, "balance": 1.0}, Answerability("partial", 0.3, ())
    asked = AskedWords("when did balance pass away", worths, asks_for="when")

    def verdict(apart: float | None, *, has_kind: bool = True) -> Verdict:
        line = QuotedLine("Balance (1962 - 2004) was a musician.", 0.25, has_kind=has_kind, apart=apart)
        return assess_quotes(judged, asked, [line]).verdict

    assert verdict(None) == verdict(0.5) == "not_in_vault"
    assert verdict(2.0) == "partial"
    assert verdict(2.0, has_kind=False) == "not_in_vault"


def test_a_line_that_leaves_a_word_out_answers_only_if_its_meaning_is_nearer_than_that_of_others() -> None:
    asked = AskedWords("a vault within another", {"vault": 3.0, "within": 1.0})
    judged = Answerability("answered", 0.9, ())
    verdicts = [assess_quotes(judged, asked, [QuotedLine("A vault.", 0.9, apart=one)]).verdict for one in (0.2, 1.5)]
    assert verdicts == ["partial", "answered"]


def test_a_price_of_another_thing_is_none() -> None:
    asked = AskedWords("cost of a commercial licence", {"commercial": 4.0, "licence": 1.0}, asks_for="cost")
    judged = Answerability("answered", 0.9, ())
    line, other = QuotedLine("A commercial licence is paid.", 0.5), QuotedLine("Licence: 25$", 0.5, has_kind=True)
    found = assess_quotes(judged, asked, [line, other])
    assert (found.verdict, found.missing) == ("partial", ("cost",))
    assert assess_quotes(judged, asked, [replace(line, has_kind=True), other]).verdict == "answered"


def test_without_a_line_nothing_answers() -> None:
    judged = Answerability("partial", 0.3, ("year",))
    assert on_lines(judged, "catan year", {"catan": 1.0, "year": 1.0}, 0.0, []).verdict == "not_in_vault"


def test_how_often_is_asked_is_not_said() -> None:
    assert on_quotes(["often", "fed"], "It is fed.", chance=0.8) == ("answered", ())


def test_a_word_that_a_hit_says_is_not_missing() -> None:
    judged = Answerability("partial", 0.3, ("zeppelin", "engines"))
    assert without_said(judged, ["The ==engine== is old.", "Bread"]).missing == ("zeppelin",)


@pytest.mark.parametrize(("trust", "counts"), [(1.0, True), (FOREIGN_TRUST, False), (0.0, False)])
def test_meaning_counts_where_the_model_reads_the_question(trust: float, counts: bool) -> None:
    evidence = Evidence(meaning=RetrieverResult(WEIGHTS["meaning"] * trust))
    assert best_passages_of(RankedNotes([], {}, evidence, Reasons(), "hybrid")).has_model is counts


def test_characters_of_another_note_than_is_named_do_not_say_a_word() -> None:
    asked = AskedWords("Bob的开发者是谁？", dict.fromkeys(question_terms(["bob", "的开发者"]), 1.0))
    lines = [QuotedLine("Bob 是好软件。", 0.5), QuotedLine("开发者最怕用户。", 0.5, is_named=False)]
    assert assess_quotes(Answerability("answered", 0.9, ()), asked, lines).missing == ("开发者",)


def test_two_words_that_are_missing_weigh_together() -> None:
    worths = {"bebè": 5.0, "zero": 4.0, "libro": 2.0, "scritto": 2.0}
    judged = Answerability("answered", 0.9, ())
    assert on_lines(judged, "libro bebè zero scritto", worths, 0.95, ["Consiglio Bebè a zero."]).verdict == "partial"
