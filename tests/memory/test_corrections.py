"""The lines of the note of corrections."""

from datetime import date

import pytest
from msgspec.structs import replace

from bridge.features.corrections.operations import (
    Replacement,
    add_correction,
    new_correction,
    open_items,
    open_replacements,
    read_corrections,
    settle_replacements,
)

DAY = date(2026, 1, 2)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("about", ["", "Bread/Rye · loaf", "Bread/Rye [2].md"])
def test_what_is_written_is_read_again_and_the_rest_stays(end: str, about: str) -> None:
    one = new_correction("wrong_fact", "Rye · needs\nmore [[Water]] ^here", about.replace(" ·", ""), "an agent", DAY)
    before = f"---{end}type: corrections{end}---{end}Mine.{end}- by hand{end}no end"
    text = add_correction(before, one)
    assert text.startswith(before)
    assert list(read_corrections(text)) == [one]
    other = new_correction("general", "Other", "", "", DAY)
    both = add_correction(text + f"{end}After.{end}", other)
    assert [each.id for each in read_corrections(both)] == [one.id, other.id]
    assert both.index("Other") < both.index("After.")
    ticked = both.replace("- [ ] wrong_fact", "- [x] wrong_fact")
    assert [each.is_open for each in read_corrections(ticked)] == [False, True]
    opened = add_correction(ticked, replace(one, day=date(2026, 3, 4)))
    assert next((each.is_open, each.day.isoformat()) for each in read_corrections(opened)) == (True, "2026-03-04")
    assert [line for line in opened.splitlines() if one.id not in line] == [
        line for line in both.splitlines() if one.id not in line
    ]


def test_a_box_that_a_person_ticks_resolves_a_correction() -> None:
    text = add_correction("", new_correction("general", "Say dough", "", "", DAY))
    ticked = text.replace("- [ ]", "- [x]")
    for after in ("", " · applied", " · dismissed: It is right", " ✅ 2026-01-03"):
        [one] = read_corrections(ticked.replace("2026-01-02 ", f"2026-01-02{after} "))
        assert (one.text, one.day, one.is_open) == ("Say dough", DAY, False)
    assert open_items(text) == ["general · Say dough · 2026-01-02"]
    assert open_items(text.replace("- [ ]", "- [x]") + "* by hand\n1. [-] no\n2) [ ] yes\n") == ["by hand", "yes"]


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] general · Text · 2026-13-02 ^c-00000000",
        "- [ ] other · Text · 2026-01-02 ^c-00000000",
        "- [ ] general · Text · 2026-01-02 ^c-000",
        "- general · Text · 2026-01-02 ^c-00000000",
    ],
)
def test_other_lines_are_no_corrections(line: str) -> None:
    assert list(read_corrections(line)) == []


def test_the_same_words_have_the_same_id() -> None:
    one, other = (new_correction("general", text, "A", "", DAY) for text in ("Say  dough", "say dough"))
    assert one.id == other.id != new_correction("general", "say dough", "B", "", DAY).id


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- Kneip → Kneipp", ("Kneip", "Kneipp", "")),
        ("- Kniep -> Kneipp", ("Kniep", "Kneipp", "")),
        ("- [ ] `Kniep` => `Kneipp`.", ("Kniep", "Kneipp", "")),
        ("- [ ] “Kniep” is spelt “Kneipp”", ("Kniep", "Kneipp", "")),
        ("- [ ] it is “Kneipp”, not “Kniep”", ("Kniep", "Kneipp", "")),
        ("- “Kneipp” instead of “Kniep” ^own", ("Kniep", "Kneipp", "")),
        ("- not “Kniep” but “Kneipp”", ("Kniep", "Kneipp", "")),
        ("- [ ] wrong_name · Kniep → Kneipp · in [[Bath]] · 2026-01-02 ^c-00000001", ("Kniep", "Kneipp", "Bath")),
        ("- [ ] wrong_link · Kniep → Kneipp · in [[Bath]] · 2026-01-02 ^c-00000001", None),
        ("- [x] Kniep → Kneipp", None),
        ("- [ ] it → that", None),
        ("Kniep → Kneipp", None),
        ("- salt → sea salt", None),
        ("- Kneipp, not Kniep", None),
        ("- one → two → three", None),
        ("- The dough rises", None),
    ],
)
def test_sentences_say_which_words_should_be_which(line: str, expected: tuple[str, str, str] | None) -> None:
    found = [(one.old, one.new, one.about) for one in open_replacements(f"# Corrections\n\n{line}\n")]
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("old", "text", "starts"),
    [
        ("Rye", "Rye, Ryes", [0]),
        ("राम", "रामायण, राम", [8]),
        ("حسن", "حسنًا حسن", [6]),
        ("京都", "東京都、京都", [4]),
        ("กา", "กาแฟ กา", [5]),
        ("민수", "김민수, 민수는", [5]),
    ],
)
def test_old_words_are_words_of_their_own(old: str, text: str, starts: list[int]) -> None:
    assert [start for start, _ in Replacement(old, "X", "").spans(text)] == starts


def test_only_the_tasks_of_what_was_applied_are_ticked() -> None:
    text = (
        "- [ ] wrong_name · Kniep → Kneipp · 2026-01-02 ^c-00000001\r\n"
        "  * [ ] Kniep → Kneipp ^own\n- Kniep → Kneipp\n- [x] Kniep → Kneipp\n"
        "- [ ] wrong_name · Kniep → Kneipp · in [[Bath]] · 2026-01-02 ^c-00000002\n- [ ] Basle → Basel\n"
    )
    (applied,) = {one for one in open_replacements(text) if (one.old, one.about) == ("Kniep", "")}
    assert settle_replacements(text, [applied]) == text.replace(
        "[ ] wrong_name · Kniep → Kneipp · 2026-01-02 ^", "[x] wrong_name · Kniep → Kneipp · 2026-01-02 · applied ^"
    ).replace("* [ ]", "* [x]")
    assert settle_replacements(text, []) == text
