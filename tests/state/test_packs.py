"""The contents of large changes, which are kept in one file for each change."""

import os
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bridge.errors import ReadOnly, StateUnusable
from bridge.state import snapshots
from bridge.state.change_records import Change
from bridge.state.snapshots import MIN_PACKED_BLOBS, Packs, Snapshots
from bridge.state.store import Store
from bridge.types import Digest
from tests.state.test_changes import PATIENCE_S, SlowBlobs
from tests.state.test_snapshots import contents
from tests.vault.write.plans import digest, put, together

MANY = MIN_PACKED_BLOBS + 10


def pack_files(folder: Path) -> list[Path]:
    return sorted((folder / "packs").iterdir())


def read_all(store: Snapshots, blobs: dict[Digest, bytes]) -> dict[Digest, bytes | None]:
    return {each: store.read(each) for each in blobs}


def test_many_contents_are_one_file_and_are_read_after_a_restart(tmp_path: Path) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    store = Snapshots(folder)
    store.keep(blobs)
    (pack,) = pack_files(folder)
    assert [file for file in folder.rglob("*") if file.is_file()] == [pack]
    for one in (store, Snapshots(folder)):
        assert read_all(one, blobs) == blobs
        assert one.size == pack.stat().st_size
        assert one.count_damaged() == 0
    some = next(iter(blobs))
    assert store.read(Digest(some[:12])) == blobs[some]
    assert store.read(Digest("0" * 64)) is None
    store.keep(blobs)
    assert pack_files(folder) == [pack]
    assert (pack.stat().st_mode & 0o777, pack.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_contents_in_files_of_their_own_stay_readable_beside_packs(tmp_path: Path) -> None:
    blobs, folder = contents(MANY + 20), tmp_path / "contents"
    store = Snapshots(folder)
    few = dict([*blobs.items()][:20])
    store.keep(few)
    store.keep(blobs)
    assert len(list(folder.glob("??/*"))) == 20
    assert read_all(Snapshots(folder), blobs) == blobs
    assert store.size == Snapshots(folder).size


def test_what_is_dropped_is_erased_from_the_pack_and_the_rest_stays(tmp_path: Path) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    store = Snapshots(folder)
    store.keep(blobs)
    gone = [*blobs][5:8]
    erased = [zlib.compress(blobs[each], snapshots.ZLIB_LEVEL) for each in gone]
    (pack,) = pack_files(folder)
    assert all(each in pack.read_bytes() for each in erased)
    size = store.size
    store.drop(gone)
    assert not any(each in pack.read_bytes() for each in erased)
    assert not any(bytes.fromhex(each) in pack.read_bytes() for each in gone)
    for one in (store, Snapshots(folder)):
        assert read_all(one, blobs) == {each: None if each in gone else data for each, data in blobs.items()}
        assert one.size == pack.stat().st_size < size
    store.sweep([*blobs][:2])
    assert read_all(Snapshots(folder), blobs) == {each: blobs[each] if each in [*blobs][:2] else None for each in blobs}
    store.sweep(())
    assert pack_files(folder) == []
    assert store.size == 0


def test_a_sweep_deletes_what_a_crash_left_half_written(tmp_path: Path) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    store = Snapshots(folder)
    store.keep(blobs)
    (folder / "packs/.0123.pack").write_bytes(b"half")
    store.sweep(blobs.keys())
    assert len(pack_files(folder)) == 1
    assert read_all(Snapshots(folder), blobs) == blobs


@pytest.mark.parametrize("damage", ["end", "table", "cut", "emptied end"])
def test_a_damaged_table_is_told_and_loses_nothing(tmp_path: Path, damage: str) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    Snapshots(folder).keep(blobs)
    (pack,) = pack_files(folder)
    data = bytearray(pack.read_bytes())
    table = len(data) - snapshots._END.size - snapshots._ENTRY.size * len(blobs)
    match damage:
        case "end":
            data[-1] ^= 1
        case "table":
            data[table + 40] ^= 1
        case "cut":
            del data[table:]
        case _:
            data[table:] = bytes(len(data) - table)
    pack.write_bytes(data)
    store = Snapshots(folder)
    assert read_all(store, blobs) == blobs
    assert store.count_damaged() == 1
    store.drop([next(iter(blobs))])
    assert Snapshots(folder).count_damaged() == 0
    assert read_all(Snapshots(folder), blobs) == {**blobs, next(iter(blobs)): None}


@pytest.mark.parametrize("with_table", [True, False])
def test_a_damaged_content_is_never_handed_out_and_all_others_are(tmp_path: Path, with_table: bool) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    Snapshots(folder).keep(blobs)
    (pack,) = pack_files(folder)
    lost = [*blobs][200]
    place = Packs(folder / "packs")._read_places()[lost]
    data = bytearray(pack.read_bytes())
    data[place.start + 1 : place.start + 9] = b"\x01damaged"
    pack.write_bytes(data if with_table else data[:-3])
    store = Snapshots(folder)
    assert {each: store.read(each) for each in blobs if each != lost} == {
        each: text for each, text in blobs.items() if each != lost
    }
    assert store.count_damaged() == 1
    if with_table:
        with pytest.raises(StateUnusable):
            store.read(lost)
    else:
        assert store.read(lost) is None
    store.keep(blobs)
    assert read_all(Snapshots(folder), blobs) == blobs


def test_damaged_contents_that_are_stored_again_in_a_pack_are_the_ones_read(tmp_path: Path) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    Snapshots(folder).keep(blobs)
    (pack,) = pack_files(folder)
    table = snapshots._END.size + snapshots._ENTRY.size * len(blobs)
    pack.write_bytes(bytes(pack.stat().st_size - table) + pack.read_bytes()[-table:])
    pack.rename(pack.with_name("ffffffffffffffff.pack"))
    Snapshots(folder).keep(blobs)
    assert read_all(Snapshots(folder), blobs) == blobs


def test_a_pack_that_cannot_be_written_is_an_error_and_leaves_no_draft(tmp_path: Path) -> None:
    blobs, folder = contents(MANY), tmp_path / "contents"
    folder.mkdir()
    (folder / "packs").write_bytes(b"")
    with pytest.raises(ReadOnly):
        Snapshots(folder).keep(blobs)
    (folder / "packs").unlink()
    Snapshots(folder).keep(blobs)
    assert read_all(Snapshots(folder), blobs) == blobs


DYING = """
import sys
from pathlib import Path
from bridge.state.snapshots import Snapshots
from tests.state.test_packs import contents
store = Snapshots(Path(sys.argv[1]))
for count in range(300, 600, 50):
    store.keep(contents(count + 300))
    print(count + 300, flush=True)
    store.drop([*contents(count)][:250])
"""


@pytest.mark.process
@pytest.mark.parametrize("lines", [0, 1, 2, 3])
def test_what_was_kept_before_a_kill_is_whole(tmp_path: Path, lines: int) -> None:
    folder = tmp_path / "contents"
    command = [sys.executable, "-c", DYING, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(lines)]
        process.kill()
    store = Snapshots(folder)
    for each, data in [*contents(max(told, default=0)).items()][250:]:
        assert store.read(each) == data
    assert store.count_damaged() == 0
    store.sweep(store._stored_digests())
    assert not [file for file in folder.rglob(".*") if file.is_file()]


def test_retention_and_deny_erase_from_packs(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    store = Store.open(tmp_path / "state.sqlite", now=lambda: clock[0])
    secret, day = os.urandom(9_000), 24 * 3600

    def make(folder: str, salt: bytes) -> None:
        texts = [b"%s %d " % (salt, number) + os.urandom(3_000) for number in range(snapshots.MIN_PACKED_BLOBS)]
        plan = together(
            *(put(f"{folder}/{n}.md", None, text) for n, text in enumerate(texts)),
            *((put("Secret/a.md", None, secret),) if folder == "Open" else ()),
        )
        entry = store.journal.begin(Change(store.journal.next_id(), clock[0], "change_set", steps=tuple(plan.steps)))
        entry.prepare(plan)
        entry.settle(True)

    make("Old", b"old")
    clock[0] += day
    make("Open", b"open")
    assert len(pack_files(store.snapshots.folder)) == 2
    store.journal.limit_history(1, 100)
    assert 0 < store.snapshots.size <= 1 << 20
    assert store.snapshots.read(digest(secret)) == secret
    store.forget(lambda name: name.startswith("Secret/"))
    assert store.snapshots.read(digest(secret)) is None
    assert not any(secret[:500] in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    store.close()


def test_who_reads_waits_for_no_pack_that_is_being_added(tmp_path: Path) -> None:
    kept, first = Packs(tmp_path / "packs"), contents(2)
    kept.add(first)
    blobs = SlowBlobs({digest(b"another"): b"another"})
    with ThreadPoolExecutor() as threads:
        adding = threads.submit(kept.add, blobs)
        try:
            blobs.asked.wait()
            each = next(iter(first))
            assert threads.submit(kept.read, each).result(PATIENCE_S) == first[each]
        finally:
            blobs.free.set()
        adding.result()
    assert kept.read(digest(b"another")) == b"another"
