"""How the graph grew, a row a day."""

import sqlite3
from contextlib import closing
from pathlib import Path

from bridge.state.graph_days import MAX_DAYS, MAX_NAMED_NOTES, Changes, Day, LinkCounts
from bridge.state.store import Store
from bridge.types import VaultPath

A, B, C = (VaultPath(f"{name}.md") for name in "abc")
SIZE = LinkCounts(2, 1, 0)


def opened(path: Path) -> Store:
    return Store.open(path / "state.sqlite")


def test_a_day_tells_what_differs_from_the_day_before_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.graph_days.save("2026-01-01", SIZE, {A: 1, B: 1})
    store.graph_days.save("2026-01-04", LinkCounts(2, 2, 1), {A: 3, C: 2})
    store.close()
    assert opened(tmp_path).graph_days.since("2026-01-01") == [
        Day("2026-01-01", SIZE, Changes()),
        Day("2026-01-04", LinkCounts(2, 2, 1), Changes((C,), (B,), ((A, 2),))),
    ]


def test_a_day_can_be_seen_many_times(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.graph_days.save("2026-01-01", SIZE, {A: 1})
    store.graph_days.save("2026-01-02", SIZE, {A: 1, B: 1, C: 1})
    store.graph_days.save("2026-01-02", SIZE, {A: 1, B: 1})
    assert [day.changes.appeared for day in store.graph_days.since("2026-01-02")] == [(B,)]
    store.graph_days.save("2026-01-03", SIZE, {A: 1})
    assert store.graph_days.since("2026-01-03")[0].changes == Changes(vanished=(B,))


def test_only_what_is_needed_is_kept_whole(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in range(MAX_DAYS + 5):
        store.graph_days.save(
            f"{2000 + number}-01-01", SIZE, {VaultPath(f"{n}.md"): 0 for n in range(number, number + 300)}
        )
    days = store.graph_days.since("")
    assert len(days) == MAX_DAYS
    assert {len(day.changes.appeared) for day in days} == {1}
    store.close()
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as connection, connection:
        assert connection.execute("SELECT count(*) FROM graph_day WHERE state IS NOT NULL").fetchone() == (2,)


def test_a_day_on_which_everything_changed_names_some(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.graph_days.save("2026-01-01", SIZE, {A: 1})
    store.graph_days.save("2026-01-02", SIZE, {VaultPath(f"{n}.md"): n for n in range(5000)})
    (day,) = store.graph_days.since("2026-01-02")
    assert (len(day.changes.appeared), day.changes.appeared[0], day.changes.vanished) == (
        MAX_NAMED_NOTES,
        "4999.md",
        (A,),
    )


def test_forgotten_notes_are_in_no_byte_of_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    secret = VaultPath("Secret/zxcvb.md")
    store.graph_days.save("2026-01-01", SIZE, {A: 1})
    store.graph_days.save("2026-01-02", SIZE, {A: 2, secret: 1})
    store.forget(lambda path: path.startswith("Secret/"))
    assert store.graph_days.since("2026-01-02") == [Day("2026-01-02", SIZE, Changes(grown=((A, 1),)))]
    store.graph_days.save("2026-01-03", SIZE, {A: 2})
    assert store.graph_days.since("2026-01-03")[0].changes == Changes()
    store.close()
    assert not any(b"zxcvb" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_note_that_is_moved_does_not_vanish(tmp_path: Path) -> None:
    store = opened(tmp_path)
    odd = VaultPath('Ü "x"\U0001f34b/b.md')
    store.graph_days.save("2026-01-01", SIZE, {A: 1})
    store.graph_days.save("2026-01-02", SIZE, {A: 1, odd: 1})
    store.move({odd: C})
    store.graph_days.save("2026-01-03", SIZE, {A: 1, C: 2})
    days = store.graph_days.since("2026-01-02")
    assert [day.changes for day in days] == [Changes(appeared=(C,)), Changes(grown=((C, 1),))]


def test_a_spoilt_day_costs_only_its_comparison(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.graph_days.save("2026-01-01", SIZE, {A: 1})
    store.close()
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as connection, connection:
        connection.execute("UPDATE graph_day SET state = x'00', changes = '{'")
    store = opened(tmp_path)
    store.graph_days.save("2026-01-02", SIZE, {A: 1, B: 1})
    assert [day.changes for day in store.graph_days.since("")] == [Changes(), Changes()]


def test_paths_that_are_no_unicode_are_kept(tmp_path: Path) -> None:
    store = opened(tmp_path)
    odd = VaultPath("a\udcff.md")
    store.graph_days.save("2026-01-01", SIZE, {})
    store.graph_days.save("2026-01-02", SIZE, {odd: 0})
    assert store.graph_days.since("2026-01-02")[0].changes.appeared == (odd,)
