"""Names that change hands go back to where they were, one by one and together."""

import random

import pytest

from bridge.changes.draft import Draft
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.changes.name_story import NameStory
from tests.changes.trial import Trial, gone, written

A = VaultPath("a.md")
COURSES = {
    "there and back": ("a a2", "a2 a"),
    "in a circle": ("a a2", "a2 a3", "a3 a"),
    "a swap": ("a between", "b a", "between b"),
    "renumbering": ("c d", "b c", "a b"),
    "folders": ("F G", "G F"),
    "a swap of folders": ("F Between", "H F", "Between H"),
    "delete and take the name": ("b", "a b"),
    "edit between": ("a a2", "a2 +", "a2 a"),
}


def do(draft: Draft, deed: str) -> None:
    """Move a file or folder, add a line to a file, or delete it."""
    name, _, to = deed.partition(" ")
    ending = "" if name in ("F", "G", "H", "Between") else ".md"
    path = VaultPath(f"{name}{ending}")
    match to:
        case "":
            written(draft, path, None)
        case "+":
            written(draft, path, draft.read(path).decode() + "more\n")
        case _:
            gone(draft, path, VaultPath(f"{to}{ending}"))


def vault() -> Trial:
    found = Trial(a="a\n", b="b\n", c="c\n")
    found.put("F/x.md", "x\n")
    found.put("H/y.md", "y\n")
    return found


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_a_session_in_which_names_change_hands_is_undone(course: tuple[str, ...]) -> None:
    there = vault()
    start = there.state()
    changes = [there.do(lambda draft, deed=deed: do(draft, deed)) for deed in course]  # type: ignore[misc]
    there.undo(*reversed(changes))
    assert there.state() == start
    assert {there.today_of(change).state for change in changes} == {"undone"}


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_one_change_in_which_names_change_hands_is_undone_and_made_again(course: tuple[str, ...]) -> None:
    there = vault()
    start = there.state()

    def draw(draft: Draft) -> None:
        for deed in course:
            do(draft, deed)

    draft = there.draft()
    draw(draft)
    if not draft.plan.steps:
        assert course[0].split() == course[-1].split()[::-1] or len(course) == 3
        return
    change = there.do(draw)
    made = there.state()
    undone = there.undo(change)
    assert there.state() == start
    there.undo(undone)
    assert there.state() == made
    there.undo(change)
    assert there.state() == start


def test_two_folders_of_one_name_that_one_undo_took_away_are_told_apart() -> None:
    there = Trial(one="one\n", two="two\n")

    def draw(draft: Draft) -> None:
        gone(draft, VaultPath("one.md"), VaultPath("F/one.md"))
        gone(draft, VaultPath("F"), VaultPath("H"))
        gone(draft, VaultPath("two.md"), VaultPath("F/two.md"))

    change = there.do(draw)
    made = there.state()
    undone = there.undo(change)
    there.undo(undone)
    assert there.state() == made
    there.undo(change)
    assert set(there.files) == {"one.md", "two.md"}


def test_an_undo_that_was_made_again_is_no_move_of_its_own() -> None:
    there = vault()
    start = there.state()
    change = there.move("a.md", "a2.md")
    undone = there.undo(change)
    again = there.undo(undone)
    there.undo(again)
    there.redo(again)
    there.undo(change)
    assert there.state() == start


def test_a_folder_keeps_its_names_however_often_it_comes_and_goes() -> None:
    there = vault()
    start = there.state()
    changes = [there.put("J/a.md", "a\n"), there.move("J", "K"), there.move("K/a.md", "K/b.md")]
    made = there.state()
    undone = there.undo(*reversed(changes))
    again = there.undo(undone)
    there.undo(again)
    there.undo(undone)
    assert there.state() == made
    for change in reversed(changes):
        there.undo(change)
    assert there.state() == start


def test_a_move_that_is_undone_while_the_note_is_gone_is_in_force_again_with_the_note() -> None:
    there = vault()
    start = there.state()
    made, first, second = there.put("new.md", "new\n"), there.move("new.md", "n2.md"), there.move("n2.md", "n3.md")
    moved = there.state()
    removed = there.undo(made)
    assert there.state() == start
    there.undo(second)
    assert there.today_of(second).state == "undone"
    back = there.undo(removed)
    assert (there.state(), there.today_of(second).state) == (moved, "applied")
    there.undo(back)
    assert (there.state(), there.today_of(second).state) == (start, "undone")
    there.undo(removed)
    assert (there.state(), there.today_of(second).state) == (moved, "applied")
    for change in (second, first, made):
        there.undo(change)
    assert there.state() == start


