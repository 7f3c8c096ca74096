import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bridge.state.call_log import PAGE_CALLS, CallRecord
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from tests.models.disks import small
from tests.state.made import call, recorded
from tests.state.test_faults import fill

DAY_S = 86_400.0


def test_calls_are_given_back_as_they_were_recorded(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    made = [
        call(1),
        call(2, code="note_not_found"),
        CallRecord(1_000_003.0, "status", None, None, None, None, None, 0.25, 7, ()),
    ]
    for one in made:
        store.calls.record(one)
    assert store.calls.since(0.0) == made
    assert store.calls.since(1_000_003.0) == made[2:]
    assert store.calls.last_codes(2) == {"note_not_found": 1, None: 1}
    store.close()
    again = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    assert again.calls.since(0.0) == made
    again.close()


def test_a_name_that_is_no_unicode_does_not_stop_the_recording(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    store.calls.record(CallRecord(1.0, "read_note", None, None, None, None, None, 1.0, 1, (VaultPath("caf\udce9.md"),)))
    store.calls.record(call(2))
    assert recorded(store) == {1, 2}
    store.close()


def test_calls_are_kept_for_ninety_days(tmp_path: Path) -> None:
    today = 200 * DAY_S
    store = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    for number, age in enumerate([0, 89, 91, 150]):
        store.calls.record(call(number, time=today - age * DAY_S))
    assert recorded(store) == {0, 1, 2, 3}
    store.close()
    later = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    later.close()
    again = Store.open(tmp_path / "state.sqlite", now=lambda: today)
    assert recorded(again) == {0, 1}
    again.close()


def reading(at: float, *paths: str, **other: Any) -> CallRecord:
    said = {"client": "agent", "session": "s1", "transport": "mcp", "code": None} | other
    return replace(call(0, time=at), tool="read_note", paths=tuple(map(VaultPath, paths)), **said)


def test_readings_are_the_notes_that_programs_read(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000.0)
    for one in (
        reading(1.0, "Old.md"),
        reading(11.0, "A.md", "Linked in A.md"),
        reading(12.0, "A.md", session=None, transport="http"),
        reading(13.0, "Typed.md", transport="command"),
        reading(14.0, "Gone.md", code="note_not_found"),
        reading(15.0),
        replace(reading(16.0, "Listed.md"), tool="search"),
        reading(17.0, "B.md"),
    ):
        store.calls.record(one)
    found = store.calls.readings(10.0, 100)
    assert [(one.time, one.path) for one in found] == [(17.0, "B.md"), (12.0, "A.md"), (11.0, "A.md")]
    assert found[0].reader == found[2].reader != found[1].reader
    assert store.calls.readings(10.0, 1) == found[:1]
    store.close()


def test_calls_follow_notes_that_are_moved(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000.0)
    many = PAGE_CALLS + 1
    for at in range(many):
        store.calls.record(reading(float(at), "A.md", "B.md"))
    store.move({VaultPath("A.md"): VaultPath("New/A.md")})
    assert {one.paths for one in store.calls.since(0.0)} == {("New/A.md", "B.md")}
    assert len(store.calls.since(0.0)) == many
    store.close()


CRASH = """
import os, signal, sys, time
from pathlib import Path
import bridge.features  # with their tables, as in the process that made the file
from bridge.state.store import Store
from tests.state.made import call
store = Store.open(Path(sys.argv[1]), now=lambda: 1_000_000.0)
for number in range(50):
    store.calls.record(call(number))
while store.database.read(lambda connection: connection.execute("SELECT count(*) FROM call").fetchone()) != (50,):
    time.sleep(0.01)
store.counters.add("embedded", 1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_what_was_written_a_moment_after_a_call_survives_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    Store.open(path).close()
    ended = subprocess.run([sys.executable, "-c", CRASH, str(path)], check=False, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    store = Store.open(path, now=lambda: 1_000_000.0)
    assert (recorded(store), store.salvaged) == (set(range(50)), False)
    store.close()


def test_a_full_disk_costs_calls_but_no_answer(tmp_path: Path) -> None:
    with small(tmp_path):
        path = tmp_path / "state.sqlite"
        store = Store.open(path, now=lambda: 1_000_000.0)
        store.calls.record(call(1))
        assert recorded(store) == {1}
        ballast = fill(tmp_path, 0)
        for number in range(2, 2_000):
            store.calls.record(call(number))
        assert recorded(store) < set(range(2_000))
        ballast.unlink()
        assert recorded(store) == set(range(1, 2_000))
        ballast = fill(tmp_path, 0)
        store.calls.record(call(2_000))
        store.close()
        ballast.unlink()
        again = Store.open(path, now=lambda: 1_000_000.0)
        assert set(range(1, 2_000)) <= recorded(again)
        again.close()


def test_judgements_are_counted(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    for helped in (True, True, False):
        store.tool_scores.add("note_links", helped=helped)
    store.tool_scores.add("find_notes", helped=False)
    store.close()
    again = Store.open(tmp_path / "state.sqlite")
    assert again.tool_scores.all() == {"find_notes": (0, 1), "note_links": (2, 1)}
    again.close()


def about(draw: random.Random) -> CallRecord:
    """Return a call about notes of which some are to be forgotten: rows of all sizes, which SQLite moves about."""
    folders = draw.choices(["Secret", "Open", "Secret/deep", "Other"], k=draw.randrange(12))
    paths = [VaultPath(f"{folder}/{'x' * draw.randrange(60)} {draw.random()}.md") for folder in folders]
    return CallRecord(time.time(), "search", None, None, None, None, None, 1.0, 1, tuple(paths))


def test_forgotten_notes_are_in_no_file(tmp_path: Path) -> None:
    draw = random.Random(1)
    for session in range(2):
        store = Store.open(tmp_path / "state.sqlite")
        for _ in range(3_000):
            store.calls.record(about(draw))
        for number in range(300):
            store.failures.add(VaultPath(f"Secret/{session}{number}.md"), Digest("1"), "bad")
            store.failures.add(VaultPath(f"Open/{session}{number}.md"), Digest("1"), "bad")
        if session == 0:
            store.close()
    store.forget(lambda path: path.startswith("Secret/"))
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert {name: data.count(b"Secret") for name, data in files.items()} == dict.fromkeys(files, 0)
    assert {*files} == {f"state.sqlite{end}" for end in ("", "-wal", ".backup", ".backup-1")}
    assert sum(path.startswith("Other/") for one in store.calls.since(0.0) for path in one.paths) > 5_000
    assert (len(store.calls.since(0.0)), len(store.failures.all())) == (6_000, 600)
    store.close()
    assert not any(b"Secret" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_damaged_file_is_not_kept_when_notes_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    store = Store.open(path)
    store.failures.add(VaultPath("Secret/bad.md"), Digest("1"), "too deep")
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
