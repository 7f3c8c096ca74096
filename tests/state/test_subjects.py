"""Every table of every subject, those of features too: notes are erased, their rows follow moves and outlive damage."""

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

import bridge.features  # noqa: F401 - installs the tables of features
from bridge.features.memory.use_log import UseLog
from bridge.features.tidy.ledger import Ledger
from bridge.state.decisions import Decision
from bridge.state.dismissals import Dismissal, dismissal_key
from bridge.state.graph_days import LinkCounts
from bridge.state.injection_log import InjectedNote
from bridge.state.link_feedback import LinkFeedback
from bridge.state.session_log import SessionEvent
from bridge.state.store import Store, all_subjects, list_backups, salvage
from bridge.state.tables import StateTable, Subject
from bridge.types import Digest, VaultPath
from tests.state.made import call
from tests.state.test_changes import made, put

SECRET, OTHER, NEW = VaultPath("Secret/zxcvb.md"), VaultPath("Open/other.md"), VaultPath("New/moved.md")


def fill_counters(store: Store, path: VaultPath) -> None:
    store.counters.add("embedded", len(path))
    store.tool_scores.add("search", helped=True)


def fill_failures(store: Store, path: VaultPath) -> None:
    store.failures.add(path, Digest("1"), "It was damaged.")


def fill_calls(store: Store, path: VaultPath) -> None:
    store.calls.record(replace(call(1), paths=(path, OTHER)))
    store.calls.flush()


def fill_sessions(store: Store, path: VaultPath) -> None:
    store.sessions.record(SessionEvent(f"session of {len(path)}", float(len(path)), client="agent"))
    store.sessions.set_note(f"session of {len(path)}", path)


def fill_injections(store: Store, path: VaultPath) -> None:
    store.injections.record(
        "session", "brief", [InjectedNote(path, ("is recent",), 7), InjectedNote(OTHER, (), 3)], 1.0
    )


def fill_feedback(store: Store, path: VaultPath) -> None:
    for source, target in ((path, OTHER), (OTHER, path)):
        store.feedback.add(LinkFeedback(source, target, "x", 1, 0))


def fill_dismissals(store: Store, path: VaultPath) -> None:
    for paths in ({path}, {path, OTHER}):
        store.dismissals.add([Dismissal("merge", frozenset(paths), dismissal_key(path))], by_user=True)


def fill_graph_days(store: Store, path: VaultPath) -> None:
    for day, joined in enumerate(({OTHER: 1}, {path: 1}, {path: 2}, {OTHER: 1}, {OTHER: 1, path: 1}), start=1):
        store.graph_days.save(f"2026-01-0{day}", LinkCounts(1, 1, 0), joined)


def fill_journal(store: Store, path: VaultPath) -> None:
    made(store, put(path, None, b"text"))


def fill_memory(store: Store, path: VaultPath) -> None:
    UseLog(store.database).count([path, OTHER], 1.0)


def fill_gardener(store: Store, path: VaultPath) -> None:
    ledger = Ledger(store.database)
    ledger.set_checked("one", [(path, Digest("1")), (OTHER, Digest("2"))])
    if not ledger.findings("plan"):
        data = json.dumps({"notes": [path, OTHER], "digests": {}})
        ledger.add_plan("plan", [("g1", "tags", data)], ["4"])
    ledger.set_run("done")
    ledger.judge("plan", ["g1"], "accept")
    ledger.mute("tags", muted=True)
    ledger.favour("tags", favoured=True)


def fill_workflows(store: Store, path: VaultPath) -> None:
    for each in (path, OTHER):
        store.decisions.answer(Decision("workflow", each, digest=Digest("1")), "accept", "vaultside")


def fill_nothing(store: Store, path: VaultPath) -> None:
    """Of a feature that was taken out, whose tables are gone."""


SAMPLES: dict[str, Callable[[Store, VaultPath], None]] = {
    "counters": fill_counters,
    "failures": fill_failures,
    "calls": fill_calls,
    "sessions": fill_sessions,
    "injections": fill_injections,
    "feedback": fill_feedback,
    "dismissals": fill_dismissals,
    "graph_days": fill_graph_days,
    "journal": fill_journal,
    "memory": fill_memory,
    "gardener": fill_gardener,
    "policies": fill_workflows,
    "deep_search": fill_nothing,
}
"""Fills every table of a subject with rows that name a note; a feature with tables needs one here."""

