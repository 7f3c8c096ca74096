"""The names of the notes, stored beside the tables."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.index.index import Index
from bridge.index.names import FILE, NameIndex
from bridge.types import VaultPath
from tests.index.made import DAMAGES, damage_file, opened, prepared, sentence
from tests.index.test_erasing import SECRET, TEXT, everything, private

TEXTS = st.text("ab \u00e9\n\ud800\U0001f600会议", max_size=6)
NOTES = st.dictionaries(st.sampled_from("abcdef"), st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), max_size=6)


@given(NOTES, NOTES, st.sets(st.sampled_from("abcdef")), TEXTS)
def test_restored_names_answer_as_before(
    first: dict[str, tuple[str, list[str]]], then: dict[str, tuple[str, list[str]]], gone: set[str], text: str
) -> None:
    index = NameIndex()
    for notes in (first, then):
        for path, (title, headings) in notes.items():
            index.put(VaultPath(path), title, headings[:1], headings)
    for path in gone:
        index.drop(VaultPath(path))
    again = NameIndex.restore(index.columns())
    for notes in (then, first):
        for query in (text, *(title for title, _ in notes.values())):
            assert again.find(query, 9, None) == index.find(query, 9, None)
        for path, (title, headings) in notes.items():
            index.put(VaultPath(path), title, (), headings)
            again.put(VaultPath(path), title, (), headings)


@pytest.fixture(autouse=True)
def store_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the names of few notes, too."""
    monkeypatch.setattr("bridge.index.compact.MAX_STALE_NOTES", 0)


async def found(index: Index) -> dict[str, list[tuple[str, str]]]:
    """Return what is found by some words."""
    texts = ("barley", "barlye", "ba", "rye", "heading", "会议", "gone", "late")
    return {text: sorted((hit.path, hit.matched) for hit in await index.search_names(text, 9)) for text in texts}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the notes whose names are split into words."""
    paths: list[str] = []
    split = NameIndex.put

    def note_and_split(index: NameIndex, path: VaultPath, *of: Any) -> None:
        paths.append(path)
        split(index, path, *of)

    monkeypatch.setattr(NameIndex, "put", note_and_split)
    return paths


async def test_a_start_splits_only_the_names_that_are_not_stored(tmp_path: Path, put: list[str]) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Barley.md": "# Heading\n", "会议.md": "", "\udce4 rye.md": "# Rye\n", "Gone.md": ""})
    await index.write([prepared("Barley.md", "# Other heading\n")], [VaultPath("Gone.md")])
    before = await found(index)
    assert (before["heading"], before["gone"]) == ([("Barley.md", "Other heading")], [])
    await index.close()
    put.clear()
    index = await opened(folder)
    assert (await found(index), put) == (before, [])
    await index.write([prepared("Late.md", ""), prepared("Barley.md", "# Rye heading\n")], [VaultPath("会议.md")])
    after = await found(index)
    # As in a crash, nothing is stored.
    index.abandon()
    put.clear()
    index = await opened(folder)
    assert (await found(index), sorted(put)) == (after, ["Barley.md", "Late.md"])


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_built_again(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "index"
    notes = {f"n{at}.md": f"# {sentence(at)}\n" for at in range(30)} | {"Barley.md": "", "Rye.md": "# Heading\n"}
    index = await opened(folder, notes)
    before = await found(index)
    await index.close()
    content = damage_file(folder / FILE, damage)
    index = await opened(folder)
    assert await found(index) == before
    await index.close()
    assert (folder / FILE).read_bytes() != content


async def test_names_of_erased_notes_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Open.md": "harmless", SECRET: TEXT, "Private/Gone.md": "# Heading of the gone\n"})
    await index.optimise()
    await index.write([], [VaultPath("Private/Gone.md")])
    index.abandon()
    assert b"Heading of the gone" in (folder / FILE).read_bytes()
    (folder / f".{FILE}.left-by-a-crash").write_bytes(b"Heading of the gone")
    index = await opened(folder)
    await index.erase(private)
    assert b"Heading of the gone" not in everything(folder)
    assert [hit.path for hit in await index.search_names("open", 9)] == ["Open.md"]
    assert b"Open" in (folder / FILE).read_bytes()
