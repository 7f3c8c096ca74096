"""Changes are kept, found, followed and forgotten, and the contents that they need with them."""

import contextlib
import hashlib
import random
import shutil
import sqlite3
import threading
from collections import UserDict
from collections.abc import ItemsView, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.json import decode, encode
from msgspec.structs import replace

from bridge.errors import StateUnusable
from bridge.state.change_records import REST_PART, Change, ChangeFacts, ChangeFilter, HunkState
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step
from tests.state.made import call

NOON = 1_000_000.0
DAY = 86_400.0
PATIENCE_S = 60.0


class Clock:
    """Tells the time that it is set to."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    store = Store.open(tmp_path / "state.sqlite", now=clock)
    yield store
    # Some tests close it themselves to open it again.
    with contextlib.suppress(sqlite3.ProgrammingError):
        store.close()


def digest(data: bytes) -> Digest:
    return Digest(hashlib.sha256(data).hexdigest())


def path(text: str) -> VaultPath:
    return VaultPath(text)


def put(where: str, before: bytes | None, after: bytes) -> Plan:
    old = {} if before is None else {digest(before): before}
    step = Step("put", path(where), before=digest(before) if before is not None else None, after=digest(after))
    return Plan([step], {**old, digest(after): after})


def moved(before: str, after: str) -> Plan:
    return Plan([Step("move", path(before), to=path(after))])


def made(store: Store, plan: Plan, client: str | None = None, session: str | None = None) -> str:
    """Make a change as the writer does, and return its id."""
    change = Change(
        id=store.journal.next_id(), time=store._now(), operation="edit_note", client=client, session=session
    )
    entry = store.journal.begin(change)
    entry.prepare(plan)
    entry.settle(True)
    return change.id


def proposed(store: Store, plan: Plan, expires: float | None = None) -> str:
    change = Change(store.journal.next_id(), store._now(), "edit_note", steps=tuple(plan.steps), expires=expires)
    store.journal.propose(change, plan.blobs)
    return change.id


def kept(store: Store) -> set[str]:
    return {file.name for file in store.snapshots.folder.glob("*/*")}


def test_a_change_is_kept_with_its_steps_and_contents(tmp_path: Path, store: Store) -> None:
    plan = put("Ordner/Übersicht.md", b"old", b"new\0\xff")
    change = Change(
        id=store.journal.next_id(),
        time=NOON,
        operation="edit_note",
        client="an agent",
        session="s1",
        reason="tidier",
        facts=ChangeFacts(
            undoes=("é",), switches=(HunkState("é", frozenset({REST_PART, 2}), on=False, of=3),), by="disk"
        ),
    )
    entry = store.journal.begin(change)
    entry.prepare(plan)
    entry.settle(True)
    store.close()
    again = Store.open(tmp_path / "state.sqlite")
    found = again.journal.change(change.id)
    assert found == replace(
        change, steps=tuple(plan.steps), now=(path("Ordner/Übersicht.md"),), gone=(None,), made=change.id
    )
    assert [again.snapshots.read(digest(data)) for data in (b"old", b"new\0\xff", b"other")] == [
        b"old",
        b"new\0\xff",
        None,
    ]
    again.close()


def test_an_id_is_given_while_somebody_writes(tmp_path: Path, store: Store) -> None:
    with ThreadPoolExecutor(1) as thread:
        with store.database.lock:
            first = thread.submit(store.journal.next_id).result(timeout=300)
        store.journal.propose(Change(first, NOON, "edit_note", expires=NOON + 1), {})
    store.close()
    with contextlib.closing(Store.open(tmp_path / "state.sqlite", now=lambda: 0.0)) as again:
        assert again.journal.next_id() > first, "although the clock was set back"


def test_a_change_that_was_not_done_leaves_no_row(store: Store) -> None:
    entry = store.journal.begin(Change(store.journal.next_id(), NOON, "edit_note"))
    entry.prepare(put("a.md", b"old", b"new"))
    entry.settle(False)
    assert (store.journal.changes(), store.journal.find_unsettled(), store.journal.change(entry.change.id)) == (
        [],
        [],
        None,
    )


def test_a_change_that_was_begun_is_found_after_a_crash(tmp_path: Path, store: Store) -> None:
    plan = put("a.md", b"old", b"new")
    change = Change(store.journal.next_id(), NOON, "edit_note")
    store.journal.begin(change).prepare(plan)
    assert store.journal.changes() == []
    # What a killed process leaves.
    (tmp_path / "left").mkdir()
    for name in ("state.sqlite", "state.sqlite-wal"):
        shutil.copy(tmp_path / name, tmp_path / "left" / name)
    shutil.copytree(tmp_path / "snapshots", tmp_path / "left/snapshots")
    again = Store.open(tmp_path / "left/state.sqlite")
    ((found, entry),) = again.journal.find_unsettled()
    assert (found.id, found.state, found.steps) == (change.id, "prepared", tuple(plan.steps))
    assert again.snapshots.read(digest(b"old")) == b"old"
    entry.settle(True)
    assert again.journal.find_unsettled() == []
    assert [c.state for c in again.journal.changes()] == ["applied"]
    again.close()


def test_a_folder_that_was_to_be_moved_is_known_after_a_crash(tmp_path: Path, store: Store) -> None:
    step = Step("move", path("A"), to=path("B"), inode=2**64 - 1)
    store.journal.begin(Change(store.journal.next_id(), NOON, "move_folder")).prepare(Plan((step,)))
    store.close()
    store = Store.open(tmp_path / "state.sqlite")
    ((found, _),) = store.journal.find_unsettled()
    assert [one.inode for one in found.steps] == [step.inode]
    store.close()


def test_a_proposal_that_cannot_be_made_is_still_a_proposal(store: Store) -> None:
    plan = put("a.md", b"old", b"new")
    known = store.journal.change(proposed(store, plan))
    assert known is not None
    part = put("a.md", b"old", b"half")
    entry = store.journal.begin(known)
    entry.prepare(part)
    entry.settle(False)
    assert store.journal.change(known.id) == known
    entry.prepare(part)
    entry.settle(True)
    after = store.journal.change(known.id)
    assert after is not None
    assert (after.state, after.steps) == ("applied", tuple(part.steps))


def test_ids_grow_whatever_the_clock_says(tmp_path: Path, store: Store, clock: Clock) -> None:
    first = made(store, put("a.md", None, b"1"))
    clock.time -= 500.0
    second = made(store, put("b.md", None, b"2"))
    store.close()
    again = Store.open(tmp_path / "state.sqlite", now=clock)
    third = made(again, put("c.md", None, b"3"))
    assert first < second < third
    assert [change.id for change in again.journal.changes()] == [third, second, first]
    again.close()


def test_changes_are_found_by_what_is_asked(store: Store, clock: Clock) -> None:
    first = made(store, put("Folder/a.md", None, b"1"), client="one", session="s")
    clock.time += 10
    second = made(store, moved("Folder/a.md", "Other/b.md"), client="two")
    asked = {
        first: [
            ChangeFilter(until=NOON + 10),
            ChangeFilter(client="one"),
            ChangeFilter(session="s"),
            ChangeFilter(path=path("Folder/a.md")),
        ],
        second: [ChangeFilter(since=NOON + 10), ChangeFilter(client="two")],
    }
    for change, wishes in asked.items():
        for wanted in wishes:
            assert change in [found.id for found in store.journal.changes(wanted)], wanted
    both = [second, first]
    for name in ("Folder/a.md", "Other/b.md", "Folder", "Other"):
        assert [found.id for found in store.journal.changes(ChangeFilter(path=path(name)))] == both, name
    assert store.journal.changes(ChangeFilter(path=path("Fold"))) == []
    assert store.journal.changes(ChangeFilter(state="proposed")) == []
    assert store.journal.changes(ChangeFilter(operation="move_note")) == []
    assert [found.id for found in store.journal.changes(limit=1, offset=1)] == [first]


def test_steps_follow_their_files(store: Store) -> None:
    first = made(store, put("Folder/a.md", None, b"1"))
    made(store, moved("Folder", "New"))
    made(store, put("Folder/a.md", None, b"2"))
    store.move({path("New/a.md"): path("x.md"), path("Folder/a.md"): path("New/a.md")})
    assert [change.now for change in reversed(store.journal.changes())] == [("x.md",), ("New",), ("New/a.md",)]
    known = store.journal.change(first)
    assert known is not None
    assert known.steps[0].path == "Folder/a.md"


def test_a_change_follows_its_own_moves_in_their_order(store: Store) -> None:
    swap = Plan([Step("move", path(a), to=path(b)) for a, b in [("a", "t"), ("b", "a"), ("t", "b")]])
    early = [made(store, put(name, None, name.encode())) for name in ("a", "b", "a0", "ab")]
    made(store, Plan([*put("a", b"a", b"A").steps, *swap.steps], {digest(b"a"): b"a", digest(b"A"): b"A"}))
    assert [store.journal.change(change).now for change in early] == [("b",), ("a",), ("a0",), ("ab",)]  # type: ignore[union-attr]
    assert store.journal.changes()[0].now == ("b", "b", "a", "b")


def test_a_file_that_was_taken_away_is_not_the_next_of_its_name(store: Store) -> None:
    def turned_back(change: str, step: Step) -> str:
        facts = ChangeFacts(undoes=(change,), switches=(HunkState(change, frozenset({REST_PART}), on=False, of=1),))
        undo = Change(store.journal.next_id(), NOON, "undo_change", facts=facts)
        entry = store.journal.begin(undo)
        entry.prepare(Plan([step], {digest(b"1"): b"1"}))
        entry.settle(True)
        assert store.journal.change(change).state == "undone"  # type: ignore[union-attr]
        return undo.id

    def gone(*changes: str) -> list[tuple[str, str | None]]:
        found = [store.journal.change(change) for change in changes]
        return [(one.now[0], one.gone[0]) for one in found if one]

    first = made(store, put("F/a.md", None, b"1"))
    removed = made(store, Plan([Step("remove", path("F/a.md"), before=digest(b"1"))], {digest(b"1"): b"1"}))
    second = made(store, put("F/a.md", None, b"1"))
    made(store, moved("F/a.md", "b.md"))
    made(store, moved("F", "G"))
    assert gone(first, removed, second) == [("G/a.md", removed), ("G/a.md", removed), ("b.md", None)]
    assert [one.id for one in store.files.past(path("G/a.md"), removed)] == [first, removed]
    undone = turned_back(removed, Step("put", path("G/a.md"), after=digest(b"1")))
    assert gone(first, removed, undone) == [("G/a.md", None)] * 3
    assert store.files.is_newest(undone, path("G/a.md"))
    assert not store.files.is_newest(first, path("G/a.md"))
    by = turned_back(undone, Step("remove", path("G/a.md"), before=digest(b"1")))
    assert gone(first, undone, by) == [("G/a.md", by)] * 3


def test_parts_of_a_change_are_in_and_out_of_force(store: Store) -> None:
    change = made(store, put("a.md", b"1", b"2"))

    def switched(*parts: int, on: bool = False) -> tuple[str, list[int]]:
        store.journal.switch([HunkState(change, frozenset(parts), on, of=3)])
        found = store.journal.change(change)
        assert found is not None
        return found.state, sorted(found.facts.undone)

    assert [switched(1), switched(1), switched(2, REST_PART), switched(2, on=True)] == [
        ("applied", [1]),
        ("applied", [1]),
        ("undone", [REST_PART, 1, 2]),
        ("applied", [REST_PART, 1]),
    ]
    store.journal.set_state(change, "conflict")
    assert switched(2, on=True) == ("conflict", [REST_PART, 1])
    assert switched(1, 2, REST_PART) == ("undone", [REST_PART, 1, 2])


def test_it_is_known_from_where_things_went(store: Store) -> None:
    made(store, Plan([Step("make_folder", path("F")), *put("F/a.md", None, b"1").steps], {digest(b"1"): b"1"}))
    start = store.journal.changes()[0].id
    folder, file = made(store, moved("F", "G")), made(store, put("G/b.md", None, b"2"))
    away = made(store, Plan([Step("move", path("G/b.md"), to=path("b.md"), before=digest(b"2"))], {digest(b"2"): b"2"}))

    def folders(since: str) -> list[tuple[str, str, str | None]]:
        return [(event.by, event.step.path, event.step.to) for event in store.files.folder_events(since)]

    assert folders(start)[-1:] == [(folder, "F", "G")]
    assert store.files.departures(start) == [(folder, (folder, 0), "F"), (away, (away, 0), "G/b.md")]
    assert (folders(file), store.files.departures(file)) == ([], [(away, (away, 0), "G/b.md")])
    store.journal.set_state(away, "undone")
    assert store.files.departures(file) == []


def test_a_proposal_ends_when_its_time_is_over(store: Store, clock: Clock) -> None:
    plan = put("a.md", None, b"1")
    soon, late, never = (proposed(store, plan, expires) for expires in (NOON + 5, NOON + 50, None))
    clock.time += 5
    assert store.journal.expire() == [soon]
    assert store.journal.expire() == []
    store.journal.set_state(late, "rejected")
    states = {change.id: change.state for change in store.journal.changes()}
    assert states == {soon: "expired", late: "rejected", never: "proposed"}


def test_a_damaged_content_is_never_handed_out(store: Store) -> None:
    made(store, put("a.md", b"old", b"new"))
    place = store.snapshots.place(digest(b"old"))
    for damage in (b"", place.read_bytes()[:-5], b"x" * 40):
        place.write_bytes(damage)
        with pytest.raises(StateUnusable):
            store.snapshots.read(digest(b"old"))
    made(store, put("b.md", b"old", b"other"))
    assert store.snapshots.read(digest(b"old")) == b"old"


def test_contents_are_for_the_user_alone(store: Store) -> None:
    made(store, put("a.md", b"old", b"new"))
    modes = {entry.stat().st_mode & 0o777 for entry in store.snapshots.folder.glob("*/*")}
    folders = {entry.stat().st_mode & 0o777 for entry in (store.snapshots.folder, *store.snapshots.folder.iterdir())}
    assert (modes, folders) == ({0o600}, {0o700})


def test_the_oldest_changes_lose_their_contents_first(store: Store, clock: Clock) -> None:
    texts = [random.Random(number).randbytes(300_000) for number in range(5)]
    waiting = proposed(store, put("p.md", None, texts[0]))
    for old, new in [(1, 2), (2, 3), (3, 4)]:
        made(store, put("a.md", texts[old], texts[new]))
        clock.time += DAY
    store.snapshots.keep({digest(b"of no change"): b"of no change"})
    assert len(kept(store)) == 6
    store.journal.limit_history(1, 100)
    assert kept(store) == {digest(texts[number]) for number in (0, 3, 4)}
    assert store.snapshots.size == sum(file.stat().st_size for file in store.snapshots.folder.glob("*/*"))
    clock.time += DAY
    store.journal.limit_history(1, 1)
    assert kept(store) == {digest(texts[0])}
    store.journal.set_state(waiting, "rejected")
    store.journal.limit_history(1, 1)
    assert kept(store) == set()
    assert len(store.journal.changes()) == 4


def test_so_many_changes_are_kept_and_all_that_wait(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.state.journal.MAX_CHANGES", 2)
    waiting = proposed(store, put("p.md", None, b"p"))
    ids = [made(store, put("a.md", None, bytes([number]))) for number in range(4)]
    store._tidy()
    assert [change.id for change in store.journal.changes()] == [ids[3], ids[2], waiting]


def test_nothing_is_deleted_before_the_limits_are_known(store: Store, clock: Clock) -> None:
    made(store, put("a.md", b"old", b"new"))
    clock.time += 10_000 * DAY
    store.journal.prune()
    assert len(kept(store)) == 2


def test_what_touched_a_denied_note_is_forgotten_with_its_contents(tmp_path: Path, store: Store) -> None:
    made(store, put("Open.md", b"common", b"open text"))
    made(store, put("Secret/a.md", b"common", b"hidden text"))
    made(store, moved("b.md", "Secret/b.md"))
    proposed(store, put("Secret/c.md", None, b"hidden too"))
    renamed = made(store, put("d.md", None, b"hidden by now"))
    store.move({path("d.md"): path("Secret/d.md")})
    store.journal.begin(Change(store.journal.next_id(), NOON, "edit_note")).prepare(
        put("Secret/e.md", None, b"hidden, begun")
    )
    store.back_up()
    store.forget(lambda name: name.startswith("Secret/"))
    assert [change.steps[0].path for change in store.journal.changes()] == ["Open.md"]
    assert (store.journal.change(renamed), store.journal.find_unsettled()) == (None, [])
    assert kept(store) == {digest(b"common"), digest(b"open text")}
    left = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"Secret" not in left


def test_changes_and_their_contents_survive_the_loss_of_the_file(tmp_path: Path, store: Store) -> None:
    change = made(store, put("a.md", b"old", b"new"))
    waiting = proposed(store, put("b.md", None, b"other"))
    before = [store.journal.change(change), store.journal.change(waiting)]
    store.close()
    (tmp_path / "state.sqlite").unlink()
    again = Store.open(tmp_path / "state.sqlite")
    assert again.salvaged
    assert [again.journal.change(change), again.journal.change(waiting)] == before
    assert again.snapshots.read(digest(b"old")) == b"old"
    again.close()


def test_a_change_is_written_while_calls_are(store: Store) -> None:
    def record() -> None:
        for number in range(200):
            store.calls.record(call(number))
            store.calls.since(1e9)

    def change() -> None:
        for number in range(200):
            made(store, put("A.md", b"%d" % number, b"%d" % (number + 1)))

    threads = [threading.Thread(target=work, daemon=True) for work in (record, change)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads), "each waits for the other"


class SlowBlobs(UserDict[Digest, bytes]):
    """Contents that are stored only when they may be, such as those of a very large change."""

    def __init__(self, blobs: Mapping[Digest, bytes]) -> None:
        super().__init__(blobs)
        self.asked, self.free = threading.Event(), threading.Event()

    def items(self) -> ItemsView[Digest, bytes]:
        self.asked.set()
        self.free.wait()
        return super().items()


def test_who_reads_and_makes_small_changes_waits_for_no_contents_of_a_large_one(store: Store) -> None:
    small, large = put("a.md", b"1", b"2"), put("b.md", b"3", b"4")
    blobs = SlowBlobs(large.blobs)
    with ThreadPoolExecutor() as threads:
        change = Change(store.journal.next_id(), NOON, "rename_tag", steps=tuple(large.steps))
        proposing = threads.submit(store.journal.propose, change, blobs)
        try:
            blobs.asked.wait()
            other = threads.submit(made, store, small).result(PATIENCE_S)
            assert [one.id for one in threads.submit(store.journal.changes).result(PATIENCE_S)] == [other]
        finally:
            blobs.free.set()
        proposing.result()
    assert store.snapshots.read(digest(b"4")) == b"4"


def test_contents_without_a_row_stay_as_long_as_it_is_being_written(store: Store) -> None:
    blobs = put("a.md", None, b"1").blobs
    with store.snapshots.hold(blobs), store.snapshots.hold(blobs):
        store.snapshots.sweep(())
        store.snapshots.drop(blobs)
        assert store.snapshots.read(digest(b"1")) == b"1"
    store.snapshots.sweep(())
    assert store.snapshots.read(digest(b"1")) is None


def test_what_a_proposal_may_skip_is_stored_under_its_former_name() -> None:
    facts = ChangeFacts(skips_overtaken=True)
    assert encode(facts) == b'{"apart":true}'
    assert decode(b'{"apart":true}', type=ChangeFacts) == facts
