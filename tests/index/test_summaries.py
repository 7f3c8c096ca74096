"""Stored summaries: found again, forgotten when old, and gone when a note is denied."""

import os
import time
from pathlib import Path

import pytest

from bridge.index import folder
from bridge.index.folder import SummaryFolder
from bridge.types import Digest
from tests.index.made import files, opened

KEY, OTHER = Digest("ab" * 32), Digest("cd" * 32)


def test_a_summary_is_found_by_what_it_was_made_of(tmp_path: Path) -> None:
    summaries = SummaryFolder(tmp_path / "summaries")
    assert summaries.find(KEY) is None
    summaries.store(KEY, "Rye rises.")
    summaries.store(KEY, "Rye rises slowly.")
    assert (summaries.find(KEY), summaries.find(OTHER)) == ("Rye rises slowly.", None)


def test_old_summaries_and_the_oldest_of_too_many_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MAX_SUMMARIES", 3)
    summaries, keys = SummaryFolder(tmp_path), [Digest(f"{number:064x}") for number in range(6)]
    for number, key in enumerate(keys):
        summaries.store(key, f"Text {number}")
        made = time.time() - (6 - number) * 60
        os.utime(tmp_path / key, (made, made))
    summaries.store(KEY, "Rye rises.")
    assert [key for key in keys if summaries.find(key)] == keys[-2:]
    os.utime(tmp_path / KEY, (time.time() - 31 * 86_400,) * 2)
    summaries.store(OTHER, "Spelt, too.")
    assert (summaries.find(KEY), summaries.find(OTHER)) == (None, "Spelt, too.")


async def test_a_denied_note_leaves_no_summary(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "harmless", "B.md": "harmless, too"})
    index.summaries.store(KEY, "marzipanskew")
    assert (tmp_path / "index" / "summaries" / KEY).exists()
    await index.erase(lambda path: path == "B.md")
    assert not [name for name in files(tmp_path) if KEY in str(name)]
    assert index.summaries.find(KEY) is None
    await index.close()


async def test_summaries_of_earlier_versions_are_deleted(tmp_path: Path) -> None:
    await (await opened(tmp_path / "index")).close()
    table = tmp_path / "index" / "summaries.lance"
    table.mkdir()
    (table / "data").write_bytes(b"marzipanskew")
    (await opened(tmp_path / "index")).abandon()
    assert not table.exists()


def test_damaged_summaries_are_written_again(tmp_path: Path) -> None:
    summaries = SummaryFolder(tmp_path)
    summaries.store(KEY, "Rye rises.")
    (tmp_path / KEY).write_bytes(b"\0" * (tmp_path / KEY).stat().st_size)
    assert summaries.find(KEY) is None
    summaries.store(KEY, "Rye rises.")
    assert summaries.find(KEY) == "Rye rises."
