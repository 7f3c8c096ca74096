"""What a change did to a note is found again whatever came after, lines that are alike told apart."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.changes.draft import Draft
from bridge.errors import ChangeConflict
from bridge.state.change_records import Change
from bridge.types import VaultPath
from tests.changes.trial import Trial, gone, written

TASK = "- [ ] Feed the starter\n"
DONE = "- [x] Feed the starter\n"
A, B = VaultPath("a.md"), VaultPath("b.md")


def conflicts(vault: Trial, change: Change) -> list[dict[str, object]]:
    before = vault.state()
    with pytest.raises(ChangeConflict) as told:
        vault.undo(change)
    assert vault.state() == before
    found = told.value.facts["conflicts"]
    assert isinstance(found, list)
    return found


def test_a_line_that_others_repeat_is_taken_out_where_it_was_put_in() -> None:
    vault = Trial(a="one\n\ntwo\n\nend\n")
    first = vault.put("a.md", f"one\n{TASK}\ntwo\n\nend\n")
    vault.put("a.md", f"one\n{TASK}\ntwo\n{TASK}\nend\n")
    vault.put("a.md", f"{TASK}one\n{TASK}\ntwo\n{TASK}\nend\n")
    vault.undo(first)
    assert vault.text("a.md") == f"{TASK}one\n\ntwo\n{TASK}\nend\n"


def test_which_of_two_lines_was_ticked_is_not_guessed() -> None:
    vault = Trial(a=TASK)
    added = vault.put("a.md", TASK + TASK)
    ticked = vault.put("a.md", DONE + TASK)
    assert conflicts(vault, added)[0]["lines"] == (1, 2)
    vault.undo(ticked)
    vault.undo(added)
    assert vault.text("a.md") == TASK


def test_lines_that_came_back_are_the_ones_that_went() -> None:
    vault = Trial(a=f"top\n{TASK}")
    added = vault.put("a.md", f"top\n{TASK}{TASK}")
    ticked = vault.put("a.md", f"top\n{TASK}{DONE}")
    another = vault.put("a.md", f"top\n{TASK}{TASK}{DONE}")
    vault.undo(ticked)
    vault.undo(another)
    vault.undo(added)
    assert vault.text("a.md") == f"top\n{TASK}"


def test_what_was_put_where_a_line_had_stood_may_come_before_or_after_it() -> None:
    vault = Trial(a="one\ntwo\nthree\n")
    removed = vault.put("a.md", "one\nthree\n")
    put = vault.put("a.md", "one\nnew\nthree\n")
    assert conflicts(vault, removed)[0]["theirs"] in ("two\nnew\n", "two\n")
    vault.undo(put)
    vault.undo(removed)
    assert vault.text("a.md") == "one\ntwo\nthree\n"


def test_a_line_beside_what_replaced_another_stays_beside_it() -> None:
    vault = Trial(a="one\ntwo\nthree\n")
    replaced = vault.put("a.md", "one\nTWO\nthree\n")
    vault.put("a.md", "one\nabove\nTWO\nbelow\nthree\n")
    vault.undo(replaced)
    assert vault.text("a.md") == "one\nabove\ntwo\nbelow\nthree\n"


def test_lines_in_the_midst_of_what_a_change_wrote_are_not_left_alone() -> None:
    vault = Trial(a="one\n")
    section = vault.put("a.md", "one\n## New\ntext\n")
    vault.put("a.md", "one\n## New\nmine\ntext\n")
    (found,) = conflicts(vault, section)
    assert (found["lines"], found["ours"], found["theirs"]) == ((2, 4), "## New\nmine\ntext\n", "")


def test_what_the_journal_does_not_know_stays() -> None:
    vault = Trial(a=f"one\n{TASK}")
    added = vault.put("a.md", f"one\n{TASK}{TASK}")
    vault.files[A] = f"mine\n{vault.text('a.md')}end\n".encode()
    vault.put("a.md", f"{vault.text('a.md')}{TASK}")
    vault.undo(added)
    assert vault.text("a.md") == f"mine\none\n{TASK}end\n{TASK}"


def test_nothing_is_left_to_do_when_somebody_brought_the_note_back() -> None:
    vault = Trial(a="one\n")
    edits = [vault.put("a.md", "one\ntwo\n"), vault.put("a.md", "one\ntwo\nthree\n")]
    vault.files[A] = b"one\n"
    vault.put("a.md", "zero\none\n")
    assert [vault.undo(edit).steps for edit in edits] == [(), ()]


def test_a_change_and_what_came_to_nothing_after_it_are_turned_back_together() -> None:
    vault = Trial(a="one\n")
    ticked = vault.put("a.md", "one\nDONE\n")
    back = [vault.put("a.md", "one\nTODO\n"), vault.put("a.md", "one\nDONE\n")]
    vault.put("a.md", "one\nDONE\nmore\n")
    vault.undo(ticked)
    assert vault.text("a.md") == "one\nmore\n"
    assert [vault.undo(change).steps for change in reversed(back)] == [(), ()]


def test_an_undo_that_is_undone_is_in_force_again() -> None:
    vault = Trial(a=f"{TASK}one\n")
    added = vault.put("a.md", f"{TASK}{TASK}one\n")
    undone = vault.undo(added)
    later = vault.put("a.md", f"{TASK}one\nlater\n")
    vault.undo(undone)
    vault.undo(later)
    assert vault.text("a.md") == f"{TASK}{TASK}one\n"


def test_a_note_that_was_moved_since_it_was_made_goes_where_it_is() -> None:
    vault = Trial(b="[[a]]\n")
    start = vault.state()
    made = vault.put("F/a.md", "[[b]]\n")

    def draw(draft: Draft) -> None:
        gone(draft, VaultPath("F/a.md"), VaultPath("G/c.md"))
        written(draft, VaultPath("G/c.md"), "[[../b]]\n")
        written(draft, B, "[[c]]\n")

    followed = vault.do(draw)
    vault.undo(made)
    assert set(vault.files) == {B}
    vault.undo(followed)
    assert vault.state() == start


@pytest.mark.parametrize(
    "later", ["[[b]]\nmine\n", "[[c]] mine\n", "[[mine]]\n", "[[c|mine]]\n", "[[c#mine]]\n", "[[c]] [[c]]\n", ""]
)
def test_a_note_that_was_written_in_by_a_change_that_also_moves_stays(later: str) -> None:
    vault = Trial(b="b\n")
    made = vault.put("a.md", "[[b]]\n")

    def draw(draft: Draft) -> None:
        gone(draft, B, VaultPath("c.md"))
        written(draft, VaultPath("a.md"), later)

    vault.do(draw)
    assert "lost" in str(conflicts(vault, made)[0]["why"])
    assert vault.text("a.md") == later


@pytest.mark.parametrize("label", ["", "|b", "|other"])
def test_a_note_whose_links_followed_a_move_goes_with_its_creation(label: str) -> None:
    vault = Trial(b="b\n")
    made = vault.put("a.md", f"[[b#x{label}]]\n")

    def draw(draft: Draft) -> None:
        gone(draft, B, VaultPath("F/c.md"))
        written(draft, VaultPath("a.md"), f"[[F/c#x{label.replace('b', 'c')}]]\n")

    vault.do(draw)
    vault.undo(made)
    assert set(vault.files) == {VaultPath("F/c.md")}


def test_a_note_that_was_written_in_since_it_was_moved_stays() -> None:
    vault = Trial()
    made = vault.put("F/a.md", "made\n")
    vault.move("F/a.md", "c.md")
    vault.put("c.md", "made\nmine\n")
    assert "lost" in str(conflicts(vault, made)[0]["why"])


def test_a_file_is_not_taken_for_another_that_has_its_name_now() -> None:
    vault = Trial(a="old\n")
    moved = vault.move("a.md", "c.md")
    vault.put("c.md", None)
    vault.put("c.md", "another\n")
    assert "no longer exists" in str(conflicts(vault, moved)[0]["why"])


def test_a_note_follows_its_folder_when_it_is_turned_back() -> None:
    vault = Trial()
    vault.put("F/a.md", "a\n")
    start = vault.state()
    out, made = vault.move("F/a.md", "b.md"), vault.put("F/new.md", "new\n")
    folder = vault.move("F", "G")
    vault.undo(out)
    vault.undo(made)
    assert set(vault.files) == {"G/a.md"}
    vault.undo(folder)
    assert vault.state() == start


def test_nothing_is_left_to_do_for_moves_of_a_folder_that_went_with_its_creation() -> None:
    vault = Trial()
    made, *moved = vault.put("G/a.md", "a\n"), vault.move("G", "K"), vault.move("K", "G")
    vault.undo(made)
    assert vault.state() == ({}, set())
    assert [vault.undo(move).steps for move in reversed(moved)] == [(), ()]


def test_a_folder_does_not_go_back_into_itself() -> None:
    vault = Trial()
    vault.put("F/L/a.md", "a\n")
    start = vault.state()
    first = vault.move("F/L", "K")
    second = vault.move("F", "K/F")
    assert "in it by now" in str(conflicts(vault, first)[0]["why"])
    vault.undo(second)
    vault.undo(first)
    assert vault.state() == start


def test_a_folder_goes_with_the_last_thing_in_it_when_what_made_it_is_undone() -> None:
    vault = Trial()
    first, second = vault.put("F/G/a.md", "a\n"), vault.put("F/G/b.md", "b\n")
    vault.undo(first)
    vault.undo(second)
    assert vault.state() == ({}, set())


def test_a_folder_goes_with_what_made_it_wherever_it_was_moved() -> None:
    vault = Trial()
    vault.folders.add(VaultPath("F"))
    start = vault.state()
    made = vault.put("F/G/a.md", "a\n")
    out, folder = vault.move("F/G/a.md", "b.md"), vault.move("F", "H")
    for change in (made, folder, out):
        vault.undo(change)
    assert vault.state() == start


def test_nothing_comes_back_to_a_name_that_others_go_back_through() -> None:
    vault = Trial(a="a\n", b="b\n")
    start = vault.state()
    changes = [vault.put("b.md", None), vault.move("a.md", "b.md"), vault.put("b.md", None)]
    assert changes[2].id in str(conflicts(vault, changes[0])[0]["why"])
    for change in reversed(changes):
        vault.undo(change)
    assert vault.state() == start


def test_what_is_brought_back_and_moved_on_at_once_is_the_file_that_it_was() -> None:
    vault = Trial(a="a\n")
    start = vault.state()
    changes = vault.move("a.md", "b.md"), vault.put("b.md", None)
    back = vault.undo(*reversed(changes))
    again = vault.undo(back)
    assert vault.files == {}
    vault.undo(again)
    vault.undo(back)
    for change in reversed(changes):
        vault.undo(change)
    assert vault.state() == start


def test_a_note_that_was_removed_again_is_not_one_that_was_never_made() -> None:
    vault = Trial(a="a\n")
    moved, removed = vault.move("a.md", "b.md"), vault.put("b.md", None)
    vault.undo(vault.undo(removed))
    assert "no longer exists" in str(conflicts(vault, moved)[0]["why"])
    assert [vault.today_of(change).state for change in (moved, removed)] == ["applied", "applied"]


def test_what_was_taken_out_of_a_note_does_not_come_back_without_the_note() -> None:
    vault = Trial()
    made, edit = vault.put("a.md", "one\n"), vault.put("a.md", "one\ntwo\n")
    without = vault.undo(edit)
    vault.undo(made)
    assert "no longer exists" in str(conflicts(vault, without)[0]["why"])
    vault.redo(made)
    vault.undo(without)
    assert vault.text("a.md") == "one\ntwo\n"


def test_an_edit_that_is_in_force_again_does_not_say_that_its_note_is_removed() -> None:
    vault = Trial(a="one\ntwo\n")
    vault.has_trash = True
    edit, removed = vault.put("a.md", "one\nTWO\n"), vault.put("a.md", None)
    undone = vault.undo(removed, edit)
    vault.undo(undone, hunks=[1])
    assert vault.text("a.md") == "one\nTWO\n"
    assert [vault.today_of(change).state for change in (edit, removed)] == ["applied", "undone"]


def test_a_note_that_comes_back_with_its_folder_in_parts_is_in_force_again() -> None:
    vault = Trial()
    made = vault.put("F/a.md", "one\n")
    vault.undo(made)
    vault.proposes = True
    again = vault.redo(made)
    vault.proposes = False
    vault.accept(again, hunks=[1])
    assert vault.text("F/a.md") == "one\n"
    assert 1 not in vault.today_of(made).facts.undone


def test_what_an_undo_of_several_took_away_comes_back_where_it_was_though_a_part_came_back_before() -> None:
    vault = Trial()
    changes = vault.put("a.md", "a\n"), vault.move("a.md", "F/b.md")
    undone = vault.undo(*reversed(changes))
    vault.undo(vault.undo(undone, hunks=[1]))
    vault.undo(undone)
    assert set(vault.files) == {"F/b.md"}


def test_a_note_that_says_something_else_since_it_came_back_is_not_removed_again() -> None:
    vault = Trial(a="one\n")
    vault.has_trash = True
    edit = vault.put("a.md", "one\ntwo\n")
    back = vault.undo(vault.put("a.md", None))
    vault.undo(edit)
    assert "lost" in str(conflicts(vault, back)[0]["why"])


def test_a_part_that_is_undone_is_not_undone_again() -> None:
    vault = Trial(a="one\n")
    change = vault.put("a.md", "one\ntwo\n")
    undone = vault.undo(change, hunks=[1])
    vault.undo(undone, hunks=[1])
    vault.undo(change, hunks=[1])
    assert vault.undo(undone, hunks=[1]).steps == ()
    assert (vault.text("a.md"), vault.today_of(change).state) == ("one\n", "undone")


def test_a_folder_that_is_there_by_itself_stays_when_it_is_empty() -> None:
    vault = Trial()
    vault.folders.add(VaultPath("F"))
    vault.undo(vault.put("F/a.md", "a\n"))
    assert vault.folders == {VaultPath("F")}


def test_a_removed_note_comes_back_though_somebody_wrote_in_the_trash() -> None:
    vault = Trial(a="old\n")
    vault.has_trash = True
    removed = vault.put("a.md", None)
    vault.trash[VaultPath(".trash/a.md")] = b"mine\n"
    vault.undo(removed)
    assert (vault.text("a.md"), vault.trash) == ("old\n", {".trash/a.md": b"mine\n"})
    assert vault.notes == ("`.trash/a.md` was changed since, and stays; `a.md` says what it said before.",)


LINE = st.sampled_from(["\n", "same\n", "same\n", "other\n", "- [ ] task\n", "- [x] task\n"])
PLACES = ("a.md", "b.md", "F/a.md", "F/b.md", "G/a.md", "G/H/a.md", "c.md")
FOLDERS = ("F", "G", "G/H", "K", "F/L")


def change_something(vault: Trial, dice: random.Random, line: str) -> None:
    """Make a change of some kind, if it can be made."""
    path = dice.choice(sorted(vault.files) or [A])
    free = [place for place in PLACES if place not in vault.files]
    lines = vault.text(path).splitlines(keepends=True) if path in vault.files else []
    at = dice.randrange(len(lines) + 1)
    match dice.randrange(8):
        case 0 | 1:
            vault.put(path, "".join([*lines[:at], line, *lines[at:]]))
        case 2 | 3 if lines:
            vault.put(path, "".join([*lines[:at], *([line] if dice.random() < 0.7 else []), *lines[at + 1 :]]))
        case 4 if free:
            vault.put(dice.choice(free), line)
        case 5 if free and path in vault.files:
            vault.move(path, dice.choice(free))
        case 6 if path in vault.files:
            vault.put(path, None)
        case 7 if vault.folders:
            here, to = dice.choice(sorted(vault.folders)), dice.choice(FOLDERS)
            if to not in vault.folders and not to.startswith(f"{here}/"):
                vault.move(here, to)


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.lists(LINE, max_size=14), st.booleans())
def test_everything_is_as_it_was_when_all_is_undone_in_any_order(
    dice: random.Random, added: list[str], has_trash: bool
) -> None:
    vault = Trial(a="same\nsame\n\nother\n", b="- [ ] task\n- [ ] task\nend\n")
    vault.has_trash = has_trash
    vault.folders.add(VaultPath("F"))
    start = vault.state()
    for line in added:
        change_something(vault, dice, line)
    vault.undo_in_any_order(dice)
    assert vault.state() == start
    assert vault.trash == {}
