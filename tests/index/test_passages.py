"""Passages in memory: the same as in LanceDB, whenever they were read."""

import asyncio
from pathlib import Path

import pytest

from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.rows import BLOCK_PASSAGES
from bridge.types import VaultPath
from tests.index.made import all_of, opened, prepared

MAX_SINGLE_READS = 8
LONG = VaultPath("Long.md")
SECTIONS = "\n\n".join(f"## Part {number}\n\n{f'Sentence {number} of the long note. ' * 12}" for number in range(60))


@pytest.fixture(autouse=True)
def _small_vault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.passages.MAX_SINGLE_READS", MAX_SINGLE_READS)


def first(number: int) -> PassageHit:
    return PassageHit(VaultPath(f"{number}.md"), 0, 1.0)


async def whole_vault(index: Index) -> None:
    while index._texts._filling is None or not index._texts._filling.done():
        await asyncio.sleep(0.01)


async def test_every_passage_of_a_long_note_is_read_as_it_is_stored(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {LONG: SECTIONS, "Short.md": "a few words"})
    stored = await asyncio.to_thread(index.passages_of, LONG)
    assert len(stored) > 2 * BLOCK_PASSAGES
    assert [passage.ordinal for passage in stored] == list(range(len(stored)))
    assert all(f"Part {at}" in passage.text for at, passage in enumerate(stored))
    backwards = [PassageHit(LONG, at, 1.0) for at in reversed(range(len(stored)))]
    assert await index.text_of(backwards) == list(reversed(stored))
    assert await index.text_of([PassageHit(LONG, len(stored), 1.0), PassageHit(LONG, 10_000, 1.0)]) == []


async def test_after_one_search_the_passages_of_all_notes_are_in_memory(tmp_path: Path) -> None:
    index = await opened(
        tmp_path / "index", {f"{number}.md": f"# {number}\n\nwords {number}" for number in range(MAX_SINGLE_READS + 9)}
    )
    await index.text_of([first(3)])
    await whole_vault(index)
    assert len(index._texts._packed) == MAX_SINGLE_READS + 9
    assert all(
        "words" in passage.text for passage in await index.text_of([first(at) for at in range(MAX_SINGLE_READS + 9)])
    )


async def test_a_note_written_since_is_read_as_it_is_now(tmp_path: Path) -> None:
    index = await opened(
        tmp_path / "index", {f"{number}.md": f"words {number}" for number in range(MAX_SINGLE_READS + 9)}
    )
    await index.text_of([first(3)])
    await whole_vault(index)
    await index.write([prepared("3.md", "other words"), prepared("New.md", "a new note")], [VaultPath("4.md")])
    found = await index.text_of([first(3), first(4), PassageHit(VaultPath("New.md"), 0, 1.0)])
    assert [passage.text.strip() for passage in found] == ["other words", "a new note"]


async def test_a_moved_note_keeps_its_passages_under_the_new_path(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Old.md": "the same words"})
    await index.text_of([PassageHit(VaultPath("Old.md"), 0, 1.0)])
    await index.write([prepared("New.md", "the same words")], [VaultPath("Old.md")])
    [passage] = await index.text_of([PassageHit(VaultPath("New.md"), 0, 1.0)])
    assert (passage.path, passage.text.strip()) == ("New.md", "the same words")


async def test_edits_leave_no_passages_of_earlier_wordings_without_bound(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"a.md": "words"})
    for number in range(MAX_SINGLE_READS + 9):
        await index.write(all_of({"a.md": f"words {number}"}))
        await index.text_of([PassageHit(VaultPath("a.md"), 0, 1.0)])
    assert len(index._texts._packed) <= 1 + MAX_SINGLE_READS


async def test_a_hidden_note_leaves_nothing_in_memory(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"a.md": "words", "Secret.md": "a secret"})
    hits = [PassageHit(VaultPath(path), 0, 1.0) for path in ("a.md", "Secret.md")]
    assert len(await index.text_of(hits)) == 2
    index.hide(lambda path: path == "Secret.md")
    assert [passage.path for passage in await index.text_of(hits)] == ["a.md"]
    assert len(index._texts._packed) == 1
