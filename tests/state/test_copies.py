import itertools
import os
import sqlite3
import time
from pathlib import Path

import pytest

from bridge.errors import StateUnusable
from bridge.state.store import Store, is_due

NAMES = ["state.sqlite.backup", "state.sqlite.backup-1", "state.sqlite.backup-2", "state.sqlite.backup-3"]


def counted_in(backup: Path) -> int:
    connection = sqlite3.connect(backup)
    (value,) = connection.execute("SELECT value FROM counter").fetchone()
    connection.close()
    return int(value)


def use(path: Path) -> None:
    store = Store.open(path)
    store.counters.add("days", 1)
    store.close()


def a_day_passes(folder: Path) -> None:
    for backup in folder.glob("*.backup*"):
        os.utime(backup, (time.time() - 90_000, backup.stat().st_mtime - 90_000))


def test_the_last_backup_of_each_of_three_days_is_kept(tmp_path: Path) -> None:
    for _ in range(6):
        for _ in range(3):
            use(tmp_path / "state.sqlite")
        a_day_passes(tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.backup*")) == NAMES
    held = [counted_in(tmp_path / name) for name in NAMES]
    assert held[0] == 18
    assert held == sorted(held, reverse=True)
    assert all(newer - older == 3 for newer, older in itertools.pairwise(held[1:]))


def test_a_file_that_nobody_changed_is_not_copied_again(tmp_path: Path) -> None:
    use(tmp_path / "state.sqlite")
    before = (tmp_path / "state.sqlite.backup").stat().st_ino
    Store.open(tmp_path / "state.sqlite").close()
    assert (tmp_path / "state.sqlite.backup").stat().st_ino == before


def test_a_backup_is_made_soon_after_the_start_when_the_last_is_of_yesterday(tmp_path: Path) -> None:
    use(tmp_path / "state.sqlite")
    a_day_passes(tmp_path)
    store = Store.open(tmp_path / "state.sqlite")
    ends = time.monotonic() + 300
    while is_due(tmp_path / "state.sqlite") and time.monotonic() < ends:
        time.sleep(0.01)
    assert not is_due(tmp_path / "state.sqlite")
    store.close()


def test_a_file_that_is_damaged_while_it_is_used_does_not_replace_its_backup(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    use(path)
    store = Store.open(path)
    sound = (tmp_path / "state.sqlite.backup").read_bytes()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * len(data[4096:])
    path.write_bytes(data)
    assert not store.sound()
    with pytest.raises(StateUnusable, match="not backed up"):
        store.back_up()
    store.close()
    assert (tmp_path / "state.sqlite.backup").read_bytes() == sound
    again = Store.open(path)
    assert (again.salvaged, again.counters.get("days")) == (True, 1)
    again.close()