@pytest.mark.parametrize("has_trash", [False, True])
def test_of_two_files_of_one_name_that_one_undo_took_away_the_one_that_comes_back_is_known(*, has_trash: bool) -> None:
    there = Trial()
    there.has_trash = has_trash
    changes = [there.put("a.md", "first\n"), there.put("a.md", None), there.put("a.md", "second\n")]
    undone = there.undo(*reversed(changes))
    there.undo(undone)
    assert there.text("a.md") == "second\n"
    there.undo(changes[2])
    assert there.files == {}
    there.undo(changes[1])
    assert there.text("a.md") == "first\n"
    there.undo(changes[0])
    assert there.state() == ({}, set())


def test_an_empty_folder_stays_that_a_change_in_force_again_had_moved() -> None:
    there = vault()
    made, moved = there.put("J/x.md", "x\n"), there.move("J", "K")
    there.undo(made)
    there.put("K/y.md", "y\n")
    undone = there.undo(moved)
    there.move("J/y.md", "y.md")
    there.undo(undone)
    assert there.today_of(moved).state == "applied"
    assert {"J", "K"} & there.folders == {"K"}


def test_no_folder_stays_where_an_undo_led_a_note_through_one_that_moved() -> None:
    there = vault()
    made = there.put("J/I/x.md", "x\n")
    there.put("J/y.md", "y\n")

    def draw(draft: Draft) -> None:
        gone(draft, A, VaultPath("J/I/a.md"))
        gone(draft, VaultPath("J/I/a.md"), A)
        gone(draft, VaultPath("J"), VaultPath("K"))

    passed = there.do(draw)
    there.undo(made)
    assert "K/I" not in there.folders
    there.undo(passed)
    assert "J/I" not in there.folders


def test_no_folder_stays_that_an_undo_only_passed_through() -> None:
    there = vault()
    start = there.state()
    made = there.put("J/x.md", "x\n")

    def draw(draft: Draft) -> None:
        gone(draft, VaultPath("a.md"), VaultPath("J/a.md"))
        gone(draft, VaultPath("J/a.md"), VaultPath("a.md"))

    passed = there.do(draw)
    there.undo(made)
    there.undo(passed)
    assert there.state() == start


def test_a_change_that_had_nothing_to_do_is_undone() -> None:
    there = vault()
    start = there.state()
    change = there.do(lambda draft: draft.take(Plan((Step("make_folder", VaultPath("F")),))))
    assert change.steps == ()
    there.undo(change)
    assert (there.today_of(change).state, there.state()) == ("undone", start)


def test_what_is_made_moves_there_and_back_and_is_removed_leaves_nothing() -> None:
    there = vault()
    start = there.state()

    def draw(draft: Draft) -> None:
        written(draft, VaultPath("G/new.md"), "new\n")
        gone(draft, VaultPath("G/new.md"), VaultPath("G/F/new.md"))
        written(draft, VaultPath("other.md"), "other\n")
        gone(draft, VaultPath("G/F/new.md"), VaultPath("G/new.md"))
        written(draft, VaultPath("G/new.md"), None)

    change = there.do(draw)
    assert set(there.files) == {*start[0], "other.md"}
    there.undo(change)
    assert there.state() == start


@pytest.mark.parametrize("number", [20799, 21473, 21491, 22213])
def test_an_empty_folder_comes_back_however_those_around_it_trade_their_names(number: int) -> None:
    story = NameStory(random.Random(number), has_trash=number % 2 == 0, has_links=number % 3 == 0)
    for _ in range(1 + number % 5):
        story.go_on()
    story.undo_all()


@pytest.mark.parametrize("number", range(40))
def test_whatever_is_called_undone_is_undone_in_a_vault_of_few_names(number: int) -> None:
    story = NameStory(random.Random(number), has_trash=number % 2 == 0, has_links=number % 3 == 0)
    for _ in range(1 + number % 5):
        story.go_on()
    story.undo_all()
