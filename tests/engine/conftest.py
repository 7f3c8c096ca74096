"""A vault on disk and a bridge for it, with the real index, and the real model where a test is marked `model`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bridge.engine.bridge import Bridge
from bridge.engine.host import Host

NOTES = {
    "Bread/Sourdough.md": "# Sourdough\n\nA starter of flour and water raises the loaf. See [[Rye]] and [[Missing]].\n",
    "Bread/Rye.md": "---\naliases: [Roggen]\ntags: [grain/rye]\n---\n# Rye\n\nDense bread from the north.\n",
    "Garden/Beans.md": "# Beans\n\nSow after the last frost. #garden/beans\n",
    "Garden/Rain.md": "# Rain\n\nWater butts catch what falls from the roof.\n",
}

PATIENCE_S = 300.0
"""Seconds to wait for what must happen: long, since other programs may use the machine."""

Opened = Callable[..., AbstractAsyncContextManager[Bridge]]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "Notes"
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".obsidian").mkdir()
    return root


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Open a bridge for vaults, without a model unless one is given or the test is marked `model`."""
    marked = request.node.get_closest_marker("model")
    usual: Path = request.getfixturevalue("models_dir") if marked else tmp_path / "no models"

    @asynccontextmanager
    async def open_bridge(*vaults: Path, models: Path = usual, data: Path = tmp_path / "data") -> AsyncIterator[Bridge]:
        bridge = Bridge(data, models, vaults)
        await bridge.start()
        try:
            yield bridge
        finally:
            await bridge.stop()

    return open_bridge


async def until(true: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Poll until a condition is true."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


async def settled(host: Host) -> None:
    """Wait until nothing is pending; without a model no vectors are."""

    def quiet() -> bool:
        p = host.progress()
        words = p.ready_keyword and not p.pending_keyword
        return words and (not host.embedders.models_dir.exists() or (p.ready_semantic and not p.pending_vectors))

    await until(quiet)
