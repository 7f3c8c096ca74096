"""A vault is ready for search by meaning only when a search by meaning finds what is there."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from bridge.engine.host import Host
from bridge.features.status.indexing import wait_for_note
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.folder import find_model
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S, Opened, settled, until

pytestmark = pytest.mark.model


async def write(host: Host, names: Sequence[str]) -> None:
    """Write notes with a passage each, and wait until they can be found by words."""
    for name in names:
        (host.root / f"{name}.md").write_text(f"A note about {name}.\n")
    await host.vault.indexer.look_at([f"{name}.md" for name in names])
    for name in names:
        assert await wait_for_note(host, VaultPath(f"{name}.md"), None, "keyword", PATIENCE_S)


async def test_words_come_first_and_meaning_with_half_of_the_passages(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        host.pause()
        assert not host.progress().ready_semantic
        await until(lambda: host.progress().ready_keyword and host.vault.index.answering_model is not None)
        none = host.progress()
        assert (none.passages, none.pending_vectors, none.ready_semantic) == (4, 4, False)
        host.resume()
        await settled(host)
        host.pause()
        await write(host, ["cheese", "glaciers", "trains", "violins"])
        half = host.progress()
        assert (half.passages, half.pending_vectors, half.ready_semantic) == (8, 4, True)
        await write(host, ["windmills"])
        less = host.progress()
        assert (less.passages, less.pending_vectors, less.ready_semantic) == (9, 5, False)
        host.resume()
        await settled(host)


async def test_a_first_index_is_never_ready_too_early(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.backfill.TEXTS_AT_ONCE", 4)
    for number in range(60):
        (vault / f"{number}.md").write_text(f"The note of the number {number}.\n")
    async with opened(vault) as bridge:
        host, begun = bridge.find(None), 0
        while not (now := host.progress()).ready_semantic or now.pending_vectors:
            assert now.model is not None or not now.model_known
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
        host = bridge.find(None)
        await until(lambda: host.progress().trouble is not None and host.progress().model is not None)
        emptied = host.progress()
        assert (emptied.passages, emptied.pending_vectors) == (4, 0)
        assert (emptied.ready_keyword, emptied.ready_semantic) == (False, False)


async def test_a_model_that_goes_and_comes_back(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engine.backfill.MODEL_CHECK_S", 0.05)
    models = tmp_path / "models"
    async with opened(vault, models=models) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword and host.embedders.trouble is not None)
        assert not host.progress().ready_semantic
        shutil.copytree(models_dir, models)
        await settled(host)
        models.rename(tmp_path / "gone")
        await until(lambda: host.progress().model is None)
        await until(lambda: not host.progress().ready_semantic)
        (tmp_path / "gone").rename(models)
        await until(lambda: host.progress().ready_semantic)


async def test_a_worker_that_dies_is_replaced_and_one_that_cannot_start_answers_nothing(
    vault: Path, opened: Opened, models_dir: Path, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    shutil.copytree(models_dir, models)
    async with opened(vault, models=models) as bridge:
        host = bridge.find(None)
        await settled(host)
        assert await host.vault.embed_query("rain") is not None
        model = await host.embedders.current(host.vault.backfill.choice)
        assert model is not None
        for pid in model.pids:
            psutil.Process(pid).kill()
        assert await host.vault.embed_query("what falls from the sky") is not None
        assert host.progress().ready_semantic
    weights = find_model(models, DEFAULT_MODEL).path
    weights.write_bytes(bytes(weights.stat().st_size))
    async with opened(vault, models=models) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword and host.progress().model is not None)
        assert await host.vault.embed_query("rain") is None
        assert not host.progress().ready_semantic
