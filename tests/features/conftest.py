"""The sample vault, served once for this folder with the real model; and the few notes of one test file."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bridge.data_folder import Folders, vault_id
from bridge.features.external_tools.pool import ServerPool
from tests.external_tools.servers import wait_for_end
from tests.features.fresh import restore
from tests.features.served import Served, readable, serving, write_vault


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sample(tmp_path_factory: pytest.TempPathFactory, embedded: Path, models_dir: Path) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(embedded / "Notes", folder / "sample")
    data = Folders(folder / "data")
    data.make()
    shutil.copytree(embedded / "index", data.index(vault_id(folder / "sample")))
    async with serving([folder / "sample"], folder / "data", models_dir) as served:
        await readable(served, meaning=True)
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def restored(sample: Served) -> None:
    """Have the sample vault as it was at first, whatever another test changed."""
    await restore(sample)


@pytest_asyncio.fixture
async def served(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Served]:
    """The `NOTES` of a test file, served from a new folder and without a model."""
    vault = write_vault(tmp_path / "Notes", request.module.NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        yield served


@pytest_asyncio.fixture
async def data(served: Served) -> AsyncIterator[Path]:
    """The data folder of the bridge, which ends without a server of the user's left."""
    yield served.bridge.data_dir
    await served.bridge.part(ServerPool).close()
    await wait_for_end()
