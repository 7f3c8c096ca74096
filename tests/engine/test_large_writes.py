"""While a change writes many files, the watcher leaves these to it; what others wrote is still found."""

import asyncio
from pathlib import Path

from bridge.types import VaultPath
from tests.engine.conftest import Opened, until

BEANS, RYE = VaultPath("Garden/Beans.md"), VaultPath("Bread/Rye.md")


async def test_a_file_that_is_being_written_is_read_when_its_writer_shows_it(
    tmp_path: Path, vault: Path, opened: Opened
) -> None:
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        indexer = host.vault.indexer
        before = {path: indexer.index.notes[path].digest for path in (BEANS, RYE)}
        with indexer.expect([BEANS], {}):
            (vault / BEANS).write_text("Half of a text.\n")
            (vault / RYE).write_text("Another text.\n")
            await indexer.look_at([BEANS, RYE])
            await indexer.look_at(["Garden", ""])
            assert indexer.index.notes[BEANS].digest == before[BEANS]
            assert indexer.index.notes[RYE].digest != before[RYE]
            (vault / BEANS).unlink()
            await indexer.look_at([BEANS])
            assert BEANS in indexer.index.notes
            (vault / BEANS).write_text("A whole text.\n")
            await indexer.show([BEANS])
            assert indexer.index.notes[BEANS].digest != before[BEANS]
        await asyncio.to_thread((vault / BEANS).write_text, "Mine.\n")
        await indexer.look_at([BEANS])
        assert indexer.index.notes[BEANS].size == len("Mine.\n")
