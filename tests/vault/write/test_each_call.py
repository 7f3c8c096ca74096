"""The same change, with something going wrong at its first call, its second, and so on to its last."""

import contextlib
import errno
import itertools
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import BridgeError, Busy, NoteChanged, NoteUnreadable
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write import syscalls
from bridge.vault.write.syscalls import SystemCalls, exchange
from bridge.vault.write.writer import Writer, undo_step
from tests.vault.write.drawn import Tree
from tests.vault.write.faults import CODES, Fault, FaultyDisk, FaultyEntry, Killed, Kind, save_as
from tests.vault.write.plans import Noted, folder, move, no_folder, put, remove, together, tree, write_plan

MAX_CALLS = 400


@pytest.fixture
def stepwise(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Use the system's renames with flags, or what is done where there are none, or where no folder can be held."""
    if request.param != "swaps":
        monkeypatch.setattr(syscalls, "_rename", None)
    return bool(request.param != "names")


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    made = 0

    def make() -> Path:
        nonlocal made
        made += 1
        root = tmp_path / f"vault {made}"
        (root / "Folder").mkdir(parents=True)
        (root / ".trash").mkdir()
        for name in ("a.md", "b.md", "Folder/c.md"):
            (root / name).write_bytes(f"old {name}".encode())
        return root

    return make


def plan() -> Plan:
    return together(
        put("a.md", b"old a.md", b"new a.md"),
        put("New/n.md", None, b"new n"),
        move("Folder", "Moved"),
        put("Moved/c.md", b"old Folder/c.md", b"new c"),
        remove("b.md", b"old b.md"),
        folder("Last/Deep"),
    )


def carried_out(root: Path, fault: Fault, *, stepwise: bool, change: Plan | None = None) -> tuple[str, Noted, int]:
    """Carry a plan out, recover if need be, and say what became of it and how many calls there were."""
    disk, noted = FaultyDisk(fault), Noted()
    try:
        write_plan(Writer(Vault(root, Rules()), disk, stepwise=stepwise), change or plan(), FaultyEntry(noted, disk))
    except (Killed, BridgeError):
        if noted.plan is None or noted.settled is not None:
            return ("after" if noted.settled else "before"), noted, disk.calls
        return Writer(Vault(root, Rules()), stepwise=stepwise).recover(noted.plan), noted, disk.calls
    return "after", noted, disk.calls


def trees(fresh: Callable[[], Path], *, stepwise: bool) -> dict[str, Tree]:
    root = fresh()
    before = tree(root)
    assert carried_out(root, Fault(), stepwise=stepwise)[0] == "after"
    return {"before": before, "after": tree(root)}


@pytest.mark.parametrize(
    ("kind", "stepwise"),
    [
        *itertools.product(["kill", "once"], ["swaps", "links", "names"]),
        *itertools.product(["torn", "on"], ["swaps"]),
    ],
    indirect=["stepwise"],
)
def test_whatever_fails_all_is_old_or_all_is_new(fresh: Callable[[], Path], kind: Kind, stepwise: bool) -> None:
    wanted = trees(fresh, stepwise=stepwise)
    outcomes = set()
    for at in range(1, MAX_CALLS):
        root = fresh()
        outcome, _, calls = carried_out(root, Fault(kind, at, CODES[at % len(CODES)]), stepwise=stepwise)
        assert tree(root) == wanted[outcome], f"call {at}"
        outcomes.add(outcome)
        if calls < at:
            break
    assert at < MAX_CALLS - 1
    assert outcomes == {"before", "after"}


@pytest.mark.parametrize("way", ["in place", "by a rename"])
def test_a_save_in_the_midst_is_never_lost(fresh: Callable[[], Path], way: str) -> None:
    for at in range(1, MAX_CALLS):
        root = fresh()
        disk, noted = FaultyDisk(Fault("save", at, save=partial(save_as, way, root / "a.md"))), Noted()
        try:
            write_plan(Writer(Vault(root, Rules()), disk), put("a.md", b"old a.md", b"new"), FaultyEntry(noted, disk))
        except (NoteChanged, Busy):
            assert noted.settled is not True
        if not disk.saved:
            break
        disk.wait()
        assert (root / "a.md").read_bytes() == b"saved", f"call {at}"
        assert sorted(tree(root)) == [".trash", "Folder", "Folder/c.md", "a.md", "b.md"]
    assert 10 < at < MAX_CALLS - 1


def test_a_note_that_is_moved_aside_in_the_midst_is_written_or_left(fresh: Callable[[], Path]) -> None:
    for at in range(1, MAX_CALLS):
        root, noted = fresh(), Noted()
        disk = FaultyDisk(Fault("save", at, save=lambda root=root: (root / "a.md").rename(root / "a.md~")))  # type: ignore[misc]
        refused = False
        try:
            write_plan(Writer(Vault(root, Rules()), disk), put("a.md", b"old a.md", b"new"), FaultyEntry(noted, disk))
        except NoteChanged:
            refused = True
        if not disk.saved:
            break
        disk.wait()
        assert noted.settled is (None if noted.plan is None else not refused), f"call {at}"
        assert (root / "a.md~").read_bytes() == (b"old a.md" if refused else b"new"), f"call {at}"
        assert sorted(tree(root)) == [".trash", "Folder", "Folder/c.md", "a.md~", "b.md"], f"call {at}"
    assert 10 < at < MAX_CALLS - 1


def test_a_change_that_was_recovered_is_recovered_again(fresh: Callable[[], Path]) -> None:
    root = fresh()
    before = tree(root)
    noted = Noted()
    writer = Writer(Vault(root, Rules()))
    write_plan(writer, plan(), noted)
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "after"
    for step in reversed(noted.plan.steps):
        assert undo_step(writer._file_ops, step, noted.plan.blobs)
    assert tree(root) == before
    assert [writer.recover(noted.plan), writer.recover(noted.plan)] == ["before", "before"]
    assert tree(root) == before


@pytest.mark.parametrize("theirs", ["a.md", "New/n.md", "Moved/c.md", "b.md"])
def test_what_somebody_wrote_after_a_crash_stays_and_all_else_is_old(fresh: Callable[[], Path], theirs: str) -> None:
    root = fresh()
    before = tree(root)
    noted = Noted()
    writer = Writer(Vault(root, Rules()))
    write_plan(writer, plan(), noted)
    (root / theirs).write_bytes(b"theirs")
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "conflict"
    now = tree(root)
    where = "Folder/c.md" if theirs == "Moved/c.md" else theirs
    assert now[where] == b"theirs"
    assert {path: data for path, data in now.items() if before.get(path, b"") != data} == (
        {where: b"theirs"}
        | ({"New": None} if theirs == "New/n.md" else {})
        | ({".trash/b.md": b"old b.md"} if theirs == "b.md" else {})
    )


@pytest.mark.parametrize("kind", ["kill", "once"])
def test_what_was_deleted_for_good_comes_back(fresh: Callable[[], Path], kind: Kind) -> None:
    change = together(
        remove("b.md", b"old b.md"), move("Folder/c.md", "c.md"), no_folder("Folder"), put("a.md", b"old a.md", b"new")
    )
    for at in range(1, MAX_CALLS):
        root = fresh()
        (root / ".obsidian").mkdir()
        (root / ".obsidian/app.json").write_text('{"trashOption": "none"}')
        before = tree(root)
        outcome, _, calls = carried_out(root, Fault(kind, at), stepwise=True, change=change)
        assert outcome == "after" or tree(root) == before, f"call {at}"
        assert outcome == "before" or sorted(tree(root)) == [
            ".obsidian",
            ".obsidian/app.json",
            ".trash",
            "a.md",
            "c.md",
        ]
        if calls < at:
            break
    assert 10 < at < MAX_CALLS - 1


def test_a_save_in_the_midst_of_a_deletion_is_never_lost(fresh: Callable[[], Path]) -> None:
    for at in range(1, MAX_CALLS):
        root = fresh()
        (root / ".obsidian").mkdir()
        (root / ".obsidian/app.json").write_text('{"trashOption": "none"}')
        disk = FaultyDisk(Fault("save", at, save=lambda root=root: (root / "a.md").write_bytes(b"saved")))  # type: ignore[misc]
        with contextlib.suppress(NoteChanged, Busy):
            write_plan(Writer(Vault(root, Rules()), disk), remove("a.md", b"old a.md"), FaultyEntry(Noted(), disk))
        if not disk.saved:
            break
        disk.wait()
        assert (root / "a.md").read_bytes() == b"saved", f"call {at}"
    assert 10 < at < MAX_CALLS - 1


def test_of_two_saves_in_the_midst_the_later_one_stays(fresh: Callable[[], Path]) -> None:
    root = fresh()
    saves = iter([b"first", b"second"])

    class Hasty(SystemCalls):
        """Lets somebody save by a rename right before each exchange: nothing holds that back, as a lease would."""

        @staticmethod
        def exchange(one: str, other: str, *, folder: int | None = None) -> bool:
            if data := next(saves, None):
                (root / "saving").write_bytes(data)
                (root / "saving").replace(root / "a.md")
            return exchange(one, other, folder=folder)

    with pytest.raises(NoteChanged):
        write_plan(Writer(Vault(root, Rules()), Hasty()), put("a.md", b"old a.md", b"new"), Noted())
    assert (root / "a.md").read_bytes() == b"second"
    assert sorted(tree(root)) == [".trash", "Folder", "Folder/c.md", "a.md", "b.md"]


def test_a_disk_that_does_not_hold_what_was_written_is_told(fresh: Callable[[], Path]) -> None:
    root = fresh()

    class Rotten(SystemCalls):
        """Changes a byte when all is written, and no time."""

        @staticmethod
        def fsync(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                times = (root / "a.md").stat()
                (root / "a.md").write_bytes(b"nEw")
                os.utime(root / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))

    noted = Noted()
    with pytest.raises(NoteUnreadable):
        write_plan(Writer(Vault(root, Rules()), Rotten()), put("a.md", b"old a.md", b"new"), noted)
    assert noted.said == ["prepared"]


def test_a_change_whose_last_folder_has_no_room_any_more_goes_back(fresh: Callable[[], Path]) -> None:
    root = fresh()
    before = tree(root)
    noted = Noted()
    writer = Writer(Vault(root, Rules()))
    write_plan(writer, plan(), noted)
    (root / "Last/Deep").rmdir()
    (root / "Last").rmdir()
    (root / "Last").write_bytes(b"theirs")
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "before"
    assert tree(root) == before | {"Last": b"theirs"}


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_note_that_is_made_and_removed_in_one_change_is_found_in_the_trash_or_not_done(
    fresh: Callable[[], Path], done: int
) -> None:
    root, noted = fresh(), Noted()
    writer = Writer(Vault(root, Rules()))
    trees = {"before": tree(root)}
    write_plan(writer, together(put("new.md", None, b"new"), remove("new.md", b"new", kept=False)), noted)
    trees["after"] = tree(root)
    assert noted.plan is not None
    for step in reversed(noted.plan.steps[done:]):
        assert undo_step(writer._file_ops, step, noted.plan.blobs)
    became = writer.recover(noted.plan)
    assert became == ("after" if done == len(noted.plan.steps) else "before")
    assert tree(root) == trees[became]


def test_a_trash_that_was_emptied_after_a_crash_is_no_conflict(fresh: Callable[[], Path]) -> None:
    root, noted = fresh(), Noted()
    writer = Writer(Vault(root, Rules()))
    write_plan(writer, remove("a.md", b"old a.md"), noted)
    (root / ".trash/a.md").unlink()
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "after"


def test_a_file_that_a_crash_left_with_two_names_keeps_the_old_one(fresh: Callable[[], Path]) -> None:
    root = fresh()
    before = tree(root)
    (root / "z.md").hardlink_to(root / "a.md")
    assert Writer(Vault(root, Rules())).recover(move("a.md", "z.md", b"old a.md")) == "before"
    assert tree(root) == before


def test_a_rename_that_cannot_lose_the_old_name_gives_no_new_one(
    fresh: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = fresh()
    before = tree(root)
    monkeypatch.setattr(syscalls, "_rename", None)
    unlink, failures = os.unlink, iter([OSError(errno.EIO, "once")])

    def failing(*arguments: Any, **named: Any) -> None:
        if failure := next(failures, None):
            raise failure
        unlink(*arguments, **named)

    monkeypatch.setattr(os, "unlink", failing)
    with pytest.raises(BridgeError):
        write_plan(Writer(Vault(root, Rules())), move("a.md", "z.md", b"old a.md"), Noted())
    assert tree(root) == before


def test_a_save_that_went_aside_in_a_crash_does_not_come_back_over_newer_ones(fresh: Callable[[], Path]) -> None:
    root, noted = fresh(), Noted()
    writer = Writer(Vault(root, Rules()))
    with writer._file_ops.at("a.md") as place:
        aside = root / place.draft()
    aside.write_bytes(b"saved long ago")
    os.utime(aside, (0, 0))
    write_plan(writer, put("a.md", b"old a.md", b"new"), noted)
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "after"
    assert (root / "a.md").read_bytes() == b"new"
    assert (root / ".trash/a.md").read_bytes() == b"saved long ago"
    assert sorted(tree(root)) == [".trash", ".trash/a.md", "Folder", "Folder/c.md", "a.md", "b.md"]


def test_a_folder_that_is_renamed_meanwhile_is_told(fresh: Callable[[], Path]) -> None:
    for at in range(1, MAX_CALLS):
        root = fresh()
        disk = FaultyDisk(Fault("save", at, save=lambda root=root: (root / "Folder").rename(root / "Other")))  # type: ignore[misc]
        noted, error = Noted(), None
        try:
            write_plan(
                Writer(Vault(root, Rules()), disk), put("Folder/New/n.md", None, b"new"), FaultyEntry(noted, disk)
            )
        except NoteChanged as refusal:
            error = refusal
        if not disk.saved:
            break
        disk.wait()
        made = {path: data for path, data in tree(root).items() if data == b"new"}
        assert list(made) in ([[]] if error else [["Folder/New/n.md"], ["Other/New/n.md"]]), f"call {at}"
        assert error is None or "no longer exists" in error.message, f"call {at}"
        assert not [path for path in tree(root) if "vaultside" in path], f"call {at}"
    assert 10 < at < MAX_CALLS - 1


def test_a_folder_that_another_program_makes_meanwhile_will_do(fresh: Callable[[], Path]) -> None:
    root = fresh()

    class Overtaken(SystemCalls):
        """Lets another program make each folder first."""

        @staticmethod
        def mkdir(path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
            os.mkdir(path, mode, dir_fd=dir_fd)
            os.mkdir(path, mode, dir_fd=dir_fd)

    write_plan(Writer(Vault(root, Rules()), Overtaken()), put("New/n.md", None, b"new"), Noted())
    assert (root / "New/n.md").read_bytes() == b"new"
