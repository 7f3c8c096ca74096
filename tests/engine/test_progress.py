"""A vault is ready for search by meaning only when a search by meaning finds what is there."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from bridge.engine.host import VaultEngine
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.folder import find_model
from bridge.types import VaultPath
from tests.engine.conftest import Opened, settled, until

pytestmark = pytest.mark.model


async def write(engine: VaultEngine, names: Sequence[str]) -> None:
    """Write notes with a passage each, and wait until they can be found by words."""
    for name in names:
        (engine.root / f"{name}.md").write_text(f"A note about {name}.\n")
    await engine.report([f"{name}.md" for name in names])
    for name in names:
        assert await engine.waiting.indexed(VaultPath(f"{name}.md"), None, "keyword", 30)


async def test_words_come_first_and_meaning_with_half_of_the_passages(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        engine = bridge.find(None)
        engine.pause()
        assert not engine.progress().ready_semantic
        await until(lambda: engine.progress().ready_keyword and engine.index.answering_model is not None)
        none = engine.progress()
        assert (none.passages, none.pending_vectors, none.ready_semantic) == (4, 4, False)
        engine.resume()
        await settled(engine)
        engine.pause()
        await write(engine, ["cheese", "glaciers", "trains", "violins"])
        half = engine.progress()
        assert (half.passages, half.pending_vectors, half.ready_semantic) == (8, 4, True)
        await write(engine, ["windmills"])
        less = engine.progress()
        assert (less.passages, less.pending_vectors, less.ready_semantic) == (9, 5, False)
        engine.resume()
        await settled(engine)


async def test_a_first_index_is_never_ready_too_early(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.backfill.AT_ONCE", 4)
    for number in range(60):
        (vault / f"{number}.md").write_text(f"The note of the number {number}.\n")
    async with opened(vault) as bridge:
        engine, begun = bridge.find(None), 0
        while not (now := engine.progress()).ready_semantic or now.pending_vectors:
            assert not now.ready_semantic or (now.ready_keyword and 2 * now.pending_vectors <= now.passages)
            begun += now.model is not None and not now.ready_semantic
            await asyncio.sleep(0.005)
        assert begun


async def test_an_empty_vault_is_ready_when_a_model_is_there(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "Empty").mkdir()
    async with opened(tmp_path / "Empty") as bridge:
        await settled(bridge.find(None))


async def test_after_a_restart_words_come_first_too(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(bridge.find(None))
    aside = vault.with_name("aside")
    vault.rename(aside)
    vault.mkdir()
    async with opened(vault) as bridge:
        engine = bridge.find(None)
        await until(lambda: engine.progress().trouble is not None and engine.progress().model is not None)
        emptied = engine.progress()
        assert (emptied.passages, emptied.pending_vectors) == (4, 0)
        assert (emptied.ready_keyword, emptied.ready_semantic) == (False, False)


async def test_a_model_that_goes_and_comes_back(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.backfill.LOOK_AGAIN_S", 0.05)
    models = tmp_path / "models"
    async with opened(vault, models=models) as bridge:
        engine = bridge.find(None)
        await until(lambda: engine.progress().ready_keyword and engine.embedders.trouble is not None)
        assert not engine.progress().ready_semantic
        shutil.copytree(models_dir, models)
        await settled(engine)
        models.rename(tmp_path / "gone")
        await until(lambda: engine.progress().model is None)
        await until(lambda: not engine.progress().ready_semantic)
        (tmp_path / "gone").rename(models)
        await until(lambda: engine.progress().ready_semantic)


async def test_a_worker_that_dies_is_replaced_and_one_that_cannot_start_answers_nothing(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    shutil.copytree(models_dir, models)
    async with opened(vault, models=models) as bridge:
        engine = bridge.find(None)
        await settled(engine)
        assert await engine.embed_query("rain") is not None
        model = await engine.embedders.current()
        assert model is not None
        for pid in model.status().pids:
            psutil.Process(pid).kill()
        assert await engine.embed_query("what falls from the sky") is not None
        assert engine.progress().ready_semantic
    weights = find_model(models, DEFAULT_MODEL).path
    weights.write_bytes(bytes(weights.stat().st_size))
    async with opened(vault, models=models) as bridge:
        engine = bridge.find(None)
        await until(lambda: engine.progress().ready_keyword and engine.progress().model is not None)
        assert await engine.embed_query("rain") is None
        assert not engine.progress().ready_semantic
