"""The newest changes outlive the file that keeps them, and what is denied is in none of their copies."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.state.change_log import log_path
from bridge.state.change_records import Change, ChangeFilter
from bridge.state.store import Store, list_backups
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.state.test_changes import digest, put

Damage = Callable[[Path], None]


def zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def spoil_the_beginning(file: Path) -> None:
    file.write_bytes(b"not what SQLite wrote" * 40 + file.read_bytes()[840:])


def become_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def vanish(file: Path) -> None:
    file.unlink()


def opened(path: Path) -> Store:
    """Open a new file and wait for its first backup, which is made by itself."""
    store = Store.open(path)
    while not list_backups(path):
        time.sleep(0.01)
    return store


def make(store: Store, plan: Plan, number: int) -> str:
    change = Change(store.journal.next_id(), float(number), "edit_note")
    entry = store.journal.begin(change)
    entry.prepare(plan)
    entry.settle(True)
    return change.id


def edit(store: Store, number: int, name: str = "a.md") -> str:
    return make(store, put(name, f"{number}".encode(), f"{number + 1}".encode()), number)


def killed(folder: Path, copy: Path) -> Path:
    """Return the state as a process leaves it that is killed now."""
    shutil.copytree(folder, copy)
    return copy / "state.sqlite"


@pytest.mark.parametrize("destroy", [zero, spoil_the_beginning, become_a_folder, vanish])
@pytest.mark.parametrize("backed_up", [True, False])
def test_the_newest_changes_outlive_their_file(tmp_path: Path, destroy: Damage, backed_up: bool) -> None:
    data = tmp_path / "data"
    data.mkdir()
    store = opened(data / "state.sqlite")
    for number in range(40):
        edit(store, number)
    if backed_up:
        store.back_up()
        assert not log_path(data / "state.sqlite").exists()
    else:
        for file in list_backups(data / "state.sqlite"):
            file.unlink()
    # What follows writes into older changes, too: where their note is, that they are undone.
    moved = Plan([Step("move", VaultPath("a.md"), to=VaultPath("b.md"), before=digest(b"40"))])
    make(store, moved, 40)
    edit(store, 41, "b.md")
    store.journal.set_state(edit(store, 42, "b.md"), "undone")
    before, past = store.journal.changes(limit=100), store.files.past(VaultPath("b.md"))
    left = killed(data, tmp_path / "left")
    store.close()
    destroy(left)
    for log in (left.with_name("state.sqlite-wal"), left.with_name("state.sqlite-shm")):
        log.unlink(missing_ok=True)
    again = Store.open(left)
    assert again.salvaged
    assert again.journal.changes(limit=100) == before
    assert [change.state for change in again.journal.changes(limit=2)] == ["undone", "applied"]
    assert again.files.past(VaultPath("b.md")) == past
    assert again.snapshots.read(digest(b"43")) == b"43"
    again.close()


def test_a_torn_or_spoilt_line_costs_only_itself(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.sqlite")
    first, second, third = (edit(store, number, f"{number}.md") for number in range(3))
    left = killed(tmp_path, tmp_path / "left")
    store.close()
    log = log_path(left)
    log.write_bytes(log.read_bytes().replace(f'"id":"{second}"'.encode(), b'"id":"spoilt"')[:-40])
    zero(left)
    left.with_name("state.sqlite-wal").unlink()
    again = Store.open(left)
    # Of the third the last line is torn: what was kept when it was begun is there, so that it is made whole.
    assert {change.id for change in again.journal.changes()} == {first}
    assert [change.id for change, _ in again.journal.find_unsettled()] == [third]
    edit(again, 5)
    assert len(again.journal.changes()) == 2
    again.close()


def test_what_is_denied_is_in_no_line(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.sqlite")
    kept = edit(store, 1, "open.md")
    edit(store, 2, "secret.md")
    log = log_path(tmp_path / "state.sqlite")
    assert b"secret" in log.read_bytes()
    store.forget(lambda path: path == "secret.md")
    assert b"secret" not in log.read_bytes()
    assert kept.encode() in log.read_bytes()
    left = killed(tmp_path, tmp_path / "left")
    store.close()
    zero(left)
    left.with_name("state.sqlite-wal").unlink(missing_ok=True)
    again = Store.open(left)
    assert [change.id for change in again.journal.changes(ChangeFilter())] == [kept]
    again.close()


def test_a_change_that_is_gone_stays_gone(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.sqlite")
    entry = store.journal.begin(Change(store.journal.next_id(), 1.0, "edit_note"))
    entry.prepare(put("a.md", None, b"new"))
    entry.settle(False)
    left = killed(tmp_path, tmp_path / "left")
    store.close()
    zero(left)
    left.with_name("state.sqlite-wal").unlink()
    again = Store.open(left)
    assert again.journal.changes() == []
    assert again.journal.find_unsettled() == []
    again.close()


def test_a_long_log_is_taken_into_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.state.change_log.MAX_BYTES", 20_000)
    store = opened(tmp_path / "state.sqlite")
    for number in range(100):
        edit(store, number)
    store.close()
    assert not log_path(tmp_path / "state.sqlite").exists()
    assert len((tmp_path / "state.sqlite.backup").read_bytes()) > 20_000


def test_a_change_that_was_backed_up_while_it_was_made_is_settled_after_damage(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.sqlite")
    entry = store.journal.begin(Change(store.journal.next_id(), 1.0, "edit_note"))
    entry.prepare(put("a.md", b"old", b"new"))
    store.back_up()
    begun = (tmp_path / "state.sqlite.backup").read_bytes()
    entry.settle(True)
    before = store.journal.changes()
    store.close()
    # The current backup has the settled change; the older one what was begun.
    (tmp_path / "state.sqlite.backup-1").write_bytes(begun)
    zero(tmp_path / "state.sqlite")
    again = Store.open(tmp_path / "state.sqlite")
    assert again.salvaged
    assert (again.journal.changes(), again.journal.find_unsettled()) == (before, [])
    again.close()
