import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import NotReady
from bridge.index.index import Index
from bridge.index.table import LanceTable
from bridge.types import VaultPath
from tests.index.made import (
    DIMENSIONS,
    MODEL,
    embed_all,
    files,
    opened,
    paths,
    prepared,
    sentence,
    until,
    vector,
    words,
)

pytestmark = pytest.mark.long

NOTES = {
    f"n{at}.md": f"# Note {at}\n\n{sentence(at, 40)}\n\n## More\n\n{sentence(1000 + at, 80)}\n" for at in range(300)
}


def size(folder: Path) -> int:
    return sum(map(len, files(folder).values()))


async def test_edits_stay_findable_and_the_disk_does_not_grow(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.optimise(at_once=True)
    async with index._tidying.lock:
        fresh = size(folder)
    for turn in range(300):
        await index.write([prepared(f"n{turn}.md", f"# Note {turn}\n\nedit{turn} {sentence(2000 + turn, 110)}\n")])
        assert await paths(index.passages(words(f"edit{turn}"), 3)) == [f"n{turn}.md"]
        if turn % 25 == 24:
            await embed_all(index)
            await index.optimise(at_once=True)
            assert await paths(index.passages(words(f"edit{turn - 24}"), 3)) == [f"n{turn - 24}.md"]
            assert await paths(index.stems(words(f"edit{turn}"), 3)) == [f"n{turn}.md"]
            assert await paths(index.search_notes(words(f"edit{turn}"), 3)) == [f"n{turn}.md"]
    async with index._tidying.lock:
        assert size(folder) <= 1.5 * fresh
        health = index.health()
        assert health.rebuilds == 0
        assert health.unindexed_rows == 0
        assert health.fragments <= 6
        assert health.bytes == size(folder)


async def test_what_is_forbidden_leaves_no_trace_on_disk(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Open.md": "harmless", "Secret.md": "zanzibarquux codeword"})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.optimise()
    await index.write([], [VaultPath("Secret.md")])
    await index.optimise(at_once=True)
    assert [path for path, content in files(tmp_path / "index").items() if b"zanzibar" in content] == []
    await index.write([prepared("Secret.md", "zanzibarquux codeword")])
    assert len(await index.find_missing_vectors(10)) == 2


async def test_vectors_of_vanished_passages_are_kept_for_some_days(tmp_path: Path) -> None:
    day = 86_400.0
    index = await opened(tmp_path / "index", {"A.md": "kept words", "B.md": "other words"})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([], [VaultPath("A.md")])
    await index.vectors.optimise(now=0.0)
    await index.vectors.optimise(now=6 * day)
    await index.write([prepared("Back.md", "kept words")])
    assert [missing.text for missing in await index.find_missing_vectors(10)] == ["Back"]
    await embed_all(index)
    await index.vectors.optimise(now=8 * day)
    await index.write([], [VaultPath("Back.md")])
    await index.vectors.optimise(now=9 * day)
    await index.close()
    again = await opened(tmp_path / "index")
    again.use_model(MODEL, DIMENSIONS)
    await again.vectors.optimise(now=17 * day)
    await again.write([prepared("Late.md", "kept words")])
    assert [missing.text for missing in await again.find_missing_vectors(10)] == ["Late", "kept words"]
    await embed_all(again)
    assert (await again.nearest(vector("kept words"), 1))[0].path == "Late.md"


async def test_replaced_rows_are_swept_after_a_pause(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "first"})
    for turn in range(10):
        await index.write([prepared("A.md", f"turn{turn}")])
    await until(lambda: index._opened.passages.rows == 1 and index._opened.notes.rows == 1)
    assert await paths(index.passages(words("turn9"), 5)) == ["A.md"]


async def test_many_new_rows_are_indexed_after_a_pause(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {f"n{at}.md": f"text {at}" for at in range(250)})
    assert index.health().unindexed_rows == 500
    await until(lambda: index._opened.passages.unindexed == index._opened.notes.unindexed == 0)
    await index.write([prepared("one.md", "one more")])
    assert index.health().unindexed_rows == 2


async def test_many_new_rows_are_indexed_without_a_pause_when_somebody_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.index.compact.VACUUM_AFTER_S", 3600)
    index = await opened(tmp_path / "index", NOTES)
    assert index.health().unindexed_rows == 900
    assert await paths(index.passages(words("nothing"), 3)) == []
    await until(lambda: index._opened.passages.unindexed == index._opened.notes.unindexed == 0)


async def test_many_writes_at_once_are_tidied_after_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.compact.VACUUM_AFTER_S", 0)
    monkeypatch.setattr("bridge.index.compact.COMPACT_AFTER_S", 0)
    index = await opened(tmp_path / "index", {})
    with index.bulk():
        await index.write([prepared(f"n{at}.md", f"text {at}") for at in range(250)])
        await asyncio.gather(*index._tasks._tasks)
        assert index.health().unindexed_rows == 500
    await until(lambda: index._opened.passages.unindexed == index._opened.notes.unindexed == 0)


async def test_an_index_that_cannot_be_optimised_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await opened(tmp_path / "index", {"A.md": "alpha"})

    class Failing:
        """A table whose optimise fails, as older versions of LanceDB did."""

        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        async def optimize(self, **_: Any) -> None:
            raise RuntimeError("index out of bounds")

    monkeypatch.setattr(index._opened.passages, "inner", Failing(index._opened.passages.inner))
    await index.optimise()
    assert index.health().rebuilds == 1
    assert index.health().unindexed_rows == 0
    assert await paths(index.passages(words("alpha"), 5)) == ["A.md"]


async def test_trouble_while_tidying_breaks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await opened(tmp_path / "index")
    failed = 0

    async def fail(*_: Any) -> None:
        nonlocal failed
        failed += 1
        raise RuntimeError("commit conflict")

    with monkeypatch.context() as patched:
        patched.setattr(LanceTable, "drop", fail)
        await index.write([prepared("A.md", "alpha")])
        await index.write([prepared("A.md", "beta")])
        await until(lambda: failed > 0)
    assert await paths(index.passages(words("alpha", "beta"), 5)) == ["A.md"]
    await index.optimise()
    assert (index._opened.passages.rows, index._opened.notes.rows) == (1, 1)


async def test_tidying_an_index_that_is_closed_is_no_trouble(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    index = await opened(tmp_path / "index", {"A.md": "alpha"})
    await index.write([prepared("A.md", "beta")])
    index.abandon()
    await index._tidying._tidy(0, 0)
    assert caplog.records == []


async def test_a_note_that_is_gone_stays_gone_after_a_sudden_end(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "alpha", "B.md": "beta"})
    await index.write([prepared("C.md", "alpha")], [VaultPath("A.md"), VaultPath("B.md"), VaultPath("never.md")])
    index.abandon()
    again = Index.open(tmp_path / "index")
    assert list(again.notes) == ["C.md"]
    await again.write([prepared("B.md", "beta again")])
    again.abandon()
    assert sorted(Index.open(tmp_path / "index").notes) == ["B.md", "C.md"]


async def test_closing_waits_for_what_is_being_written(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    await index.write([prepared("A.md", "alpha")])
    await index.close()
    assert list(Index.open(tmp_path / "index").notes) == ["A.md"]


async def test_a_version_that_goes_while_the_index_is_measured_is_no_damage(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", dict(list(NOTES.items())[:20]))
    measuring = True

    async def measure() -> int:
        count = 0
        while measuring:
            count += (await asyncio.to_thread(index.health)).fragments > 0
        return count

    watching = [asyncio.create_task(measure()) for _ in range(3)]
    for turn in range(30):
        for at in range(4):
            await index.write([prepared(f"n{at}.md", f"# Note {at}\n\nedit {turn}\n")])
        await index.optimise(at_once=True)
    measuring = False
    assert min(await asyncio.gather(*watching)) > 0
    assert not index.is_damaged
    await index.close()


async def test_a_closed_index_is_not_ready_and_not_damaged(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", dict(list(NOTES.items())[:3]))
    await index.close()
    for asked in (
        index.optimise(),
        index.optimise(at_once=True),
        index.erase(lambda path: path == "n1.md"),
        index.write([prepared("new.md", "new")]),
        index.passages(words("edit"), 3),
        index.wholes(),
        asyncio.to_thread(index.health),
    ):
        with pytest.raises(NotReady):
            await asked
    assert not index.is_damaged
