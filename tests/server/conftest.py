"""A small vault, served by words alone."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.operations.served import Served, serving, write_vault

NOTES = {
    "Bread/Rye.md": "# Rye\n\nDense bread from the north. See [[Beans]].\n",
    "Garden/Beans.md": "# Beans\n\nSow after the last frost. #garden/beans\n",
}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        yield served
