"""The notes of an index, read from its tables at a start."""

from pathlib import Path
from typing import Any

import pytest

from bridge.index.index import Index
from bridge.types import VaultPath
from tests.index.made import opened, prepared
from tests.index.test_erasing import SECRET

NOTES = {
    "Barley.md": "---\naliases: [Oats, 会议]\nlist: [1, {deep: [x]}]\n---\n# Heading\n#a/b [[Rye]]\n- [ ] do\n",
    "\udce4 rye.md": "# Rye\n\ud800 text",
    "Drawn.canvas": '{"nodes":[{"id":"a","type":"file","file":"Barley.md"},{"id":"b","type":"text","text":"card"}],'
    '"edges":[{"id":"e","fromNode":"a","toNode":"b","label":"leads to"}]}',
    "Empty.md": "",
    "Gone.md": "of the gone",
}


def catalogue(index: Index) -> Any:
    """Return all that is kept of the notes."""
    found = index._opened
    entries = {entry.note.path: entry for entry in found.catalogue.entries()}
    return entries, found.digests, found.dead_seqs, found.dead_keys


async def written(folder: Path) -> Any:
    """Write an index with rows that are deleted later, close it, and return what it kept."""
    index = await opened(folder, NOTES)
    await index.write([prepared("Barley.md", NOTES["Barley.md"] + "more\n")], [VaultPath("Gone.md")])
    kept = catalogue(index)
    await index.close()
    return kept


async def test_a_start_knows_all_that_was_written(tmp_path: Path) -> None:
    kept = await written(tmp_path / "index")
    index = await opened(tmp_path / "index")
    assert catalogue(index) == kept
    index.abandon()


async def test_what_was_written_before_a_crash_is_not_missed(tmp_path: Path) -> None:
    await written(tmp_path / "index")
    index = await opened(tmp_path / "index")
    await index.write([prepared("Late.md", "late")], [VaultPath("Empty.md")])
    after = catalogue(index)[0]
    # As in a crash, nothing is stored.
    index.abandon()
    index = await opened(tmp_path / "index")
    assert catalogue(index)[0] == after
    assert VaultPath("Late.md") in after
    await index.close()


@pytest.mark.parametrize("table", ["notes", "passages"])
async def test_a_lost_file_of_a_table_is_noticed(tmp_path: Path, table: str) -> None:
    await written(tmp_path / "index")
    max((tmp_path / "index" / f"{table}.lance" / "data").iterdir(), key=lambda file: file.stat().st_size).unlink()
    index = await opened(tmp_path / "index")
    assert (index.health().set_aside is not None, dict(index.notes)) == (True, {})
    index.abandon()


async def test_what_earlier_versions_kept_of_notes_is_deleted(tmp_path: Path) -> None:
    await written(tmp_path / "index")
    for name in ("catalogue", ".catalogue.left-by-a-crash"):
        (tmp_path / "index" / name).write_bytes(SECRET.encode())
    (await opened(tmp_path / "index")).abandon()
    assert not list((tmp_path / "index").glob("*catalogue*"))
