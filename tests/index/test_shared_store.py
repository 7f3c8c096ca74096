"""Publications in a folder: whole for every reader, however a writer ends, and gone when they are removed."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.errors import Busy
from bridge.index import shared_store
from bridge.index.shared_store import SharedStore
from tests.index.publish_generations import DIMENSIONS, NAME, generation, publish

ROOT = Path(__file__).resolve().parents[2]
KILLS = 5

VECTOR = np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float32)


async def opened_store(place: Path) -> SharedStore:
    place.mkdir(exist_ok=True)
    return await SharedStore.open(str(place))


def start_writer(place: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.index.publish_generations", str(place)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def expect_whole(store: SharedStore) -> int:
    """Read a publication, assert that it is of one generation, and return which."""
    before = await store.publication(NAME)
    words, near = await store.search(NAME, "common", VECTOR, 100)
    after = await store.publication(NAME)
    assert before is not None
    assert after is not None
    texts = {row["text"] for row in words}
    assert len(texts) == 1, texts
    number = int(texts.pop().removeprefix("common generation").rstrip("."))
    assert before.time <= number <= after.time
    assert len(words) == 40 + number % 2
    assert len({row["text"] for row in near}) == 1
    return number


def words_in(place: Path) -> set[int]:
    """Return the generations of which any byte is left."""
    contents = [path.read_bytes() for path in place.rglob("*") if path.is_file()]
    return {number for number in range(1, 300) for content in contents if b"generation%d." % number in content}


@pytest.mark.process
async def test_killed_writers_leave_whole_publications(tmp_path: Path) -> None:
    place, dice = tmp_path / "store", random.Random(7)
    store = await opened_store(place)
    seen = 0
    for _ in range(KILLS):
        # Its lease ends by itself; here it need not be waited for.
        await release(place)
        writer = start_writer(place)
        assert writer.stdin is not None
        assert writer.stdout is not None
        await asyncio.to_thread(writer.stdout.readline)
        ends = asyncio.get_running_loop().time() + dice.random()
        while asyncio.get_running_loop().time() < ends:
            seen = max(seen, await expect_whole(store))
            writer.stdin.write(b"\n")
            writer.stdin.flush()
        writer.kill()
        await asyncio.to_thread(writer.wait)
        writer.stdin.close()
        writer.stdout.close()
        assert await expect_whole(store) >= seen
    assert seen > KILLS
    last = await expect_whole(store)
    await release(place)
    async with store.lease(NAME):
        await publish(store, 290)
    assert await expect_whole(await opened_store(place)) == 290
    assert (words_in(place), last < 290) == ({290}, True)


async def release(place: Path) -> None:
    """Have the lease of a writer that was killed be over."""
    store = await opened_store(place)
    table = await store._lease_table(NAME)
    await table.update({"until": 0.0})


async def test_a_publication_is_written_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = await opened_store(tmp_path / "store"), await opened_store(tmp_path / "store")
    monkeypatch.setattr(shared_store, "PATIENCE_S", 0.0)
    async with store.lease(NAME):
        with pytest.raises(Busy):
            async with other.lease(NAME):
                pass
        async with other.lease("fedcba9876543210"):
            pass
    async with other.lease(NAME):
        pass


async def test_the_lease_of_a_crashed_writer_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, other = await opened_store(tmp_path / "store"), await opened_store(tmp_path / "store")
    assert shared_store.RENEWAL_S < shared_store.LEASE_S < shared_store.PATIENCE_S
    taken, awake, renew = asyncio.Event(), asyncio.Event(), shared_store.renew_lease

    async def sleep_first(*given: Any) -> None:
        await awake.wait()
        await renew(*given)

    async def write() -> None:
        async with store.lease(NAME):
            taken.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(shared_store, "RENEWAL_S", 0.01)
    with monkeypatch.context() as crashed:
        crashed.setattr(shared_store, "renew_lease", sleep_first)
        crashed.setattr(shared_store, "LEASE_S", 0.0)
        writing = asyncio.create_task(write())
        await taken.wait()
    async with other.lease(NAME):
        awake.set()
        # It learns that it lost the lease when it renews it.
        with pytest.raises(Busy):
            await writing


async def test_a_lease_outlives_a_renewal_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await opened_store(tmp_path / "store")
    monkeypatch.setattr(shared_store, "RENEWAL_S", 0.01)
    renewed, take, failures = asyncio.Event(), shared_store.take_lease, [OSError(), RuntimeError()]

    async def fail_first(*given: Any, **times: Any) -> bool:
        if failures:
            raise failures.pop()
        is_taken = await take(*given, **times)
        renewed.set()
        return is_taken

    async with store.lease(NAME):
        monkeypatch.setattr(shared_store, "take_lease", fail_first)
        await renewed.wait()
    assert not failures


async def test_readers_find_a_publication_whole_while_it_is_written(tmp_path: Path) -> None:
    store, reader = await opened_store(tmp_path / "store"), await opened_store(tmp_path / "store")
    await publish(store, 1)

    has_read = asyncio.Event()

    async def write() -> None:
        for number in range(2, 12):
            await publish(store, number)
            has_read.clear()
            await has_read.wait()

    writing, seen = asyncio.create_task(write()), {1}
    while not writing.done():
        seen.add(await expect_whole(reader))
        has_read.set()
    await writing
    assert (await expect_whole(reader), len(seen) > 1) == (11, True)
    assert words_in(tmp_path / "store") == {11}


async def test_many_vectors_are_found_by_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_store, "MIN_INDEXED_ROWS", 300)
    import pyarrow as pa

    store, dice = await opened_store(tmp_path / "store"), np.random.default_rng(2)
    about, rows = generation(1)
    many = pa.concat_tables([rows] * 12)
    vectors = dice.normal(size=(len(many), DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype(np.float16).ravel()), DIMENSIONS)
    many = many.set_column(many.schema.get_field_index("vector"), "vector", column)
    many = many.set_column(0, "id", pa.array([f"{at}" for at in range(len(many))]))
    many = many.cast(rows.schema)
    await store.write(NAME, about, many, (), overwrite=True)
    await store.finish(NAME, removes=False)
    for at in (3, 77, 400):
        _, near = await store.search(NAME, "nothing", vectors[at].astype(np.float32), 3)
        assert near[0]["id"] == f"{at}"
    await store.write(NAME, about, rows, (), overwrite=True)
    await store.finish(NAME, removes=False)
    assert len((await store.search(NAME, "common", VECTOR, 100))[1]) == 41


async def test_what_a_killed_writer_left_is_erased(tmp_path: Path) -> None:
    store = await opened_store(tmp_path / "store")
    await publish(store, 1)
    for left in ("data/.tmpKgYhsj", "data/0000.lance"):
        (tmp_path / f"store/vault-{NAME}.lance" / left).write_bytes(b"common generation7.")
    await publish(store, 2)
    assert (await expect_whole(store), words_in(tmp_path / "store")) == (2, {2})


async def test_a_dropped_publication_is_gone(tmp_path: Path) -> None:
    store = await opened_store(tmp_path / "store")
    await publish(store, 1)
    await store.drop(NAME)
    assert (await store.publications(), words_in(tmp_path / "store")) == ({}, set())
    await publish(store, 2)
    assert await expect_whole(store) == 2
