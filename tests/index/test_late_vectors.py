"""An index that answers by words before its vectors are loaded: what needs them waits, and finds as much as ever."""

import asyncio
import random
from pathlib import Path

import pytest

from bridge.index.index import Index
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, all_of, embed_all, opened, paths, prepared, sentence, vector, words

NOTES = {
    "Rye.md": "# Rye\n\nRye bread wants a sour starter.\n\n## Oven\n\nHot stone and steam.",
    "Spelt.md": "# Spelt\n\nSpelt rises fast.",
    "Secret.md": "# Secret\n\nA sour secret starter.",
}
RYE = VaultPath("Rye.md")
ASKED = vector("rye bread wants a sour starter")


async def filled(folder: Path, notes: dict[str, str] | None = None) -> None:
    """Make an index whose texts are all embedded, and close it."""
    index = await opened(folder, notes or NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.close()


async def reopened(folder: Path, *, late: bool = True) -> Index:
    index = await asyncio.to_thread(Index.open, folder, load_vectors=not late)
    assert index.vectors.is_loaded is not late
    return index


async def test_words_are_found_before_vectors_are_loaded(tmp_path: Path) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    assert await paths(index.passages(words("spelt"), 5)) == ["Spelt.md"]
    assert index.is_embedded(RYE)
    assert (index.vectors.is_loaded, index.answering_model, index.pending_vectors()) == (False, MODEL, 0)
    assert index.vectors.share() == 1.0
    assert (await paths(index.nearest(ASKED, 3)))[0] == "Rye.md"
    assert (index.vectors.is_loaded, index.answering_model, index.pending_vectors()) == (True, MODEL, 0)
    await index.close()


@pytest.mark.parametrize("seed", range(5))
async def test_what_is_written_meanwhile_is_found_as_by_an_index_with_vectors(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    notes = {f"{number}.md": f"# {number}\n\n{sentence(number)}" for number in range(30)}
    for folder in ("late", "loaded"):
        await filled(tmp_path / folder, dict(notes))
    changed = [prepared(f"{number}.md", sentence(100 + number)) for number in dice.sample(range(60), 9)]
    gone = [VaultPath(path) for path in notes if dice.random() < 0.2 and all(path != one.note.path for one in changed)]
    found = []
    for folder in ("late", "loaded"):
        index = await reopened(tmp_path / folder, late=folder == "late")
        # Both at once: the vectors are asked for while notes are written.
        await asyncio.gather(index.nearest(ASKED, 3), index.write(changed, gone))
        waiting = index.pending_vectors()
        index.use_model(MODEL, DIMENSIONS)
        embedded = await embed_all(index)
        found.append((waiting, embedded, await index.nearest(vector(sentence(3)), 50)))
        await index.close()
    assert found[0] == found[1]
    assert found[0][0] > 0


async def test_what_needs_a_vector_at_once_waits_for_it(tmp_path: Path) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    found = index.vector_of(RYE)
    assert found is not None
    index.hide(lambda path: path == "Rye.md")
    assert "Rye.md" not in await paths(index.nearest(ASKED, 5))
    await index.close()


async def test_a_note_hidden_before_vectors_are_loaded_is_not_near_anything(tmp_path: Path) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    index.hide(lambda path: path == "Secret.md")
    assert sorted(await paths(index.nearest(ASKED, 5))) == ["Rye.md", "Spelt.md"]
    await index.close()


async def test_who_gives_up_waiting_takes_nothing_from_the_others(tmp_path: Path) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    first = asyncio.create_task(index.vectors.load())
    second = asyncio.create_task(index.nearest(ASKED, 1))
    await asyncio.sleep(0)
    first.cancel()
    assert await paths(second) == ["Rye.md"]
    await index.close()


@pytest.mark.parametrize("begun", [False, True])
async def test_an_index_is_closed_before_its_vectors_are_loaded(tmp_path: Path, begun: bool) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    loading = asyncio.create_task(index.vectors.load()) if begun else None
    await asyncio.sleep(0)
    await index.close()
    if loading is not None:
        await loading
    again = await opened(tmp_path)
    assert await paths(again.nearest(ASKED, 1)) == ["Rye.md"]
    await again.close()


async def test_vectors_that_cannot_be_read_are_made_anew(tmp_path: Path) -> None:
    await filled(tmp_path)
    (table,) = tmp_path.glob(f"vectors_{MODEL}.lance")
    for file in table.glob("data/*"):
        file.write_bytes(b"not a table")
    index = await reopened(tmp_path)
    assert await index.nearest(ASKED, 3) == []
    assert index.answering_model is None
    assert index.pending_vectors() > 0
    assert not index.is_embedded(RYE)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    assert (await paths(index.nearest(ASKED, 3)))[0] == "Rye.md"
    await index.close()


async def test_an_index_without_vectors_has_nothing_to_load(tmp_path: Path) -> None:
    index = await opened(tmp_path, NOTES)
    await index.close()
    index = await reopened(tmp_path, late=False)
    assert (index.answering_model, index.vectors.share()) == (None, 0.0)
    assert index.pending_vectors() == sum(one.note.passages for one in all_of(NOTES))
    assert await index.nearest(ASKED, 3) == []
    await index.close()


@pytest.mark.parametrize("ends", ["crash", "half", "twice"])
async def test_vectors_are_loaded_at_once_unless_it_is_known_that_none_is_lacking(tmp_path: Path, ends: str) -> None:
    await filled(tmp_path)
    index = await reopened(tmp_path)
    match ends:
        case "crash":
            index.abandon()
        case "half":
            await index.write([prepared("New.md", "A new note.")])
            await index.close()
        case "twice":
            await index.close()
            index = await reopened(tmp_path)
            index.abandon()
    again = await asyncio.to_thread(Index.open, tmp_path, load_vectors=False)
    assert again.vectors.is_loaded
    assert again.pending_vectors() == (1 if ends == "half" else 0)
    await again.close()
