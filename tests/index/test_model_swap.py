from pathlib import Path

import numpy as np

from bridge.index.index import Index
from bridge.index.matrix import Floats
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, embed_all, opened, paths, prepared, vector

OTHER = "other-111111111111"
NOTES = {"Tea.md": "boiling water leaves", "Bread.md": "flour yeast oven"}


def wide(text: str) -> Floats:
    """Embed with a model of twice the dimensions."""
    both = np.concatenate([vector(text), vector(text + " again")])
    unit: Floats = (both / np.linalg.norm(both)).astype(np.float32)
    return unit


async def embed_wide(index: Index, batches: int = 1_000) -> None:
    while batches and (batch := await index.find_missing_vectors(1)):
        batches -= 1
        await index.add_vectors([each.digest for each in batch], np.stack([wide(each.text) for each in batch]))


async def test_the_old_vectors_answer_until_the_new_are_complete(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    index.use_model(OTHER, 2 * DIMENSIONS)
    assert (index.answering_model, index.pending_vectors()) == (MODEL, 2)
    await embed_wide(index, 2)
    assert (index.answering_model, index.pending_vectors()) == (MODEL, 1)
    assert (await paths(index.nearest(vector("boiling water leaves"), 1))) == ["Tea.md"]
    await embed_wide(index)
    assert (index.answering_model, index.pending_vectors()) == (OTHER, 0)
    assert (await paths(index.nearest(wide("flour yeast oven"), 1))) == ["Bread.md"]
    await index.optimise()
    assert [path.name for path in (tmp_path / "index").glob("vectors_*")] == [f"vectors_{OTHER}.lance"]


async def test_a_swap_goes_on_after_a_restart(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    index.use_model(OTHER, 2 * DIMENSIONS)
    await embed_wide(index, 3)
    await index.close()
    again = await opened(tmp_path / "index")
    assert again.answering_model == MODEL
    again.use_model(OTHER, 2 * DIMENSIONS)
    assert len(await again.find_missing_vectors(10)) == 1
    await embed_wide(again)
    assert again.answering_model == OTHER


async def test_going_back_to_the_old_model_embeds_nothing(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    index.use_model(OTHER, 2 * DIMENSIONS)
    await embed_wide(index, 1)
    index.use_model(MODEL, DIMENSIONS)
    assert (index.answering_model, await index.find_missing_vectors(10)) == (MODEL, [])
    await index.optimise()
    assert [path.name for path in (tmp_path / "index").glob("vectors_*")] == [f"vectors_{MODEL}.lance"]


async def test_a_note_written_during_a_swap_waits_for_the_new_model(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    index.use_model(OTHER, 2 * DIMENSIONS)
    await index.write([prepared("New.md", "fresh words")])
    assert sorted(await paths(index.nearest(vector("fresh words"), 3))) == ["Bread.md", "Tea.md"]
    assert index.vector_of(VaultPath("New.md")) is None
    await embed_wide(index)
    assert index.answering_model == OTHER
    assert await paths(index.nearest(wide("fresh words"), 1)) == ["New.md"]


async def test_a_vector_of_another_model_finds_nothing(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    assert await index.nearest(vector("tea"), 5) == []
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    assert await index.nearest(wide("tea"), 5) == []


async def test_scores_stay_the_same_after_a_restart(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", NOTES)
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    fresh = await index.nearest(vector("leaves"), 2)
    whole = index.vector_of(VaultPath("Tea.md"))
    await index.close()
    again = await opened(tmp_path / "index")
    restarted = again.vector_of(VaultPath("Tea.md"))
    assert (await again.nearest(vector("leaves"), 2)) == fresh
    assert whole is not None
    assert restarted is not None
    assert whole.tolist() == restarted.tolist()
