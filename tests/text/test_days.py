import pytest

from bridge.text.days import add_years, asked_days, cut_days, days_in

DAY = frozenset({"2002-09-26", "2002-09"})


@pytest.mark.parametrize(
    "written",
    [
        *("2002-09-26", "2002/9/26", "26.9.2002", "26. 9. 2002", "9/26/2002", "Sep. 26th, 2002", "26 Sep 2002"),
        *("September 26, 2002", "26th of September 2002", "26. September 2002", "26 settembre 2002"),
        *("26 de septiembre de 2002", "26 septembre 2002", "26 сентября 2002", "26 Eylül 2002", "26 września 2002"),
        *("26. září 2002", "26 Σεπτεμβρίου 2002", "26 tháng 9 năm 2002", "2002年9月26日", "2002년 9월 26일"),
    ],
)
def test_a_day_is_read_in_any_notation(written: str) -> None:
    assert days_in(written) == DAY
    assert days_in(f"On {written}, they played.") == DAY
    assert cut_days(f"[{written}]").split() in (["[", "]"], ["[]"])


def test_either_reading_of_a_day_counts_where_the_month_may_be_the_first() -> None:
    assert asked_days("8/3/2023") == {"2023-08-03", "2023-03-08"}


@pytest.mark.parametrize(
    "other", ["in 2002", "12 grams 2000", "2002-13-40", "1.2.20021", "room 26 2002", "1900 bis 26"]
)
def test_other_numbers_are_no_days(other: str) -> None:
    assert days_in(other) == frozenset()
    assert cut_days(other) == other


@pytest.mark.parametrize(
    "written",
    [
        "in September 2002",
        "in Sept. 2002",
        "nel settembre 2002",
        "en septiembre de 2002",
        "im September 2002",
        "2002年9月",
    ],
)
def test_a_month_is_read_in_any_notation(written: str) -> None:
    assert asked_days(f"What happened {written}?") == {"2002-09"}
    assert not asked_days(cut_days(written, months=True))
    assert cut_days(written) == written
    assert days_in(written) <= days_in("On 26 September 2002, they played.")


def test_a_day_is_asked_for_without_its_month() -> None:
    assert asked_days("Was it on 2002-09-26?") == {"2002-09-26"}


@pytest.mark.parametrize("other", ["Marathon 2024", "in room 2002", "2002-13", "the 2002 March"])
def test_other_words_are_no_months(other: str) -> None:
    assert asked_days(other) == frozenset()


@pytest.mark.parametrize(
    "question",
    [
        *("Co robiłam 18 maja?", "18 Mayıs'ta ne yaptık?", "5月18日に何をしましたか", "Τι έγινε στις 18 Μαΐου;"),
        *("Who came on May 18th?", "What was on the 18th of May?", "Что мы ели 18 мая?", "5월 18일에 무엇을 했나요?"),
        *("Was geschah am 18. Mai?", "Ngày 18 tháng 5 tôi đi đâu?", "Où étions-nous le 18 mai?"),
    ],
)
def test_a_day_without_a_year_is_the_last_that_a_name_says(question: str) -> None:
    names = ["Days/2024-05-18.md", "2025年5月18日.md", "May 18, 2019.md", "2026-05-19.md", "Plan.md"]
    assert asked_days(add_years(question, names)) == {"2025-05-18"}
    assert add_years(question, ["2026-05-19.md"]) == question


@pytest.mark.parametrize("other", ["Which 5 decisions came up?", "Who set 18 plates?", "Do 18 marks pass?", "Room 5"])
def test_other_numbers_get_no_year(other: str) -> None:
    assert add_years(other, ["2025-12-05.md", "2025-03-18.md", "2025-09-18.md"]) == other
