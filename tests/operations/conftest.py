"""The sample vault, served once for all tests of this folder, with the real model."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.operations.served import Served, readable, serving

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sample(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("sample")
    shutil.copytree(SAMPLE, folder / "sample")
    async with serving([folder / "sample"], folder / "data", models_dir) as served:
        await readable(served, meaning=True)
        yield served
