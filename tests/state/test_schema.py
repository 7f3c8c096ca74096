"""Files of earlier versions are brought up to date."""

import sqlite3
from pathlib import Path

import pytest

from bridge.errors import StateUnusable
from bridge.state.change_records import Change, ChangeFacts, HunkState
from bridge.state.store import Store

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
    Store.open(path).close()
    connection = sqlite3.connect(path)
    with connection:
        row = ("01", 5.0, None, "s", "undo_change", None, "applied", None, stored, None)
        connection.execute("INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.close()
    store = Store.open(path)
    assert store.journal.change("01") == Change("01", 5.0, "undo_change", session="s", facts=facts, made="01")
    assert not store.salvaged
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
