"""A small vault, served with keyword search only."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bridge.server import connections
from bridge.server.connections import TokenBucket
from tests.features.served import Served, serving, write_vault

NOTES = {
    "Bread/Rye.md": "# Rye\n\nDense bread from the north. See [[Beans]].\n",
    "Garden/Beans.md": "# Beans\n\nSow after the last frost. #garden/beans\n",
}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        yield served


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that moves only when set, for every rate limit."""
    now = [1000.0]
    monkeypatch.setattr(connections, "TokenBucket", lambda: TokenBucket(lambda: now[0]))
    return now
