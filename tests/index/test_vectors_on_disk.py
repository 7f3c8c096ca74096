"""A vault with more vectors than may be compared: an index on disk finds some, and what it finds is exact."""

import asyncio
import random
from pathlib import Path

import numpy as np
import pytest

from bridge.index.apart import KeptFolder
from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.matrix import Floats
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, all_of, embed_all, files, prepared, sentence, until, vector

TEXTS = {f"{number}.md": f"# Note {number}\n\n{sentence(number, 20)}" for number in range(200)}
QUERIES = [vector(sentence(number, 8)) for number in range(0, 200, 9)]


async def opened(folder: Path, *, memory: int = 0, texts: dict[str, str] | None = None) -> Index:
    index = await asyncio.to_thread(Index.open, folder, memory=memory)
    if texts:
        await index.write(all_of(texts))
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    return index


async def nearest(index: Index, query: Floats, limit: int = 10) -> list[PassageHit]:
    return await index.nearest(query, limit)


async def built(index: Index) -> Index:
    """Search until the index on disk is there."""
    await nearest(index, QUERIES[0])
    await until(lambda: index.vectors.is_indexed)
    return index


def index_files(folder: Path) -> set[Path]:
    return {file for file in files(folder) if f"vectors_{MODEL}.lance/_indices" in file.as_posix()}


async def test_the_first_search_has_the_index_built_and_compares_exactly(tmp_path: Path) -> None:
    small, large = (
        await opened(tmp_path / "small", memory=1 << 30, texts=TEXTS),
        await opened(tmp_path / "l", texts=TEXTS),
    )
    assert not large.vectors.is_indexed
    expected = [await nearest(small, query) for query in QUERIES]
    assert [await nearest(large, query) for query in QUERIES] == expected
    await built(large)
    assert [await nearest(large, query) for query in QUERIES] == expected
    assert not small.vectors.is_indexed
    assert (index_files(tmp_path / "small"), bool(index_files(tmp_path / "l"))) == (set(), True)
    await large.close()
    again = await asyncio.to_thread(Index.open, tmp_path / "l", memory=0, load_vectors=False)
    assert [await nearest(again, query) for query in QUERIES] == expected
    assert again.vectors.is_indexed
    await small.close()
    await again.close()


async def test_only_what_the_index_finds_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.vectors.NEAR_VECTORS", 60)
    index = await built(await opened(tmp_path, texts=TEXTS))
    exact = await opened(tmp_path / "exact", memory=1 << 30, texts=TEXTS)
    for query in QUERIES:
        near, every = await nearest(index, query, 200), await nearest(exact, query, 200)
        assert 20 <= len(near) <= 60 < len(every)
        assert near[:10] == every[:10]
        assert set(near) <= set(every)
    await index.close()
    await exact.close()


