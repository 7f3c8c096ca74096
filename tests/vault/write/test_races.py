"""A save that another process makes while the bridge changes the note is never lost."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from bridge.errors import Busy, NoteChanged, NoteExists, NoteUnreadable
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.stable_read import delay_saves, end_lease, is_lease_kept, is_remote, read_settled, take_lease
from bridge.vault.vault import Vault
from bridge.vault.write.syscalls import SystemCalls
from bridge.vault.write.writer import Writer
from tests.vault.write.dying_races import raced_once
from tests.vault.write.plans import Noted, put, remove, together, tree, write_plan
from tests.vault.write.races import run_races
from tests.vault.write.savers import save

pytestmark = pytest.mark.process

NOTE = VaultPath("a.md")
HAS_LEASES = pytest.mark.skipif(sys.platform != "linux", reason="the system has no leases")


def no_lease(_descriptor: int) -> None:
    """Say what a system says that has no leases."""


@pytest.fixture
def without_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemCalls, "take_lease", staticmethod(no_lease))
    monkeypatch.setattr("bridge.vault.stable_read.take_lease", no_lease)
    # No file is given up while a slow program is saving into it.
    monkeypatch.setattr("bridge.engine.late_saves.WATCHED_S", 300.0)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / NOTE).write_bytes(b"old")
    return Vault(tmp_path, Rules())


def is_ours(_info: os.stat_result) -> bool:
    return False


def seconds_until_settled(vault: Vault, ours: Callable[[os.stat_result], bool], size_before: int) -> float:
    with vault.open(NOTE) as descriptor, delay_saves(descriptor, ours, size_before) as seconds:
        return seconds


@HAS_LEASES
async def test_no_save_is_lost(tmp_path: Path) -> None:
    found = await run_races(tmp_path, 80, 1, at_once=10)
    assert found.faults == []
    assert sum(found.done.values()) == 80


@pytest.mark.usefixtures("without_leases")
async def test_no_save_is_lost_where_nobody_tells_who_writes(tmp_path: Path) -> None:
    found = await run_races(tmp_path, 80, 2, at_once=10)
    assert found.faults == []


@HAS_LEASES
def test_no_save_is_lost_when_the_process_is_killed_that_changes_the_note(vault: Vault) -> None:
    (vault.root / "vault").mkdir()
    (vault.root / "vault" / NOTE).write_bytes(b"old")
    assert [raced_once(vault.root, random.Random(seed)) for seed in range(4)] == [None] * 4


@HAS_LEASES
@pytest.mark.parametrize("plan", [put("a.md", b"old", b"new"), remove("a.md", b"old")])
def test_a_note_that_a_program_has_open_for_writing_is_not_replaced(vault: Vault, plan: object) -> None:
    with (vault.root / NOTE).open("r+b"), pytest.raises(Busy):
        write_plan(Writer(vault), plan, Noted())  # type: ignore[arg-type]
    assert (vault.root / NOTE).read_bytes() == b"old"


def test_nothing_is_done_when_a_note_is_saved_after_the_plan_was_prepared(vault: Vault) -> None:
    (vault.root / "b.md").write_bytes(b"old")
    writer, noted = Writer(vault), Noted()
    ready = writer.prepare(together(put("a.md", b"old", b"new"), put("b.md", b"old", b"new")))
    (vault.root / "b.md").write_bytes(b"saved")
    with pytest.raises(NoteChanged):
        writer.write(ready, noted)
    assert tree(vault.root) == {"a.md": b"old", "b.md": b"saved"}
    assert noted.said == []


def test_a_note_that_was_just_read_is_compared_again_before_it_is_written(vault: Vault) -> None:
    writer, noted = Writer(vault), Noted()
    ready = writer.prepare(put("a.md", b"old", b"new"), just_read={"a.md"})
    (vault.root / NOTE).write_bytes(b"saved")
    with pytest.raises(NoteChanged):
        writer.write(ready, noted)
    assert (vault.root / NOTE).read_bytes() == b"saved"


def test_a_note_that_is_gone_since_it_was_read_is_missed(vault: Vault) -> None:
    (vault.root / NOTE).unlink()
    with pytest.raises(NoteChanged, match="no longer exists"):
        Writer(vault).prepare(put("a.md", b"old", b"new"), just_read={"a.md"})


@pytest.mark.parametrize("taken", ["New", "New/b.md"])
def test_a_name_that_is_taken_after_the_plan_was_prepared_is_not_overwritten(vault: Vault, taken: str) -> None:
    writer, noted = Writer(vault), Noted()
    ready = writer.prepare(together(put("a.md", b"old", b"new"), put("New/b.md", None, b"new")))
    place = vault.root / taken
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"theirs")
    with pytest.raises((NoteExists, NoteUnreadable)):
        writer.write(ready, noted)
    assert place.read_bytes() == b"theirs"
    assert (vault.root / NOTE).read_bytes() == b"old"


def test_a_folder_that_another_program_makes_after_the_plan_was_prepared_is_used(vault: Vault) -> None:
    writer, noted = Writer(vault), Noted()
    ready = writer.prepare(put("New/b.md", None, b"new"))
    (vault.root / "New").mkdir()
    writer.write(ready, noted)
    assert (vault.root / "New/b.md").read_bytes() == b"new"


@HAS_LEASES
def test_a_note_is_read_when_it_was_saved_whole(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.vault.stable_read.PATIENCE_S", 300.0)
    saving = threading.Thread(target=save, args=(vault.root / NOTE, "half", b"saved whole", 0.3))
    with (vault.root / NOTE).open("r+b"):
        saving.start()
        assert seconds_until_settled(vault, is_ours, 3)
    read = {read_settled(vault, NOTE, is_ours, 3)}
    saving.join()
    # It may be read before the program opens the note, never in between.
    assert read <= {b"old", b"saved whole"}


@HAS_LEASES
def test_no_program_begins_to_save_a_note_while_it_is_read(vault: Vault) -> None:
    saving = threading.Thread(target=save, args=(vault.root / NOTE, "half", b"saved whole", 0.1))
    with vault.open(NOTE) as descriptor, delay_saves(descriptor, is_ours, 3) as wait:
        assert wait == 0
        saving.start()
        while is_lease_kept(descriptor):
            time.sleep(0.01)
        assert vault.read(NOTE)[0] == b"old"
    saving.join()
    assert vault.read(NOTE)[0] == b"saved whole"


@HAS_LEASES
def test_a_save_without_end_is_told(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.vault.stable_read.PATIENCE_S", 0.1)
    with (vault.root / NOTE).open("r+b"), pytest.raises(Busy, match="open for writing"):
        read_settled(vault, NOTE, is_ours, 3)


@pytest.mark.usefixtures("without_leases")
@pytest.mark.parametrize(
    ("age", "text", "known", "waits"),
    [
        (0.0, b"old", 3, True),
        (0.5, b"old", 3, False),
        (0.5, b"", 3, True),
        (0.5, b"o", 30, True),
        (5.0, b"", 3, False),
        (-3600.0, b"", 3, False),
    ],
)
def test_a_note_that_was_just_touched_or_cut_is_waited_for(
    vault: Vault, age: float, text: bytes, known: int, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = vault.root / NOTE
    place.write_bytes(text)
    now = place.stat().st_mtime
    os.utime(place, (now - age, now - age))
    monkeypatch.setattr("bridge.vault.stable_read.time", SimpleNamespace(time=lambda: now))
    assert bool(seconds_until_settled(vault, is_ours, known)) is waits
    assert not seconds_until_settled(vault, lambda _: True, known) or age == 0.0


@pytest.mark.usefixtures("without_leases")
def test_what_the_bridge_wrote_is_not_waited_for(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(vault)
    write_plan(writer, put("a.md", b"old", b""), Noted())
    # As if no time passed after a save.
    clock = SimpleNamespace(time=lambda: (vault.root / NOTE).stat().st_mtime)
    monkeypatch.setattr("bridge.vault.stable_read.time", clock)
    assert seconds_until_settled(vault, writer.is_ours, 3) == 0
    (vault.root / NOTE).write_bytes(b"theirs")
    assert seconds_until_settled(vault, writer.is_ours, 3) > 0
    for file in writer.displaced_files:
        os.close(file.descriptor)


@HAS_LEASES
def test_a_lease_tells_of_a_program_that_wants_to_write_and_holds_it_back(vault: Vault) -> None:
    place = vault.root / NOTE
    descriptor = os.open(place, os.O_RDONLY)
    assert not is_remote(descriptor)
    assert take_lease(descriptor)
    assert is_lease_kept(descriptor)
    command = [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('saved')", str(place)]
    with subprocess.Popen(command) as writing:
        while is_lease_kept(descriptor):
            time.sleep(0.01)
        assert os.pread(descriptor, 10, 0) == b"old"
        end_lease(descriptor)
        assert writing.wait() == 0
    os.close(descriptor)
    assert place.read_bytes() == b"saved"
