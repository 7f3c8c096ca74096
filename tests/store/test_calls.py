import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bridge.store import Recorded, Store
from bridge.types import Digest, VaultPath
from tests.models.disks import small
from tests.store.made import call, recorded
from tests.store.test_faults import fill

DAY_S = 86_400.0


def test_calls_are_given_back_as_they_were_recorded(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    made = [
        call(1),
        call(2, code="note_not_found"),
        Recorded(1_000_003.0, "status", None, None, None, None, None, 0.25, 7, ()),
    ]
    for one in made:
        store.record(one)
    assert store.calls(0.0) == made
    assert store.calls(1_000_003.0) == made[2:]
    assert store.last_codes(2) == {"note_not_found": 1, None: 1}
    store.close()
    again = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    assert again.calls(0.0) == made
    again.close()


def test_a_name_that_is_no_unicode_does_not_stop_the_recording(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    store.record(Recorded(1.0, "read_note", None, None, None, None, None, 1.0, 1, (VaultPath("caf\udce9.md"),)))
    store.record(call(2))
    assert recorded(store) == {1, 2}
    store.close()


def test_calls_are_kept_for_ninety_days(tmp_path: Path) -> None:
    today = 200 * DAY_S
    store = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    for number, age in enumerate([0, 89, 91, 150]):
        store.record(call(number, time=today - age * DAY_S))
    assert recorded(store) == {0, 1, 2, 3}
    store.close()
    later = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    later.close()
    again = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    assert recorded(again) == {0, 1}
    again.close()


CRASH = """
import os, signal, sys, time
from pathlib import Path
from bridge.store import Store
from tests.store.made import call
log = Path(sys.argv[1] + "-wal")
store = Store.open(Path(sys.argv[1]), now=lambda: 1_000_000.0)
before = log.stat().st_size if log.exists() else 0
for number in range(50):
    store.record(call(number))
while not log.exists() or log.stat().st_size == before:
    time.sleep(0.01)
store.count("embedded", 1)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_written_a_moment_after_a_call_survives_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    Store.open(path).close()
    ended = subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False, timeout=120)
    assert ended.returncode == -signal.SIGKILL
    store = Store.open(path, now=lambda: 1_000_000.0)
    assert (recorded(store), store.salvaged) == (set(range(50)), False)
    store.close()


def test_a_full_disk_costs_calls_but_no_answer(tmp_path: Path) -> None:
    with small(tmp_path):
        path = tmp_path / "state.sqlite"
        store = Store.open(path, now=lambda: 1_000_000.0)
        store.record(call(1))
        assert recorded(store) == {1}
        ballast = fill(tmp_path, 0)
        for number in range(2, 2_000):
            store.record(call(number))
        assert recorded(store) < set(range(2_000))
        ballast.unlink()
        assert recorded(store) == set(range(1, 2_000))
        ballast = fill(tmp_path, 0)
        store.record(call(2_000))
        store.close()
        ballast.unlink()
        again = Store.open(path, now=lambda: 1_000_000.0)
        assert set(range(1, 2_000)) <= recorded(again)
        again.close()


def test_judgements_are_counted(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    for helped in (True, True, False):
        store.judge("note_links", helped=helped)
    store.judge("find_notes", helped=False)
    store.close()
    again = Store.open(tmp_path / "state.sqlite")
    assert again.judged() == {"find_notes": (0, 1), "note_links": (2, 1)}
    again.close()


def test_forgotten_notes_are_in_no_file(tmp_path: Path) -> None:
    def is_secret(path: VaultPath) -> bool:
        return path.startswith("Secret/")

    path = tmp_path / "state.sqlite"
    for day in range(3):
        store = Store.open(path, now=time.time)
        for number in range(400):
            secret, open_ = VaultPath(f"Secret/{number * 7919}.md"), VaultPath(f"Open/{'x' * (number % 60)}.md")
            store.record(Recorded(time.time(), "search", None, None, None, None, None, 1.0, 1, (secret, open_)))
            store.fail(VaultPath(f"Secret/bad {day} {number}.md"), Digest("1"), "too deep")
        store.fail(VaultPath("Open/bad.md"), Digest("1"), "too deep")
        store.close()
        (tmp_path / "state.sqlite.backup-1").unlink(missing_ok=True)
    store = Store.open(path, now=time.time)
    store.record(Recorded(time.time(), "search", None, None, None, None, None, 1.0, 1, (VaultPath("Secret/new.md"),)))
    store.forget(is_secret)
    files = list(tmp_path.iterdir())
    assert len(files) >= 3
    assert {file.name for file in files if b"Secret" in file.read_bytes()} == set()
    assert {path for one in store.calls(0.0) for path in one.paths if is_secret(path)} == set()
    assert len(store.calls(0.0)) == 1_201
    assert list(store.failures()) == ["Open/bad.md"]
    store.close()
    assert {file.name for file in tmp_path.iterdir() if b"Secret" in file.read_bytes()} == set()


def test_a_damaged_file_is_not_kept_when_notes_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    store = Store.open(path)
    store.fail(VaultPath("Secret/bad.md"), Digest("1"), "too deep")
    store.close()
    path.write_bytes(b"spoilt" + path.read_bytes()[6:])
    store = Store.open(path)
    assert b"Secret" in (tmp_path / "state.sqlite.damaged-1").read_bytes()
    store.forget(lambda note: note.startswith("Secret/"))
    assert {file.name for file in tmp_path.iterdir() if b"Secret" in file.read_bytes()} == set()
    store.close()


@pytest.mark.parametrize("garbage", [b"not a database", b""])
def test_a_backup_that_cannot_be_read_is_not_kept_when_notes_are_forgotten(tmp_path: Path, garbage: bytes) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    store.close()
    store = Store.open(tmp_path / "state.sqlite")
    (tmp_path / "state.sqlite.backup-2").write_bytes(garbage)
    store.forget(lambda _: True)
    assert not (tmp_path / "state.sqlite.backup-2").exists()
    store.close()
