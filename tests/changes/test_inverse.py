"""Changes are turned back, made again and accepted on what the notes are by now, and nobody's words are lost."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.changes.draft import Draft
from bridge.changes.hunks import differences
from bridge.errors import ChangeConflict, InvalidArguments
from bridge.state import file_history
from bridge.state.change_records import Change
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.changes.trial import Trial, gone, written

NOTE = "".join(f"line {number}\n" for number in range(1, 31))
A, B = VaultPath("a.md"), VaultPath("b.md")


def conflicts(deed: Callable[[], object]) -> list[dict[str, object]]:
    with pytest.raises(ChangeConflict) as told:
        deed()
    found = told.value.facts["conflicts"]
    assert isinstance(found, list)
    assert found[0]["path"] in told.value.message
    return found


def proposed(vault: Trial, path: str, text: str) -> Change:
    vault.proposes = True
    change = vault.put(path, text)
    vault.proposes = False
    return change


def test_an_edit_is_turned_back_and_made_again() -> None:
    vault = Trial(a=NOTE)
    change = vault.put("a.md", NOTE.replace("line 5\n", "five\n"))
    vault.undo(change)
    assert vault.text("a.md") == NOTE
    vault.redo(change)
    assert vault.text("a.md") == NOTE.replace("line 5\n", "five\n")


def test_what_came_since_stays_though_the_note_moved() -> None:
    vault = Trial(a=NOTE)
    change = vault.put("a.md", NOTE.replace("line 5\n", "five\n"))
    vault.put("a.md", vault.text("a.md") + "mine\n")
    vault.move("a.md", "Deep/er/c.md")
    vault.put("Deep/er/c.md", "first\n" + vault.text("Deep/er/c.md"))
    vault.undo(change)
    assert vault.text("Deep/er/c.md") == f"first\n{NOTE}mine\n"


def test_an_appended_line_goes_though_another_was_appended_after_it() -> None:
    vault = Trial(a="log\n")
    first = vault.put("a.md", "log\n\none\n")
    second = vault.put("a.md", "log\n\none\n\ntwo\n")
    vault.undo(first)
    assert vault.text("a.md") == "log\n\ntwo\n"
    vault.undo(second)
    assert vault.text("a.md") == "log\n"


def test_lines_changed_since_are_a_conflict_that_shows_them() -> None:
    vault = Trial(a=NOTE)
    change = vault.put("a.md", NOTE.replace("line 5\n", "five\n"))
    vault.put("a.md", "new\n" + vault.text("a.md").replace("five\n", "FIVE\n"))
    before = vault.state()
    (found,) = conflicts(lambda: vault.undo(change))
    assert found == {
        "path": "a.md",
        "why": "These lines were changed since.",
        "lines": (6, 6),
        "base": "five\n",
        "ours": "FIVE\n",
        "theirs": "line 5\n",
    }
    assert vault.state() == before


def test_a_change_that_was_changed_back_is_not_turned_back_twice() -> None:
    vault = Trial(a="- [ ] task\n")
    done = vault.put("a.md", "- [x] task\n")
    vault.put("a.md", "- [ ] task\n")
    assert "already" in str(conflicts(lambda: vault.undo(done))[0]["why"])
    vault.put("a.md", "- [ ] task\n\nmore\n")
    conflicts(lambda: vault.undo(done))


def test_a_made_note_goes_with_its_folders_unless_something_is_in_them() -> None:
    vault = Trial()
    first, second = vault.put("F/G/a.md", "a\n"), vault.put("F/b.md", "b\n")
    vault.undo(first)
    assert vault.state() == ({VaultPath("F/b.md"): b"b\n"}, {VaultPath("F")})
    vault.redo(first)
    vault.undo(second)
    assert vault.state()[1] == {VaultPath("F"), VaultPath("F/G")}


def test_a_made_note_that_was_edited_since_stays() -> None:
    vault = Trial()
    change = vault.put("a.md", "made\n")
    vault.put("a.md", "made\nmine\n")
    assert "lost" in str(conflicts(lambda: vault.undo(change))[0]["why"])
    assert vault.text("a.md") == "made\nmine\n"


def test_a_removed_note_comes_back_unless_its_name_is_taken() -> None:
    vault = Trial(a="old\n")
    change = vault.put("a.md", None)
    vault.undo(change)
    assert vault.text("a.md") == "old\n"
    vault.redo(change)
    vault.put("a.md", "other\n")
    assert "name" in str(conflicts(lambda: vault.undo(change))[0]["why"])


@pytest.mark.parametrize("kept", [False, True])
def test_a_removed_note_comes_back_out_of_the_trash(kept: bool) -> None:
    vault = Trial(a="old\n")
    vault.has_trash = True
    change = vault.put("a.md", None)
    if not kept:
        vault.kept.clear()
    vault.undo(change)
    assert (vault.text("a.md"), vault.trash) == ("old\n", {})


def test_a_removed_note_comes_back_though_the_trash_was_emptied() -> None:
    vault = Trial(a="old\n")
    vault.has_trash = True
    change, edit = vault.put("b.md", "b\n"), vault.put("b.md", "more\n")
    gone = vault.put("b.md", None)
    vault.trash.clear()
    vault.undo(gone, edit, change)
    assert set(vault.files) == {"a.md"}


def test_a_note_from_the_trash_is_turned_back_further() -> None:
    vault = Trial(a="old\n")
    vault.has_trash = True
    changes = vault.put("a.md", "new\n"), vault.move("a.md", "F/b.md"), vault.put("F/b.md", None)
    vault.undo(*reversed(changes))
    assert (vault.text("a.md"), vault.trash) == ("old\n", {})


def test_a_note_that_is_gone_is_a_conflict() -> None:
    vault = Trial(a="a\n")
    edit, move = vault.put("a.md", "b\n"), vault.move("a.md", "b.md")
    vault.put("b.md", None)
    for change in (edit, move):
        assert "no longer exists" in str(conflicts(lambda change=change: vault.undo(change))[0]["why"])  # type: ignore[misc]


def both_moved(vault: Trial) -> Change:
    """Move a note, and with it rewrite the note that links to it."""

    def draw(draft: Draft) -> None:
        gone(draft, A, VaultPath("F/c.md"))
        written(draft, B, "see [[F/c]]\n")

    return vault.do(draw)


def test_a_move_is_turned_back_with_the_links_that_it_rewrote() -> None:
    vault = Trial(a=NOTE, b="see [[a]]\n")
    start = vault.state()
    change = both_moved(vault)
    vault.put("F/c.md", NOTE + "more\n")
    vault.undo(change)
    assert vault.text("a.md") == NOTE + "more\n"
    assert vault.text("b.md") == "see [[a]]\n"
    assert vault.state()[1] == start[1]


@pytest.mark.parametrize("why", ["is taken", "moved since"])
def test_a_move_is_not_turned_back_over_what_came_since(why: str) -> None:
    vault = Trial(a=NOTE, b="see [[a]]\n")
    change = both_moved(vault)
    if why == "is taken":
        vault.put("a.md", "other\n")
    else:
        vault.move("F/c.md", "d.md")
    before = vault.state()
    assert why in str(conflicts(lambda: vault.undo(change))[0]["why"])
    assert vault.state() == before


def test_a_folder_is_moved_back_with_what_came_into_it_since() -> None:
    vault = Trial()
    vault.put("F/a.md", "a\n")
    change = vault.move("F", "G")
    vault.put("G/b.md", "b\n")
    vault.undo(change)
    assert set(vault.files) == {"F/a.md", "F/b.md"}


def test_a_session_is_turned_back_as_one_change() -> None:
    vault = Trial(a="one\n", b="two\n")
    start = vault.state()
    made = [
        vault.put("a.md", "one\nmore\n"),
        vault.move("a.md", "F/a.md"),
        vault.put("F/a.md", "one\nmore\nand more\n"),
        vault.put("F/new.md", "new\n"),
        vault.put("F/new.md", "newer\n"),
        vault.put("b.md", None),
    ]
    undone = vault.undo(*reversed(made))
    assert vault.state() == start
    assert [(step.kind, step.path) for step in undone.steps if not step.kind.endswith("folder")] == [
        ("put", "b.md"),
        ("remove", "F/new.md"),
        ("put", "F/a.md"),
        ("move", "F/a.md"),
    ]


def test_what_the_owner_turned_back_by_hand_does_not_keep_the_rest_from_it() -> None:
    vault = Trial(a="one\n", b="- [ ] two\n", c="three\n", d="four\n")
    start = vault.state()
    made = [
        *(vault.put("F/junk.md", "junk\n"), vault.put("F/junk.md", "more junk\n"), vault.move("F/junk.md", "F/j.md")),
        *(vault.put("a.md", "one\nmore\n"), vault.put("b.md", "- [x] two\n"), vault.move("c.md", "F/c.md")),
        vault.put("d.md", None),
    ]
    # As another program does it.
    del vault.files[VaultPath("F/j.md")]
    vault.files |= {B: b"- [ ] two\n", VaultPath("d.md"): b"four\n"}
    vault.files[VaultPath("c.md")] = vault.files.pop(VaultPath("F/c.md"))
    follow_move(vault, "F/c.md", "c.md")
    vault.undo(*reversed(made))
    assert vault.state() == start
    assert {vault.today_of(change).state for change in made} == {"undone"}
    gone, same = "no longer exists, and stays so.", "is as it was before already."
    assert [*vault.notes] == [
        *(f"`d.md` {same}", f"`c.md` {same}", f"`b.md` {same}"),
        f"`F/j.md` {gone}",
    ]


def follow_move(vault: Trial, path: str, to: str) -> None:
    """Let the changes of a file follow a move by another program."""
    file_history.move(vault.journal, {VaultPath(path): VaultPath(to)})


def test_a_line_that_the_owner_put_back_among_others_counts_as_turned_back() -> None:
    vault = Trial(a=NOTE)
    change = vault.put("a.md", NOTE.replace("line 5\n", "five\n").replace("line 25\n", "25\n"))
    vault.files[A] = NOTE.replace("line 25\n", "25\n").replace("line 15\n", "mine\n").encode()
    vault.undo(change)
    assert vault.text("a.md") == NOTE.replace("line 15\n", "mine\n")


def test_what_conflicts_in_a_session_stays_with_what_it_needs() -> None:
    vault = Trial(a="one\n", b="two\n")
    made = [vault.put("new.md", "new\n"), vault.put("a.md", "uno\n"), vault.put("b.md", "two\nmore\n")]
    made += [vault.put("new.md", "newer\n"), vault.put("c.md", "three\n")]
    vault.files |= {A: b"eins\n", VaultPath("new.md"): b"mine\n"}
    undone = vault.undo(*reversed(made))
    assert vault.files == {A: b"eins\n", B: b"two\n", VaultPath("new.md"): b"mine\n"}
    assert [vault.today_of(change).state for change in made] == [*["applied"] * 2, "undone", "applied", "undone"]
    assert undone.facts.undoes == (made[4].id, made[2].id)
    assert [note[:7] for note in vault.notes] == [f"`{made[at].id}` " for at in (3, 1, 0)]
    vault.undo(undone)
    assert vault.text("b.md") == "two\nmore\n"
    conflicts(lambda: vault.undo(made[3], made[1], made[0]))


def test_some_hunks_are_turned_back_by_the_numbers_that_are_shown() -> None:
    after = NOTE.replace("line 2\n", "two\n").replace("line 15\n", "").replace("line 28\n", "line 28\nmore\n")
    vault = Trial(a=NOTE, b=NOTE)

    def draw(draft: Draft) -> None:
        written(draft, B, after)
        written(draft, A, after)
        written(draft, VaultPath("c.md"), "made\n")

    change = vault.do(draw)
    shown = {
        hunk.number: found.step.path for found in differences(change.steps, vault.snapshot) for hunk in found.hunks
    }
    assert list(shown.values()) == ["b.md"] * 3 + ["a.md"] * 3 + ["c.md"]
    vault.put("a.md", "mine\n" + vault.text("a.md"))
    vault.undo(change, hunks=[2, 4, 7])
    assert vault.text("b.md") == after.replace("line 14\n", "line 14\nline 15\n")
    assert vault.text("a.md") == "mine\n" + after.replace("two\n", "line 2\n")
    assert "c.md" not in vault.files
    with pytest.raises(InvalidArguments, match="1 to 7"):
        vault.undo(change, hunks=[8])


def test_the_rest_is_turned_back_after_some_hunks_were() -> None:
    vault = Trial(a=NOTE)
    start = vault.state()

    def draw(draft: Draft) -> None:
        written(draft, A, NOTE.replace("line 2\n", "two\n").replace("line 28\n", "28\n"))
        gone(draft, A, VaultPath("F/c.md"))

    change = vault.do(draw)
    vault.undo(change, hunks=[2])
    vault.undo(change)
    assert vault.state() == start


def test_a_proposal_is_accepted_onto_the_note_as_it_is_by_now() -> None:
    vault = Trial(a=NOTE)
    text = NOTE.replace("line 2\n", "two\n").replace("line 28\n", "28\n")
    some, change = proposed(vault, "a.md", text), proposed(vault, "a.md", text)
    assert vault.text("a.md") == NOTE
    vault.put("a.md", NOTE.replace("line 15\n", "mine\n"))
    vault.accept(some, hunks=[2])
    assert vault.text("a.md") == NOTE.replace("line 15\n", "mine\n").replace("line 28\n", "28\n")
    vault.accept(change)
    assert vault.text("a.md") == NOTE.replace("line 2\n", "two\n").replace("line 15\n", "mine\n").replace(
        "line 28\n", "28\n"
    )


def test_a_proposal_does_not_touch_what_was_written_beside_it() -> None:
    vault = Trial(a=NOTE)
    change = proposed(vault, "a.md", NOTE.replace("line 2\n", "two\n"))
    vault.put("a.md", NOTE.replace("line 3\n", "mine\n"))
    assert conflicts(lambda: vault.accept(change))[0]["lines"] == (2, 3)


def test_a_proposal_counts_from_when_it_is_accepted() -> None:
    vault = Trial(a=NOTE)
    start = vault.state()
    change = proposed(vault, "a.md", NOTE.replace("line 2\n", "two\n"))
    other = vault.put("a.md", NOTE.replace("line 15\n", "mine\n"))
    vault.accept(change)
    later = vault.put("a.md", vault.text("a.md").replace("two\n", "2\n"))
    conflicts(lambda: vault.undo(change))
    for one in (other, later, change):
        vault.undo(one)
    assert vault.state() == start


def test_a_proposed_undo_turns_only_what_is_still_in_force() -> None:
    vault = Trial(a=NOTE)
    change = vault.put("a.md", NOTE.replace("line 2\n", "two\n").replace("line 28\n", "28\n"))
    vault.proposes = True
    undo = vault.undo(change)
    vault.proposes = False
    vault.undo(change, hunks=[1])
    vault.accept(undo)
    assert vault.today_of(change).state == "undone"
    vault.undo(undo)
    assert vault.text("a.md") == NOTE.replace("line 28\n", "28\n")
    assert vault.today_of(change).facts.undone == {1}


def test_a_note_whose_return_is_undone_goes_to_the_trash_again() -> None:
    vault = Trial(a="old\n", b="b\n")
    vault.has_trash = True
    removed = vault.put("a.md", None)
    without = vault.state(), dict(vault.trash)
    back = vault.undo(removed)
    vault.undo(back)
    assert ((vault.state(), vault.trash), vault.today_of(removed).state) == (without, "applied")
    vault.undo(removed)
    assert (vault.text("a.md"), vault.trash) == ("old\n", {})


def test_a_note_that_was_made_again_and_undone_again_is_gone() -> None:
    vault = Trial(b="b\n")
    start = vault.state()

    def draw(draft: Draft) -> None:
        written(draft, A, "a\n")
        written(draft, VaultPath("c.md"), "c\n")

    change = vault.do(draw)
    vault.undo(change, hunks=[1])
    vault.undo(change)
    vault.redo(change)
    vault.put("a.md", "a\nmore\n")
    conflicts(lambda: vault.undo(change))
    vault.undo(vault.changes[-1])
    vault.undo(change)
    assert vault.state() == start


def test_a_proposal_that_moves_is_accepted_as_a_whole() -> None:
    vault = Trial(a=NOTE, b="see [[a]]\n")
    vault.proposes = True
    change = both_moved(vault)
    vault.proposes = False
    with pytest.raises(InvalidArguments, match="parts make no sense"):
        vault.accept(change, hunks=[1])


def test_what_is_no_longer_kept_cannot_be_turned_back() -> None:
    vault = Trial(a="a\n")
    change = vault.put("a.md", "b\n")
    vault.kept.clear()
    assert [found.remarks for found in differences(change.steps, vault.snapshot)] == [
        ("The file's earlier content is no longer stored.",)
    ]
    with pytest.raises(ChangeConflict, match="no longer stored"):
        vault.undo(change)


def test_two_changes_of_a_picture_are_a_conflict() -> None:
    vault = Trial(a="\0one")
    change = vault.put("a.md", "\0two")
    (shown,) = differences(change.steps, vault.snapshot)
    assert (shown.diff, shown.hunks, shown.sizes, shown.remarks) == ("", (), (4, 4), ("The file is not text.",))
    vault.put("a.md", "\0three")
    assert "not text" in str(conflicts(lambda: vault.undo(change))[0]["why"])


def test_a_canvas_is_not_spoilt_by_bringing_two_changes_together() -> None:
    vault = Trial()
    vault.put("a.canvas", "{\n}\n")
    change = vault.put("a.canvas", '{\n"a": 1\n}\n')
    vault.put("a.canvas", '{"z": 0,\n"a": 1\n}\n')
    assert "spoil" in str(conflicts(lambda: vault.undo(change))[0]["why"])


def test_what_lines_do_not_show_is_remarked() -> None:
    vault = Trial(a="\ufeffa\r\nb\r\n")
    change = vault.put("a.md", "a\nb\n")
    (shown,) = differences(change.steps, vault.snapshot)
    assert shown.remarks == (
        "The file loses its byte order mark.",
        "Its lines end in LF now, not in CRLF.",
    )


def change_something(vault: Trial, rng: random.Random, number: int) -> None:
    path = rng.choice(list(vault.files))
    lines = vault.text(path).splitlines(keepends=True)
    place = rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            vault.put(path, "".join([*lines, f"\nappended {number}\n"]))
        case 1:
            vault.put(path, "".join([*lines[:place], f"inserted {number}\n", *lines[place:]]))
        case 2:
            vault.put(path, "".join([*lines[:place], f"replaced {number}\n", *lines[place + 1 :]]))
        case 3:
            vault.put(f"F{number % 2}/{number}.md", f"made {number}\n")
        case 4:
            vault.move(path, f"G/{number}.md")
        case _ if len(vault.files) > 2:
            vault.put(path, None)


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_all_changes_turned_back_in_any_order_leave_the_start(rng: random.Random, count: int) -> None:
    vault = Trial(**{name: f"{name}\n{NOTE}" for name in "abcd"})
    start = vault.state()
    for number in range(count):
        change_something(vault, rng, number)
    vault.undo_in_any_order(rng)
    assert vault.files == start[0]


def test_a_folder_that_a_change_took_away_comes_back() -> None:
    vault = Trial()
    vault.put("F/a.md", "a\n")
    start = vault.state()
    vault.put("F/a.md", None)
    change = vault.do(lambda draft: draft.take(Plan((Step("remove_folder", VaultPath("F")),))))
    vault.undo(change)
    assert vault.state()[1] == start[1]