WITHOUT_NOTES = {
    "counter", "judged", "change", "garden_plan", "garden_rule", "garden_run",
}  # fmt: skip
"""Tables that name no note; a change goes with its steps."""
PAST = {("step", "path"), ("garden_finding", "data")}
"""What a step did and a plan found stays as it was; `now` follows the note, and a finding does not hold any more."""


@pytest.fixture(params=all_subjects(), ids=lambda subject: subject.name)
def subject(request: pytest.FixtureRequest) -> Subject:
    found: Subject = request.param
    return found


@pytest.fixture
def store(tmp_path: Path, subject: Subject) -> Iterator[Store]:
    """Open a state, wait for its first backup, and have every table of the subject name a note."""
    store = Store.open(tmp_path / "state.sqlite", now=lambda: 1_000_000.0)
    while not list_backups(tmp_path / "state.sqlite"):
        time.sleep(0.01)
    SAMPLES[subject.name](store, SECRET)
    yield store
    # Some tests close it themselves.
    with suppress(sqlite3.ProgrammingError):
        store.close()


def rows_of(connection: sqlite3.Connection, tables: Iterable[StateTable]) -> dict[str, list[tuple[object, ...]]]:
    names = [table.name for table in tables]
    return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}


def rows_in(path: Path, subject: Subject) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of a closed file that a merge keeps."""
    with closing(sqlite3.connect(path)) as connection:
        return rows_of(connection, [table for table in subject.tables if table.merge is not None])


def text_of(cell: object) -> str:
    return zlib.decompress(cell).decode() if isinstance(cell, bytes) else str(cell)


def naming(store: Store, text: str) -> set[tuple[str, str]]:
    """Return the tables and columns in which a text stands."""
    found = set()
    for table in (table.name for subject in all_subjects() for table in subject.tables):
        cursor = store.database.connection.execute(f"SELECT * FROM {table}")
        names = [name for name, *_ in cursor.description]
        for row in cursor:
            found |= {(table, name) for name, cell in zip(names, row, strict=True) if text in text_of(cell)}
    return found


def test_every_table_is_of_one_subject(tmp_path: Path) -> None:
    Store.open(tmp_path / "state.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    known = [table.name for subject in all_subjects() for table in subject.tables]
    assert sorted(known) == sorted(name for name in names if name != "subject" and not name.startswith("sqlite_"))
    assert {subject.name for subject in all_subjects()} == SAMPLES.keys()


def test_the_sample_names_a_note_in_every_table(store: Store, subject: Subject) -> None:
    tables = {table.name for table in subject.tables}
    assert {table for table, _ in naming(store, SECRET)} == tables - WITHOUT_NOTES
    assert all(rows_of(store.database.connection, subject.tables).values())


def test_a_denied_note_is_in_no_row_and_no_byte(tmp_path: Path, store: Store) -> None:
    store.back_up()
    store.forget(lambda path: path == SECRET)
    assert naming(store, SECRET) == set()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 1
    assert [file.name for file in files if b"zxcvb" in file.read_bytes()] == []


def test_what_does_not_name_it_stays(store: Store, subject: Subject) -> None:
    before = rows_of(store.database.connection, subject.tables)
    store.forget(lambda path: path.startswith("Nowhere/"))
    assert rows_of(store.database.connection, subject.tables) == before


def test_rows_follow_a_note_that_is_moved(store: Store) -> None:
    before = naming(store, SECRET)
    store.move({SECRET: NEW})
    assert naming(store, SECRET) <= PAST
    assert naming(store, NEW) == before - PAST


def test_rows_outlive_the_loss_of_the_file(tmp_path: Path, store: Store, subject: Subject) -> None:
    path = tmp_path / "state.sqlite"
    store.close()
    before = rows_in(path, subject)
    path.write_bytes(b"not a database" * 1000)
    again = Store.open(path, now=lambda: 1_000_000.0)
    assert again.salvaged
    again.close()
    assert rows_in(path, subject) == before


def test_copies_of_the_file_are_merged(tmp_path: Path, store: Store, subject: Subject) -> None:
    path = tmp_path / "state.sqlite"
    store.back_up()
    older = (tmp_path / "state.sqlite.backup").read_bytes()
    SAMPLES[subject.name](store, OTHER)
    store.close()
    # Two sound copies, of which one has what the other lacks.
    (tmp_path / "state.sqlite.backup").write_bytes(older)
    before = rows_in(path, subject)
    salvage(path, all_subjects())
    assert rows_in(path, subject) == before
