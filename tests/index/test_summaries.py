"""Stored summaries: found again, forgotten when old, and gone when a note is denied."""

from pathlib import Path

import pytest

from bridge.index import open as opening
from bridge.index.index import Index
from bridge.types import Digest
from tests.index.made import files, opened

KEY, OTHER = Digest("ab" * 32), Digest("cd" * 32)


async def test_a_summary_is_found_by_what_it_was_made_of(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "harmless"})
    assert await index.summaries.find(KEY) is None
    await index.summaries.store(KEY, "Rye rises.")
    await index.summaries.store(KEY, "Rye rises slowly.", now=4e9)
    assert await index.summaries.find(KEY) == "Rye rises slowly."
    assert await index.summaries.find(OTHER) is None
    await index.close()
    again = Index.open(tmp_path / "index")
    assert await again.summaries.find(KEY) == "Rye rises slowly."
    await again.close()


async def test_old_summaries_are_forgotten(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "harmless"})
    await index.summaries.store(KEY, "Rye rises.", now=1_000)
    await index.summaries.store(OTHER, "Spelt, too.", now=1_000 + 31 * 86_400)
    assert await index.summaries.find(KEY) is None
    assert await index.summaries.find(OTHER) == "Spelt, too."
    await index.close()


async def test_the_oldest_of_too_many_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_SUMMARIES", 3)
    monkeypatch.setattr(opening, "_SPARE_SUMMARIES", 2)
    index = await opened(tmp_path / "index", {"A.md": "harmless"})
    keys = [Digest(f"{number:064x}") for number in range(6)]
    for number, key in enumerate(keys):
        await index.summaries.store(key, f"Text {number}", now=1_000 + number)
    assert [await index.summaries.find(key) is not None for key in keys] == [False] * 3 + [True] * 3
    await index.close()


async def test_a_denied_note_leaves_no_summary(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "harmless", "B.md": "harmless, too"})
    await index.summaries.store(KEY, "marzipanskew")
    assert any(b"marzipanskew" in content for content in files(tmp_path).values())
    await index.erase(lambda path: path == "B.md")
    assert not any(b"marzipanskew" in content for content in files(tmp_path).values())
    assert await index.summaries.find(KEY) is None
    await index.close()


async def test_damaged_summaries_are_written_again(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "harmless"})
    await index.summaries.store(KEY, "Rye rises.")
    await index.close()
    for file in (tmp_path / "index" / "summaries.lance").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\0" * file.stat().st_size)
    again = Index.open(tmp_path / "index")
    assert await again.summaries.find(KEY) is None
    await again.summaries.store(KEY, "Rye rises.")
    assert await again.summaries.find(KEY) == "Rye rises."
    assert list(again.notes) == ["A.md"]
    await again.close()
