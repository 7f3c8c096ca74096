"""The notes of an index, stored beside its tables."""

from pathlib import Path
from typing import Any

import pytest

from bridge.index.catalogue import FILE
from bridge.index.index import Index
from bridge.index.note import decode_note
from bridge.types import VaultPath
from tests.index.made import DAMAGES, damage_file, opened, prepared, sentence
from tests.index.test_erasing import SECRET, TEXT, everything, private

NOTES = {
    "Barley.md": "---\naliases: [Oats, 会议]\nlist: [1, {deep: [x]}]\n---\n# Heading\n#a/b [[Rye]]\n- [ ] do\n",
    "\udce4 rye.md": "# Rye\n\ud800 text",
    "Drawn.canvas": '{"nodes":[{"id":"a","type":"file","file":"Barley.md"},{"id":"b","type":"text","text":"card"}],'
    '"edges":[{"id":"e","fromNode":"a","toNode":"b","label":"leads to"}]}',
    "Empty.md": "",
    "Gone.md": "of the gone",
}


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the rows that a start decodes."""
    paths: list[str] = []

    def note_and_decode(path: str, *of: Any) -> Any:
        paths.append(path)
        return decode_note(path, *of)

    monkeypatch.setattr("bridge.index.open.decode_note", note_and_decode)
    return paths


def catalogue(index: Index) -> Any:
    """Return all that is kept of the notes."""
    found = index._opened
    entries = {entry.note.path: entry for entry in found.catalogue.entries()}
    return entries, found.catalogue.last, found.digests, found.dead_seqs, found.dead_keys


async def written(folder: Path) -> Any:
    """Write an index with rows that are deleted later, close it, and return what it kept."""
    index = await opened(folder, NOTES)
    await index.write([prepared("Barley.md", NOTES["Barley.md"] + "more\n")], [VaultPath("Gone.md")])
    kept = catalogue(index)
    await index.close()
    return kept


async def test_a_start_decodes_no_row_of_an_unchanged_index(tmp_path: Path, decoded: list[str]) -> None:
    kept = await written(tmp_path / "index")
    index = await opened(tmp_path / "index")
    assert (catalogue(index), decoded) == (kept, [])
    await index.close()
    (tmp_path / "index" / FILE).unlink()
    index = await opened(tmp_path / "index")
    assert catalogue(index) == kept
    assert decoded
    index.abandon()


async def test_an_unchanged_index_is_not_stored_again(tmp_path: Path) -> None:
    await written(tmp_path / "index")
    before = (tmp_path / "index" / FILE).stat()
    index = await opened(tmp_path / "index")
    await index.close()
    after = (tmp_path / "index" / FILE).stat()
    # When it was read counts for nothing.
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_what_was_written_before_a_crash_is_not_missed(tmp_path: Path, decoded: list[str]) -> None:
    await written(tmp_path / "index")
    index = await opened(tmp_path / "index")
    await index.write([prepared("Late.md", "late")], [VaultPath("Empty.md")])
    after = catalogue(index)[0]
    # As in a crash, nothing is stored.
    index.abandon()
    index = await opened(tmp_path / "index")
    assert catalogue(index)[0] == after
    assert "Late.md" in decoded
    await index.close()


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_written_again(tmp_path: Path, damage: str, decoded: list[str]) -> None:
    kept = await written(tmp_path / "index")
    file = tmp_path / "index" / FILE
    whole = file.read_bytes()
    damage_file(file, damage)
    index = await opened(tmp_path / "index")
    assert catalogue(index) == kept
    assert decoded
    await index.close()
    assert len(file.read_bytes()) == len(whole)


@pytest.mark.parametrize("table", ["notes", "passages"])
async def test_a_lost_file_of_a_table_is_noticed(tmp_path: Path, table: str) -> None:
    await written(tmp_path / "index")
    max((tmp_path / "index" / f"{table}.lance" / "data").iterdir(), key=lambda file: file.stat().st_size).unlink()
    index = await opened(tmp_path / "index")
    assert (index.health().set_aside is not None, dict(index.notes)) == (True, {})
    index.abandon()


async def test_erased_notes_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {f"n{at}.md": f"# {sentence(at)}\n" for at in range(9)} | {SECRET: TEXT})
    await index.close()
    assert SECRET.encode() in (folder / FILE).read_bytes()
    (folder / f".{FILE}.left-by-a-crash").write_bytes(SECRET.encode())
    index = await opened(folder)
    await index.erase(private)
    assert SECRET.encode() not in everything(folder)
    await index.close()
    assert SECRET.encode() not in everything(folder)
    assert (folder / FILE).exists()
