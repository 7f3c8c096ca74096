"""A change that replaces many files at once, with something going wrong at each of its calls."""

import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import BridgeError, Busy, NoteChanged, NoteUnreadable
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write import bulk
from bridge.vault.write.syscalls import SystemCalls, exchange
from bridge.vault.write.writer import Writer, WriteStopped, apply_step
from tests.vault.write.faults import CODES, Fault, FaultyDisk, FaultyEntry, Killed, Kind, save_as
from tests.vault.write.plans import Noted, put, together, tree, write_plan

MAX_CALLS = 400
NAMES = ("a.md", "Folder/b.md", "Folder/c.md", "Folder/Deep/d.md")


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four files make two groups."""
    monkeypatch.setattr(bulk, "GROUP_FILES", 3)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    made = 0

    def make() -> Path:
        nonlocal made
        made += 1
        root = tmp_path / f"vault {made}"
        (root / "Folder/Deep").mkdir(parents=True)
        for name in NAMES:
            (root / name).write_bytes(old(name))
        return root

    return make


def old(name: str) -> bytes:
    return f"old {name}".encode()


def new(name: str) -> bytes:
    return f"new {name} ".encode() * 2_000


def plan() -> Plan:
    return together(*(put(name, old(name), new(name)) for name in NAMES))


def expected(name_of: Callable[[str], bytes]) -> dict[str, bytes | None]:
    return dict(sorted({"Folder": None, "Folder/Deep": None, **{name: name_of(name) for name in NAMES}}.items()))


def bulk_writer(root: Path, disk: SystemCalls | None = None, *, stepwise: bool = True) -> Writer:
    return Writer(Vault(root, Rules()), disk, stepwise=stepwise, many=2)


@pytest.mark.parametrize("many", [2, 64])
def test_a_file_saved_meanwhile_is_left_out_if_it_may_be(fresh: Callable[[], Path], many: int) -> None:
    root, noted = fresh(), Noted()
    writer = Writer(Vault(root, Rules()), many=many)
    ready = writer.prepare(plan())
    (root / NAMES[1]).write_bytes(b"saved")
    with pytest.raises(NoteChanged):
        writer.write(ready, Noted())
    assert tree(root) == expected(old) | {NAMES[1]: b"saved"}
    done = writer.write(ready, noted, skips_overtaken=True)
    assert [step.path for step in done] == [NAMES[0], *NAMES[2:]]
    assert tree(root) == expected(new) | {NAMES[1]: b"saved"}
    assert noted.plan is not None
    assert (noted.plan.steps, noted.said) == (done, ["prepared", "prepared", "done"])
    for name in NAMES:
        (root / name).write_bytes(b"saved")
    with pytest.raises(NoteChanged):
        writer.write(ready, noted, skips_overtaken=True)
    assert tree(root) == expected(lambda _: b"saved")


@pytest.mark.parametrize("many", [2, 64])
def test_a_change_that_is_stopped_on_the_way_is_undone_at_the_next_start(fresh: Callable[[], Path], many: int) -> None:
    root, noted, disk = fresh(), Noted(), SystemCalls()
    writer = Writer(Vault(root, Rules()), disk, many=many)

    def stop(one: str, other: str, *, folder: int | None = None) -> bool:
        writer.stopping.set()
        return exchange(one, other, folder=folder)

    disk.exchange = stop
    with pytest.raises(WriteStopped):
        write_plan(writer, plan(), noted)
    assert noted.said == ["prepared"]
    assert (root / NAMES[0]).read_bytes() == new(NAMES[0])
    assert bulk_writer(root).recover(plan()) == "before"
    assert tree(root) == expected(old)


@pytest.mark.parametrize("kind", ["kill", "torn", "once", "on"])
@pytest.mark.parametrize("stepwise", [True, False])
def test_whatever_fails_all_is_old_or_all_is_new(fresh: Callable[[], Path], kind: Kind, stepwise: bool) -> None:
    outcomes = set()
    for at in range(1, MAX_CALLS):
        root, noted = fresh(), Noted()
        disk = FaultyDisk(Fault(kind, at, CODES[at % len(CODES)]))
        outcome = "after"
        try:
            write_plan(bulk_writer(root, disk, stepwise=stepwise), plan(), FaultyEntry(noted, disk))
        except (Killed, BridgeError):
            outcome = "before"
            if noted.plan is not None and noted.settled is None:
                outcome = bulk_writer(root, stepwise=stepwise).recover(noted.plan)
            elif noted.settled:
                outcome = "after"
        assert tree(root) == expected(new if outcome == "after" else old), f"call {at}"
        outcomes.add(outcome)
        if disk.calls < at:
            break
    assert 50 < at < MAX_CALLS - 1
    assert outcomes == {"before", "after"}


def test_nothing_takes_a_name_before_all_texts_are_on_the_disk(fresh: Callable[[], Path]) -> None:
    root, done = fresh(), list[str]()

    class Noting(SystemCalls):
        """Notes the order of the calls that matter."""

        @staticmethod
        def sync_together(descriptors: Collection[int]) -> None:
            folders = stat.S_ISDIR(os.fstat(next(iter(descriptors))).st_mode)
            done.append(f"sync {len(descriptors)} {'folders' if folders else 'files'}")
            SystemCalls.sync_together(descriptors)

        @staticmethod
        def exchange(one: str, other: str, *, folder: int | None = None) -> bool:
            done.append("exchange")
            return SystemCalls.exchange(one, other, folder=folder)

    write_plan(bulk_writer(root, Noting()), plan(), Noted())
    assert done == [
        *("sync 3 files", "sync 1 files"),
        *("exchange", "exchange", "exchange", "sync 2 folders"),
        *("exchange", "sync 1 folders"),
    ]


@pytest.mark.parametrize("way", ["in place", "by a rename"])
def test_a_save_in_the_midst_is_never_lost(fresh: Callable[[], Path], way: str) -> None:
    for at in range(1, MAX_CALLS):
        root = fresh()
        disk, noted = FaultyDisk(Fault("save", at, save=partial(save_as, way, root / "Folder/b.md"))), Noted()
        refused = False
        try:
            write_plan(bulk_writer(root, disk), plan(), FaultyEntry(noted, disk))
        except (NoteChanged, Busy):
            refused = True
        if not disk.saved:
            break
        disk.wait()
        assert tree(root) == {**expected(old if refused else new), "Folder/b.md": b"saved"}, f"call {at}"
        assert noted.settled is (None if noted.plan is None else not refused)
    assert 50 < at < MAX_CALLS - 1


@pytest.mark.parametrize("seed", range(8))
def test_after_a_power_failure_that_kept_any_of_the_files_all_are_old(fresh: Callable[[], Path], seed: int) -> None:
    root, noted = fresh(), Noted()
    writer = bulk_writer(root)
    write_plan(writer, plan(), noted)
    assert noted.plan is not None
    kept = random.Random(seed).sample(range(len(NAMES)), seed % len(NAMES))
    for number, name in enumerate(NAMES):
        if number not in kept:
            (root / name).write_bytes(old(name))
    with writer._file_ops.at("a.md") as place:
        (root / place.draft()).write_bytes(new("a.md")[:100])
    assert writer.recover(noted.plan) == "before"
    assert tree(root) == expected(old)


def test_what_somebody_wrote_after_a_crash_stays_and_all_else_is_old(fresh: Callable[[], Path]) -> None:
    root, noted = fresh(), Noted()
    writer = bulk_writer(root)
    write_plan(writer, plan(), noted)
    (root / "Folder/b.md").write_bytes(b"theirs")
    assert noted.plan is not None
    assert writer.recover(noted.plan) == "conflict"
    assert tree(root) == {**expected(old), "Folder/b.md": b"theirs"}


def test_recovery_lists_each_folder_once_for_all_its_files_and_removes_every_draft(fresh: Callable[[], Path]) -> None:
    root, noted, listed = fresh(), Noted(), list[object]()

    class Counting(SystemCalls):
        """Counts the listings of folders."""

        @staticmethod
        def listdir(path: Any = None) -> Any:
            listed.append(path)
            return SystemCalls.listdir(path)

    write_plan(bulk_writer(root), plan(), noted)
    assert noted.plan is not None
    assert bulk_writer(root, Counting()).recover(noted.plan) == "after"
    assert len(listed) == 3
    writer = bulk_writer(root, Counting())
    for name in NAMES[1:3]:
        with writer._file_ops.at(name) as place:
            for number in (0, 7):
                (root / name).with_name(place.draft(number)).write_bytes(old(name))
    assert writer.recover(noted.plan) == "after"
    assert tree(root) == expected(new)


def test_permissions_that_change_in_the_midst_stay(fresh: Callable[[], Path]) -> None:
    for at in range(1, MAX_CALLS):
        root = fresh()
        disk = FaultyDisk(Fault("save", at, save=lambda root=root: (root / "a.md").chmod(0o640)))  # type: ignore[misc]
        write_plan(bulk_writer(root, disk), plan(), FaultyEntry(Noted(), disk))
        if (root / "a.md").stat().st_mode & 0o777 != 0o640:
            break
    # The last moment is that before its metadata are compared; after that it is a new file.
    assert at > 40


def test_a_disk_that_does_not_hold_what_was_written_is_told(fresh: Callable[[], Path]) -> None:
    root = fresh()

    class Rotten(SystemCalls):
        """Changes a byte of a file once its folder is synced, and no time."""

        @staticmethod
        def sync_together(descriptors: Collection[int]) -> None:
            if stat.S_ISDIR(os.fstat(next(iter(descriptors))).st_mode):
                times, data = (root / "a.md").stat(), bytearray((root / "a.md").read_bytes())
                data[-1] ^= 1
                (root / "a.md").write_bytes(data)
                os.utime(root / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))

    noted = Noted()
    with pytest.raises(NoteUnreadable):
        write_plan(bulk_writer(root, Rotten()), plan(), noted)
    assert noted.settled is not True


def test_a_link_to_another_file_of_the_change_is_refused_and_leaves_all_old(fresh: Callable[[], Path]) -> None:
    root = fresh()
    (root / "link.md").symlink_to("a.md")
    before = tree(root)
    change = together(plan(), put("link.md", old("a.md"), b"twice"))
    with pytest.raises(NoteChanged):
        write_plan(bulk_writer(root), change, Noted())
    assert tree(root) == before


def test_many_files_are_written_in_groups_by_default_and_as_one_by_one(fresh: Callable[[], Path]) -> None:
    roots = [fresh(), fresh()]
    change = together(*(put(f"{number}.md", b"x", f"{number}".encode()) for number in range(bulk.MIN_BULK_FILES)))
    for root in roots:
        for step in change.steps:
            (root / step.path).write_bytes(b"x")
            (root / step.path).chmod(0o640)
    assert bulk.is_bulk(change)
    assert not bulk.is_bulk(Plan(change.steps[1:], change.blobs))
    write_plan(Writer(Vault(roots[0], Rules())), change, Noted())
    file_ops = bulk_writer(roots[1])._file_ops
    for step in change.steps:
        apply_step(file_ops, step, change.blobs, lambda _: False)
    assert tree(roots[0]) == tree(roots[1])
    assert {file.stat().st_mode & 0o777 for file in roots[0].glob("[0-9]*.md")} == {0o640}


DYING = """
import sys
from pathlib import Path
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import Writer
from tests.vault.write.plans import Noted, write_plan
from tests.vault.write.test_bulk import many_files
writer = Writer(Vault(Path(sys.argv[1]), Rules()))
print("begins", flush=True)
for version in range(1, 1_000):
    write_plan(writer, many_files(version), Noted())
    print(version, flush=True)
"""


def many_files(version: int) -> Plan:
    """Return a change of many files to a version from the one before it."""
    return together(
        *(put(f"{n}.md", b"%d %d" % (n, version - 1), b"%d %d" % (n, version)) for n in range(bulk.MIN_BULK_FILES * 2))
    )


@pytest.mark.process
@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_leaves_all_old_or_all_new(tmp_path: Path, seed: int) -> None:
    for number in range(bulk.MIN_BULK_FILES * 2):
        (tmp_path / f"{number}.md").write_bytes(b"%d 0" % number)
    draw = random.Random(seed)
    command = [sys.executable, "-c", DYING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(draw.randrange(400_000)):
            pass
        process.kill()
        rest = process.stdout.read().split()
    made = int(rest[-1]) if rest else 0
    writer = Writer(Vault(tmp_path, Rules()))
    for version in (made + 1, made + 2):
        writer.recover(many_files(version))
    found = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert set(found) == {f"{number}.md" for number in range(bulk.MIN_BULK_FILES * 2)}
    assert len({data.split()[1] for data in found.values()}) == 1
