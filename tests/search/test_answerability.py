"""Whether passages answer a question."""

import pytest

from bridge.search.answerability import (
    Answerability,
    BestPassages,
    QuotedLine,
    Verdict,
    asked_terms,
    assess,
    assess_quotes,
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
    assert verdict("飞机引擎扭矩", ["飞机引擎扭矩"], "酵母是面包的灵魂。", score=0.1) == ("not_in_vault", ())


def test_without_passages_nothing_answers() -> None:
    assert verdict("zeppelin engine", ["zeppelin", "engine"], score=0.0)[0] == "not_in_vault"


def on_quotes(
    question: str, words: list[str], *lines: tuple[str, str], judged: Verdict = "answered", read: tuple[str, ...] = ()
) -> tuple[str, tuple[str, ...]]:
    """Judge a question by lines, each with the title above it."""
    worths = {term: worth(term) for term in asked_terms(words)}
    quoted = [QuotedLine(text, above) for text, above in lines]
    found = assess_quotes(Answerability(judged, 0.9, ()), question, worths, quoted, read)
    return found.verdict, found.missing


@pytest.mark.parametrize(
    ("question", "words", "line", "unsaid"),
    [
        ("Who founded Threshold House?", ["founded", "threshold", "house"], "Out on Threshold House.", "founded"),
        ("Wer gründete Threshold House?", ["gründete", "threshold", "house"], "Bei Threshold House.", "gründete"),
        ("Chi ha fondato Threshold House?", ["fondato", "threshold", "house"], "Con Threshold House.", "fondato"),
        ("मुंबई किसने बसाया?", ["मुंबई", "बसाया"], "मुंबई एक शहर है।", "बसाया"),
        ("متى تأسست بغداد القديمة؟", ["تأسست", "بغداد", "القديمة"], "بغداد القديمة مدينة.", "تأسست"),
        ("מי ייסד את תל אביב?", ["ייסד", "תל", "אביב"], "תל אביב היא עיר.", "ייסד"),
    ],
)
def test_what_is_asked_must_be_said_by_what_is_quoted(question: str, words: list[str], line: str, unsaid: str) -> None:
    subject = " ".join(word for word in words if word != unsaid)
    assert on_quotes(question, words, (line, subject)) == ("partial", (unsaid,))
    assert on_quotes(question, words, (f"{line} {unsaid}", subject)) == ("answered", ())


def test_words_strewn_over_lines_answer_nothing() -> None:
    strewn = (("Blood pressure was fine.", "Visit"), ("An integer is a type.", "Values"))
    assert on_quotes("What is my blood type?", ["blood", "type"], *strewn) == ("unsure", ())
    assert on_quotes("What is my blood type?", ["blood", "type"], ("Blood type: A", "Me")) == ("answered", ())
    assert on_quotes("什么是卡片笔记法", ["卡片笔记法"], ("今天天气很好。", "天气")) == ("unsure", ())


def test_a_line_that_says_all_is_an_answer() -> None:
    words, line = ["crust", "dark"], ("The crust is dark.", "Bread")
    assert on_quotes("Is the crust dark?", words, line, judged="partial") == ("answered", ())
    assert on_quotes("Is the crust dark?", words, line, judged="unsure") == ("answered", ())
    assert on_quotes("Ist die Kruste hart?", ["kruste", "hart"], line, judged="unsure")[0] == "unsure"


def test_how_often_is_asked_is_not_said() -> None:
    assert on_quotes("How often is it fed", ["often", "fed"], ("It is fed.", "Bread")) == ("answered", ())


def test_a_heading_that_names_what_is_asked_is_no_absence() -> None:
    words = ["support", "vim", "key", "bindings"]
    heading = ("Settings Vim key bindings",)
    assert on_quotes("?", words, judged="not_in_vault") == ("not_in_vault", tuple(words))
    assert on_quotes("?", words, judged="not_in_vault", read=heading)[0] == "partial"


def test_a_word_that_a_hit_says_is_not_missing() -> None:
    judged = Answerability("partial", 0.3, ("zeppelin", "engines"))
    assert without_said(judged, ["The ==engine== is old.", "Bread"]).missing == ("zeppelin",)


@pytest.mark.parametrize(("trust", "counts"), [(1.0, True), (FOREIGN, False), (0.0, False)])
def test_meaning_counts_where_the_model_reads_the_question(trust: float, counts: bool) -> None:
    near = RetrieverResult("meaning", WEIGHTS["meaning"] * trust)
    assert best_passages_of(RankedNotes([], {}, [near], Reasons(), "hybrid")).has_model is counts
