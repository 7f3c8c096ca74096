"""Private files: whole or not at all, for their owner alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bridge.errors import DiskFull, ReadOnly
from bridge.private_files import file_lock, is_locked, write_error, write_private
from tests.models import disks


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_file_is_replaced_whole_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b"something longer")
    path.chmod(0o644)
    write_private(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
    assert names(tmp_path) == ["file.json"]


def test_writers_at_once_leave_what_one_of_them_wrote(tmp_path: Path) -> None:
    texts = [bytes([letter]) * (1 << 16) for letter in b"abcdefgh"] * 4
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_private(tmp_path / "file", text), texts))
    assert (tmp_path / "file").read_bytes() in texts
    assert names(tmp_path) == ["file"]


def test_a_full_disk_is_told_and_keeps_the_old_file(tmp_path: Path) -> None:
    with disks.small(tmp_path):
        write_private(tmp_path / "file", b"old")
        with pytest.raises(DiskFull, match="The disk is full: no space for"):
            write_private(tmp_path / "file", bytes(1 << 21))
        assert (tmp_path / "file").read_bytes() == b"old"
        assert names(tmp_path) == ["file"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with disks.read_only(tmp_path), pytest.raises(ReadOnly, match="cannot be written"):
        write_private(tmp_path / "file", b"new")


def test_a_place_that_cannot_be_taken_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(ReadOnly, match="cannot be written"):
        write_private(tmp_path / "taken", b"new")
    assert names(tmp_path) == ["taken"]


def test_what_the_system_said_is_passed_on(tmp_path: Path) -> None:
    assert write_error(tmp_path, OSError(5, "Bad disk")).message == f"{tmp_path} cannot be written: Bad disk."


def test_a_lock_is_seen_and_those_who_look_for_it_do_not_see_each_other(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not is_locked(lock)
    with file_lock(lock):
        assert is_locked(lock)
    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(lambda _: is_locked(lock), range(20_000)))
