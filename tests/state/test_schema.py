"""Files of earlier versions are brought up to date."""

import sqlite3
from pathlib import Path

import pytest

from bridge.errors import StateUnusable
from bridge.state.change_records import Change, ChangeFacts, HunkState
from bridge.state.schema import MIGRATIONS
from bridge.state.store import Store
from tests.state.made import call, recorded


def written_by(version: int, path: Path) -> None:
    """Write a file as an earlier version did."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript("".join(MIGRATIONS[:version]) + f"PRAGMA user_version = {version};")
    with connection:
        connection.execute("INSERT INTO counter VALUES ('embedded', 7)")
        connection.execute("INSERT INTO failed VALUES ('a.md', '1', 'too deep')")
    connection.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    path = tmp_path / "state.sqlite"
    written_by(version, path)
    store = Store.open(path, now=lambda: 1_000_000.0)
    store.calls.record(call(1))
    assert (store.counters.get("embedded"), list(store.failures.all()), recorded(store)) == (7, ["a.md"], {1})
    assert not store.salvaged
    store.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_backup_of_an_earlier_version_is_salvaged(tmp_path: Path, version: int) -> None:
    written_by(version, tmp_path / "state.sqlite.backup")
    store = Store.open(tmp_path / "state.sqlite")
    assert (store.counters.get("embedded"), store.salvaged) == (7, True)
    store.close()


OLD_FACTS = (
    '{"undoes": ["00"], "switches": [["00", [0, 2], false, 3]], "undone": [1], "by": "disk", "undone_by": ["02"]}'
)


@pytest.mark.parametrize(
    ("stored", "facts"),
    [
        (
            OLD_FACTS,
            ChangeFacts(
                undoes=("00",),
                switches=(HunkState("00", frozenset({0, 2}), on=False, of=3),),
                undone=frozenset({1}),
                by="disk",
            ),
        ),
        ('{"redoes": "00", "by_client": true}', ChangeFacts(redoes="00", by_client=True)),
        ('{"undoes": 5}', ChangeFacts()),
        ('{"undoes', ChangeFacts()),
    ],
)
def test_changes_of_an_earlier_version_are_told(tmp_path: Path, stored: str, facts: ChangeFacts) -> None:
    path = tmp_path / "state.sqlite"
    written_by(7, path)
    connection = sqlite3.connect(path)
    with connection:
        row = ("01", 5.0, None, "s", "undo_change", None, "applied", None, None, stored)
        connection.execute("INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.close()
    store = Store.open(path)
    assert store.journal.change("01") == Change("01", 5.0, "undo_change", session="s", facts=facts, made="01")
    assert not store.salvaged
    store.close()


def test_a_migration_that_breaks_off_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    written_by(1, path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE call (id INTEGER PRIMARY KEY) STRICT")
    connection.close()
    store = Store.open(path)
    assert (store.counters.get("embedded"), store.salvaged) == (7, False)
    store.close()


def test_a_file_of_a_version_with_more_features_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    Store.open(path).close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO subject VALUES ('telepathy', 1)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StateUnusable, match="telepathy"):
        Store.open(path)
    assert path.read_bytes() == before
