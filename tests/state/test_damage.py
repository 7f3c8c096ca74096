"""Real files, damaged at random places: the store opens, and what a sound backup holds is there."""

import logging
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.state.database import is_sound
from bridge.state.store import Store
from tests.state.made import TOOLS, filled, recorded

BACKED_UP, CALLS = 300, 500

Damage = Callable[[Path, random.Random], None]


def flip_a_bit(file: Path, draw: random.Random) -> None:
    flip(file, draw, 1)


def flip_many_bits(file: Path, draw: random.Random) -> None:
    # So many that one is where SQLite sees it; a flipped bit of a number is a sound number.
    flip(file, draw, draw.randrange(100, 400))


def flip(file: Path, draw: random.Random, times: int) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(times):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)


def scribble_over_the_header(file: Path, draw: random.Random) -> None:
    # Not over the version, which would make it a file of a newer one.
    data = bytearray(file.read_bytes())
    for place in draw.choices([*range(60), *range(64, 200)], k=4):
        data[place] = draw.randrange(256)
    file.write_bytes(data)


def scribble(file: Path, draw: random.Random) -> None:
    data = bytearray(file.read_bytes())
    start = draw.randrange(len(data))
    data[start : start + 20_000] = draw.randbytes(min(20_000, len(data) - start))
    file.write_bytes(data)


def zero_pages(file: Path, draw: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(draw.randrange(1, 6)):
        start = draw.randrange(len(data) // 4096) * 4096
        data[start : start + 4096] = bytes(4096)
    file.write_bytes(data)


def truncate(file: Path, draw: random.Random) -> None:
    os.truncate(file, draw.randrange(file.stat().st_size))


def empty(file: Path, _: random.Random) -> None:
    os.truncate(file, 0)


def delete(file: Path, _: random.Random) -> None:
    file.unlink()


def make_a_folder_of_it(file: Path, _: random.Random) -> None:
    file.unlink()
    file.mkdir()


def delete_the_log(file: Path, _: random.Random) -> None:
    log_of(file).unlink()


def truncate_the_log(file: Path, draw: random.Random) -> None:
    truncate(log_of(file), draw)


def flip_bits_of_the_log(file: Path, draw: random.Random) -> None:
    flip_many_bits(log_of(file), draw)


def log_of(file: Path) -> Path:
    return file.with_name("state.sqlite-wal")


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder as a crash leaves it: the file, what was written since in the log, a backup of before."""
    folder = tmp_path_factory.mktemp("state")
    filled(folder / "state.sqlite", range(BACKED_UP)).close()
    store = filled(folder / "state.sqlite", range(BACKED_UP, CALLS))
    assert len(recorded(store)) == CALLS
    left = folder / "left"
    left.mkdir()
    # Nothing is written meanwhile: what is done in the background at the start may come late.
    with store.database.lock:
        for file in folder.glob("state.sqlite*"):
            shutil.copy2(file, left)
    store.close()
    assert log_of(left / "state.sqlite").stat().st_size
    return left


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "damage",
    [
        flip_a_bit, flip_many_bits, scribble_over_the_header, scribble, zero_pages, truncate, empty, delete,
        make_a_folder_of_it, delete_the_log, truncate_the_log, flip_bits_of_the_log,
    ],
    ids=lambda damage: str(damage.__name__),
)  # fmt: skip
def test_what_was_backed_up_survives(crashed: Path, tmp_path: Path, damage: Damage, seed: int) -> None:
    path = tmp_path / "state.sqlite"
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    damage(path, random.Random(seed))
    store = Store.open(path, now=lambda: 1_000_000.0)
    assert set(range(BACKED_UP)) <= recorded(store)
    assert store.counters.get("embedded") >= BACKED_UP
    assert len(store.tool_scores.all()) >= TOOLS
    store.counters.add("embedded", 1)
    assert store.sound()
    assert store.salvaged == any(tmp_path.glob("*.damaged-*")) or damage is delete
    store.close()
    assert is_sound(path)


@pytest.mark.parametrize("seed", range(4))
def test_a_file_without_a_backup_is_read_as_far_as_it_reads(
    crashed: Path, tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "state.sqlite"
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    Store.open(path, now=lambda: 1_000_000.0).close()
    for backup in tmp_path.glob("*.backup*"):
        backup.unlink()
    data = bytearray(path.read_bytes())
    # A page with the rows of some calls and nothing else.
    start = [page for page in range(0, len(data), 4096) if b"some-agent" in data[page : page + 4096]][3 + seed]
    data[start : start + 4096] = bytes(4096)
    path.write_bytes(data)
    with caplog.at_level(logging.CRITICAL):
        store = Store.open(path, now=lambda: 1_000_000.0)
    assert store.salvaged
    assert CALLS - 60 < len(recorded(store)) < CALLS
    assert store.counters.get("embedded") == CALLS
    store.close()


def test_what_is_newer_than_the_backup_is_taken_from_the_damaged_file(crashed: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    Store.open(path, now=lambda: 1_000_000.0).close()
    shutil.copy(crashed / "state.sqlite.backup", tmp_path)
    os.truncate(path, path.stat().st_size - 4096)
    store = Store.open(path, now=lambda: 1_000_000.0)
    assert store.salvaged
    assert set(range(BACKED_UP)) < recorded(store)
    assert store.counters.get("embedded") == CALLS
    store.close()


def test_a_backup_that_is_damaged_gives_what_it_can(crashed: Path, tmp_path: Path) -> None:
    shutil.copy(crashed / "state.sqlite.backup", tmp_path)
    backup = tmp_path / "state.sqlite.backup"
    os.truncate(backup, backup.stat().st_size - 4096)
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    assert store.salvaged
    assert len(recorded(store)) > BACKED_UP // 2
    store.close()


def test_each_damaged_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    for garbage in (b"not a database", b"nor this"):
        Store.open(path).close()
        path.write_bytes(garbage * 1000)
    Store.open(path).close()
    assert [(tmp_path / f"state.sqlite.damaged-{n}").read_bytes()[:8] for n in (1, 2)] == [b"not a da", b"nor this"]
