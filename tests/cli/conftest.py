"""A small vault, served with keyword search only, and the same vault unserved."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

NOTES = {
    "Bread/Rye.md": "---\ntags: [grain]\nkeeps: 9\n---\n# Rye\n\nDense bread from the north. See [[Beans]], [[Gone]].\n"
    "\n## Baking\n\nIn a falling oven.\n",
    "Garden/Beans.md": "# Beans\n\nSow after the last frost. #garden/beans\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "Notes", NOTES)


@pytest_asyncio.fixture
async def served(vault: Path, tmp_path: Path) -> AsyncIterator[Served]:
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        yield served
