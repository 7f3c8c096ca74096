"""What a full or read-only disk, or another program, does to the file is told in words."""

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.errors import BridgeError, Busy, DiskFull, ReadOnly, StateUnusable
from bridge.state.database import translate_errors
from bridge.state.store import Store
from tests.models.disks import read_only, small


def fill(disk: Path, leave: int) -> Path:
    """Leave so many bytes on a disk, and return the file that takes the others."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    os.truncate(ballast, ballast.stat().st_size - leave)
    return ballast


def test_a_disk_without_room_is_told_and_loses_nothing(tmp_path: Path) -> None:
    with small(tmp_path):
        path = tmp_path / "state.sqlite"
        store = Store.open(path)
        store.counters.add("embedded", 5)
        store.close()
        told = set()
        for leave in range(0, 256 * 1024, 4096):
            ballast = fill(tmp_path, leave)
            try:
                store = Store.open(path)
                store.counters.add("tries", 1)
                store.close()
            except DiskFull as full:
                told.add(full.message)
                store.close()
            ballast.unlink()
        assert told == {f"The disk is full: no space for {path}."}
        left = {file.name for file in tmp_path.iterdir()}
        assert left == {"state.sqlite", "state.sqlite.backup", "state.sqlite.backup-1"}
        assert Store.open(path).counters.get("embedded") == 5


def test_a_file_that_cannot_be_made_for_want_of_room_is_told(tmp_path: Path) -> None:
    with small(tmp_path):
        for leave in range(0, 16 * 1024, 4096):
            ballast = fill(tmp_path, leave)
            with pytest.raises(DiskFull):
                Store.open(tmp_path / "state.sqlite")
            ballast.unlink()
        assert Store.open(tmp_path / "state.sqlite").sound()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    Store.open(tmp_path / "old.sqlite").close()
    with read_only(tmp_path):
        for name in ("old.sqlite", "new.sqlite"):
            with pytest.raises(ReadOnly, match="cannot be written"):
                Store.open(tmp_path / name)


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Store.open(tmp_path / "data" / "state.sqlite").close()
    shutil.rmtree(tmp_path / "data")
    with pytest.raises(ReadOnly, match="No such file"):
        Store.open(tmp_path / "data" / "state.sqlite")


def test_a_file_that_another_program_has_locked_is_told(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    Store.open(path).close()
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Busy, match="another program"):
        Store.open(path)
    other.close()
    assert Store.open(path).sound()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (sqlite3.SQLITE_IOERR_READ, StateUnusable),
        (sqlite3.SQLITE_CORRUPT, StateUnusable),
        (sqlite3.SQLITE_READONLY_DBMOVED, StateUnusable),
        (sqlite3.SQLITE_CANTOPEN, StateUnusable),
        (sqlite3.SQLITE_FULL, DiskFull),
        (None, StateUnusable),
    ],
)
def test_every_word_of_sqlite_has_a_meaning(tmp_path: Path, code: int | None, told: type[BridgeError]) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    if code is not None:
        error.sqlite_errorcode, error.sqlite_errorname = code, "SQLITE_SOMETHING"
    with pytest.raises(told, match=str(tmp_path)), translate_errors(tmp_path / "state.sqlite"):
        raise error


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_CANTOPEN])
def test_trouble_on_a_disk_without_room_is_the_want_of_room(tmp_path: Path, code: int) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    with small(tmp_path):
        fill(tmp_path, 64 * 1024)
        with pytest.raises(DiskFull), translate_errors(tmp_path / "state.sqlite"):
            raise error
