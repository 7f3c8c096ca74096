"""A note of which only the properties changed keeps its passages, and is otherwise as if it had been read again."""

import asyncio
from pathlib import Path

import pytest

from bridge.index.write import CarriedNote, carry_over
from bridge.types import VaultPath
from bridge.vault.scan import Stat
from tests.index.made import opened, paths, prepared, words

BODY = (
    "# Tea\n\nSteep the [[Leaves|leaves]] for a while. #drink/tea\n\n## Water\n\n"
    "- [ ] boil it #kettle\n\nNot `<b>cold</b>` but <b>hot</b>.\n"
)
NOTE = f'---\nkind: green\ntags: [drink, cup]\nsource: "[[Shop]]"\n---\n{BODY}'

EDITS = {
    "a name": ("kind: green", "sort: green"),
    "a value": ("kind: green", "kind: black and strong"),
    "a tag": ("[drink, cup]", "[beverage, cup]"),
    "tags in another order": ("[drink, cup]", "[cup, drink]"),
    "a tag that is in the text too": ("[drink, cup]", "[drink/tea, cup, kettle]"),
    "a link": ("[[Shop]]", "[[Market|shop]]"),
    "no link any more": ('"[[Shop]]"', "none"),
    "HTML": ("green", "<i>green</i>"),
    "the beginning of code": ("green", "'`green'"),
    "a word of the text": ("green", "steep steep leaves"),
    "another script": ("green", "зелёный 緑茶"),
    "invisible characters": ("green", "gre\u00aden"),
}


def carried(path: str, before: str, after: str) -> CarriedNote | None:
    """Carry a note over to another text."""
    known = prepared(path, before).note
    data = after.encode()
    return carry_over(known, before.encode(), data, Stat(known.mtime_ns, len(data)))


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    "note", [NOTE, NOTE.replace("Water", "물 끓이기"), NOTE.replace("\n", "\r\n"), f"\ufeff{NOTE}"]
)
def test_a_note_carried_over_is_as_if_read_again(note: str, edit: str) -> None:
    after = note.replace(*EDITS[edit])
    found, again, before = carried("Tea.md", note, after), prepared("Tea.md", after), prepared("Tea.md", note)
    assert found is not None
    assert found.note == again.note
    assert found.whole == again.whole
    assert before.chunks == again.chunks


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Steep", "Soak"),
        ("kind: green\n", ""),
        ("kind: green\n", "kind: green\nyear: 2020\n"),
        ("kind: green", "aliases: [Chai]"),
        ("kind: green", "kind: [green"),
        ("kind: green", "excalidraw-plugin: parsed"),
        ("[drink, cup]", "[drink]"),
        ("---\nkind", "--\nkind"),
    ],
)
def test_a_note_is_read_again_where_more_than_its_properties_may_differ(old: str, new: str) -> None:
    before = NOTE.replace("hot", "hot #cup")
    assert carried("Tea.md", before, before.replace(old, new)) is None


def test_a_note_of_which_the_index_knows_another_text_is_read_again() -> None:
    known, after = prepared("Tea.md", NOTE).note, NOTE.replace("green", "black").encode()
    other = NOTE.replace("Steep", "Soak").encode()
    assert carry_over(known, other, after.replace(b"Steep", b"Soak"), Stat(1, len(after))) is None


async def test_the_index_finds_a_carried_note_by_its_new_properties(tmp_path: Path) -> None:
    path, after = VaultPath("Tea.md"), NOTE.replace("kind: green", "sort: jasmine")
    index = await opened(tmp_path / "index", {"Tea.md": NOTE, "Other.md": "Water and green leaves.\n"})
    before = await asyncio.to_thread(index.passages_of, path)
    found = carried("Tea.md", NOTE, after)
    assert found is not None
    found = CarriedNote(index.notes[path], found.note, found.whole, found.removed, found.added)
    await index.carry([found])
    for _ in range(2):
        assert index.notes[path] == prepared("Tea.md", after).note
        assert await asyncio.to_thread(index.passages_of, path) == before
        assert await paths(index.search_notes(words("jasmine"), 5)) == ["Tea.md"]
        assert await paths(index.search_notes(words("green"), 5)) == ["Other.md"]
        assert await paths(index.passages(words("steep"), 5)) == ["Tea.md"]
        assert (await index.wholes([path]))[path].startswith("---\nsort: jasmine\n")
        await index.close()
        index = await opened(tmp_path / "index")
        assert not index._opened.postings.unsaved_count
    await index.close()


async def test_a_carried_note_that_moves_or_is_written_keeps_or_leaves_its_passages(tmp_path: Path) -> None:
    path, there, after = VaultPath("Tea.md"), VaultPath("There/Tea.md"), NOTE.replace("kind: green", "sort: jasmine")
    index = await opened(tmp_path / "index", {"Tea.md": NOTE})
    found = carried("Tea.md", NOTE, after)
    assert found is not None
    await index.carry([CarriedNote(index.notes[path], found.note, found.whole, found.removed, found.added)])
    await index.write([prepared("There/Tea.md", after)], [path])
    await index.close()
    index = await opened(tmp_path / "index")
    assert not index._opened.postings.unsaved_count
    assert await paths(index.passages(words("steep"), 5)) == [there]
    await index.write([prepared("There/Tea.md", after.replace("Steep", "Soak"))])
    assert await paths(index.passages(words("steep"), 5)) == []
    assert await paths(index.passages(words("soak"), 5)) == [there]
    await index.close()


async def test_a_carried_note_is_whole_after_a_crash(tmp_path: Path) -> None:
    path, after = VaultPath("Tea.md"), NOTE.replace("kind: green", "sort: jasmine")
    index = await opened(tmp_path / "index", {"Tea.md": NOTE})
    await index.close()
    index = await opened(tmp_path / "index")
    found = carried("Tea.md", NOTE, after)
    assert found is not None
    await index.carry([CarriedNote(index.notes[path], found.note, found.whole, found.removed, found.added)])
    await index.wait_for_writes()
    # As if it were killed: nothing of what is in memory is stored.
    index.abandon()
    index = await opened(tmp_path / "index")
    assert index.notes[path] == prepared("Tea.md", after).note
    assert await paths(index.search_notes(words("jasmine"), 5)) == ["Tea.md"]
    assert await paths(index.search_notes(words("green"), 5)) == []
    assert await paths(index.passages(words("steep"), 5)) == ["Tea.md"]
    await index.close()
