"""How much a change does, and the line in which a user is told."""

import pytest

from bridge.changes.effect import Effect, Reference
from bridge.changes.extent import measure_change
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.move_note import MoveNote
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.requests import Append, ReplaceText
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step

OLD, NEW = b"Old.\n", b"Newer.\n"
BLOBS = {digest_of(data): data for data in (OLD, NEW, b"x" * 3_000)}


def put(path: str, before: bytes | None = OLD, after: bytes = NEW) -> Step:
    return Step("put", VaultPath(path), before=digest_of(before) if before else None, after=digest_of(after))


def move(path: str, to: str) -> Step:
    return Step("move", VaultPath(path), to=VaultPath(to), before=digest_of(OLD))


def remove(path: str) -> Step:
    return Step("remove", VaultPath(path), before=digest_of(OLD))


@pytest.mark.parametrize(
    ("steps", "would"),
    [
        ([], ""),
        ([put("A/a.md")], "change `A/a.md` (append, replace text)"),
        ([put("a.md", None)], "create `a.md`"),
        ([put("a.md", None, b"x" * 3_000)], "create `a.md` of 2 KiB"),
        ([put("a.md", OLD, b"x" * 3_000)], "change `a.md` (append, replace text) by 2 KiB"),
        (
            [move("A/a.md", "A/b.md"), put("A/c.md", OLD, b"x" * 3_000), put("A/d.md", None)],
            "create 1 note, change 1 note by 2 KiB and move 1 note in `A/` (append, replace text): d.md, c.md, a.md",
        ),
        ([move("A/a.md", "B/a.md"), put("B/a.md")], "move `A/a.md` to `B/a.md`"),
        ([remove("A/a.md")], "delete `A/a.md`"),
        ([put("A/a.md"), put("A/B/b.md")], "change 2 notes in `A/` (append, replace text): a.md, B/b.md"),
        ([put(f"{n}.md", None) for n in range(5)], "create 5 notes: 0.md, 1.md, 2.md and 2 more"),
        (
            [move("A", "B"), put("c.md", None), remove("d.png"), remove("e.md")],
            "create 1 note, move 1 file and delete 2 files: c.md, A, d.png and 1 more",
        ),
    ],
)
def test_a_change_is_told_in_a_line(steps: list[Step], would: str) -> None:
    edits = (Append(text="x"), ReplaceText(old="a", new="b"), Append(text="y"))
    asked = [EditNote(VaultPath("a.md"), edits)]
    assert measure_change(Plan(steps, BLOBS), Effect(), asked).would == would


def test_links_that_break_and_kinds_beyond_the_first_are_told() -> None:
    lost = tuple(Reference(VaultPath(f"{n}.md"), 1, "a", "") for n in (1, 1, 2))
    found = measure_change(Plan([remove("a.md")], BLOBS), Effect(broken=lost))
    assert (found.would, found.losing) == ("delete `a.md` and break links in 2 notes", 2)


def test_what_is_renamed_counts_once_and_what_is_rewritten_too() -> None:
    folder = Plan([move("A/1.md", "B/1.md"), move("A/2.md", "B/2.md"), put("B/1.md"), put("c.md")], BLOBS)
    asked: list[Request] = [MoveNote(VaultPath("A"), VaultPath("B")), SetProperties(VaultPath("c.md"))]
    assert measure_change(folder, Effect(), asked).files == 2
    single = [MoveNote(VaultPath(f"A/{n}.md"), VaultPath(f"B/{n}.md")) for n in (1, 2)]
    assert measure_change(folder, Effect(), single).files == 3
