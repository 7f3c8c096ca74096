import sqlite3
from pathlib import Path

import pytest

from bridge.errors import StateUnusable
from bridge.state.store import Store
from bridge.types import Digest, VaultPath


def test_counters_survive_a_reopening(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    store.counters.add("embedded", 3)
    store.counters.add("embedded", 4)
    store.close()
    assert Store.open(tmp_path / "state.sqlite").counters.get("embedded") == 7


def test_a_counter_nobody_used_is_zero(tmp_path: Path) -> None:
    assert Store.open(tmp_path / "state.sqlite").counters.get("embedded") == 0


def test_failures_are_listed_until_mended(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    store.failures.add(VaultPath("a.md"), Digest("1"), "too deep")
    store.failures.add(VaultPath("b.md"), Digest("2"), "too long")
    store.failures.remove([VaultPath("a.md")])
    assert store.failures.all() == {"b.md": ("2", "too long")}


@pytest.mark.parametrize("backed_up", [True, False])
def test_a_damaged_file_is_set_aside_and_restored_from_its_backup(tmp_path: Path, backed_up: bool) -> None:
    path = tmp_path / "state.sqlite"
    store = Store.open(path)
    store.counters.add("embedded", 5)
    store.close()
    if not backed_up:
        (tmp_path / "state.sqlite.backup").unlink()
    path.write_bytes(b"not a database" * 1000)
    again = Store.open(path)
    assert again.salvaged
    assert again.counters.get("embedded") == (5 if backed_up else 0)
    assert (tmp_path / "state.sqlite.damaged-1").read_bytes().startswith(b"not a database")


def test_a_file_of_a_newer_version_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    Store.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StateUnusable, match="newer version"):
        Store.open(path)
    assert path.read_bytes() == before


def test_the_file_is_private(tmp_path: Path) -> None:
    Store.open(tmp_path / "state.sqlite").close()
    assert (tmp_path / "state.sqlite").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state.sqlite.backup").stat().st_mode & 0o777 == 0o600
