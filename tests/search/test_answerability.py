"""Whether passages answer a question."""

from bridge.search.answerability import BestPassages, asked_terms, assess

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