@pytest.mark.parametrize("seed", range(4))
async def test_after_any_edits_answers_are_those_of_a_vault_in_memory(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    large = await built(await opened(tmp_path / "large", texts=TEXTS))
    small = await opened(tmp_path / "small", memory=1 << 30, texts=TEXTS)
    for turn in range(8):
        changed = [prepared(f"{dice.randrange(250)}.md", sentence(1_000 * seed + turn * 10 + at)) for at in range(4)]
        gone = {VaultPath(f"{dice.randrange(200)}.md") for _ in range(3)} - {each.note.path for each in changed}
        action, denied = dice.choice(["write", "optimise", "hide", "reopen"]), f"{dice.randrange(200)}.md"
        for name, index in (("large", large), ("small", small)):
            await index.write(changed, gone)
            await embed_all(index)
            match action:
                case "optimise":
                    await index.optimise(at_once=True)
                case "hide":
                    index.hide(lambda path, denied=denied: path == denied)  # type: ignore[misc]
                case "reopen":
                    await index.close()
                    index = await opened(tmp_path / name, memory=0 if name == "large" else 1 << 30)  # noqa: PLW2901
                    large, small = (index, small) if name == "large" else (large, index)
        assert [await nearest(large, query) for query in QUERIES] == [await nearest(small, query) for query in QUERIES]
        within = [path for path in small.notes if dice.random() < 0.1]
        assert await large.nearest(QUERIES[turn], 5, within) == await small.nearest(QUERIES[turn], 5, within)
    assert large.vectors.is_indexed
    await large.close()
    await small.close()


async def test_a_denied_note_is_in_no_file_of_the_index(tmp_path: Path) -> None:
    secret = VaultPath("Secret.md")
    index = await built(await opened(tmp_path, texts={**TEXTS, secret: f"# Secret\n\n{sentence(7_000, 20)}"}))
    before, query = index_files(tmp_path), vector(sentence(7_000, 20))
    assert before
    assert (await nearest(index, query))[0].path == secret
    index.hide(lambda path: path == secret)
    assert secret not in {hit.path for hit in await nearest(index, query)}
    await index.erase(lambda path: path == secret)
    assert not before & index_files(tmp_path)
    assert secret not in {hit.path for hit in await nearest(index, query)}
    await built(index)
    assert not before & index_files(tmp_path)
    assert secret not in {hit.path for hit in await nearest(index, query, 300)}
    await index.close()


async def test_erasing_does_not_wait_for_an_index_that_is_being_built(tmp_path: Path) -> None:
    index = await opened(tmp_path, texts=TEXTS)
    await nearest(index, QUERIES[0])
    assert index._tidying._indexing is not None
    await index.erase(lambda path: path == "3.md")
    assert index_files(tmp_path) == set()
    assert "3.md" not in index.notes
    await built(index)
    assert "3.md" not in {hit.path for hit in await nearest(index, vector(TEXTS["3.md"]), 300)}
    await index.close()


async def test_notes_kept_apart_do_not_displace_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.vectors.NEAR_VECTORS", 40)
    theirs = {f"Agents/{number}.md": f"# Note\n\n{sentence(1, 20)} {number}" for number in range(100)}
    index = await opened(tmp_path, texts={**TEXTS, **theirs, "Agents/About.md": "# About"})
    index.keep_apart(KeptFolder("Agents", VaultPath("Agents/About.md")))
    await built(index)
    hits = await index.view("notes").nearest(vector(sentence(1, 20)), 10)
    assert len(hits) == 10
    assert hits[0].path == "1.md"
    assert not [hit for hit in hits if hit.path.startswith("Agents/")]
    assert (await index.view("agents").nearest(vector(sentence(1, 20)), 10))[0].path.startswith("Agents/")
    await index.close()


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped"])
async def test_a_damaged_index_is_built_again(tmp_path: Path, damage: str) -> None:
    index = await built(await opened(tmp_path, texts=TEXTS))
    expected = [await nearest(index, query) for query in QUERIES]
    await index.close()
    for file in index_files(tmp_path):
        content = bytearray(file.read_bytes())
        if damage == "flipped":
            content[len(content) // 4 : len(content) // 2] = random.Random(1).randbytes(len(content) // 4)
        file.write_bytes(b"" if damage == "gone" else content[: len(content) // 2] if damage == "cut" else content)
    again = await opened(tmp_path)
    answers = [await nearest(again, query) for query in QUERIES]
    if damage != "flipped":
        assert answers == expected
    # Codes that lie are found by comparing.
    recall = await again.vectors.measure_recall()
    if recall is not None and recall < 0.95:
        await built(again)
        assert (await again.vectors.measure_recall()) == 1.0
    assert [hit for hits in answers for hit in hits if hit.path not in TEXTS] == []
    await again.close()


async def test_recall_is_measured_against_comparing_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await opened(tmp_path, texts=TEXTS)
    assert await index.vectors.measure_recall() is None
    await built(index)
    assert await index.vectors.measure_recall() == 1.0

    # One that is asked for few vectors, in one partition, misses most.
    for name, few in (("table.MIN_PROBES", 1), ("table.PROBED_SHARE", 0.0), ("vectors.NEAR_VECTORS", 3)):
        monkeypatch.setattr(f"bridge.index.{name}", few)
    monkeypatch.setattr("bridge.index.matrix.MIN_NEAR_NOTES", 1)
    recall = await index.vectors.measure_recall()
    assert recall is not None
    assert recall < 0.5
    assert not index.vectors.is_indexed
    monkeypatch.undo()
    await built(index)
    assert await index.vectors.measure_recall() == 1.0
    await index.close()


async def test_with_more_memory_the_index_is_dropped(tmp_path: Path) -> None:
    index = await built(await opened(tmp_path, texts=TEXTS))
    expected = [await nearest(index, query) for query in QUERIES]
    await index.close()
    again = await opened(tmp_path, memory=1 << 30)
    assert [await nearest(again, query) for query in QUERIES] == expected
    assert not again.vectors.is_indexed
    await again.optimise(at_once=True)
    assert index_files(tmp_path) == set()
    await again.close()


async def test_texts_that_no_model_survives_are_in_no_index(tmp_path: Path) -> None:
    index = await asyncio.to_thread(Index.open, tmp_path, memory=0)
    await index.write(all_of(TEXTS))
    index.use_model(MODEL, DIMENSIONS)
    await index.quarantine([each.digest for each in await index.find_missing_vectors(20)])
    await embed_all(index)
    await built(index)
    assert len(await nearest(index, np.ones(DIMENSIONS, np.float32), 300)) == 190
    assert await index.vectors.measure_recall() == 1.0
    await index.close()


async def test_an_index_that_cannot_be_built_leaves_searches_exact(tmp_path: Path) -> None:
    index = await opened(tmp_path, texts=TEXTS)
    (tmp_path / f"vectors_{MODEL}.lance" / "_indices").write_bytes(b"")
    expected = await nearest(index, QUERIES[3])
    await until(lambda: index._tidying._indexing is not None and index._tidying._indexing.done())
    assert not index.vectors.is_indexed
    assert await nearest(index, QUERIES[3]) == expected
    await index.close()
