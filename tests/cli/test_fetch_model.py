"""At a terminal, the first `serve` asks once whether to fetch the model, and nothing is fetched unasked."""

import asyncio
import os
import pty
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")]
PATIENCE_S = 300.0
QUESTION = "Fetch it now? [y/N]"


class Terminal:
    """A terminal with `vaultside serve` in it, and an index from which nothing can be fetched."""

    def __init__(self, ours: int) -> None:
        self.ours = ours
        self.said = ""
        self.ended = False
        asyncio.get_running_loop().add_reader(ours, self._read)
        self.heard = asyncio.Event()

    def _read(self) -> None:
        try:
            self.said += os.read(self.ours, 4096).decode(errors="replace")
        except OSError:
            asyncio.get_running_loop().remove_reader(self.ours)
            self.ended = True
        self.heard.set()

    async def until(self, words: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while words not in " ".join(self.said.split()):
                assert not self.ended, self.said
                self.heard.clear()
                await self.heard.wait()

    def type(self, line: str) -> None:
        os.write(self.ours, f"{line}\n".encode())


@asynccontextmanager
async def serving(vault: Path, tmp_path: Path, *options: str) -> AsyncIterator[Terminal]:
    ours, theirs = pty.openpty()
    folders = ("--data-dir", str(tmp_path / "data"), "--models-dir", str(tmp_path / "models"))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge.cli", "serve", str(vault), *folders, *options),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PIP_NO_INDEX": "1", "COLUMNS": "200"},
    )
    os.close(theirs)
    terminal = Terminal(ours)
    try:
        yield terminal
    finally:
        process.terminate()
        await process.wait()
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)


async def test_a_no_is_final_and_words_are_served(vault: Path, tmp_path: Path) -> None:
    async with serving(vault, tmp_path) as terminal:
        await terminal.until(QUESTION)
        assert "Serving" not in terminal.said
        terminal.type("n")
        await terminal.until("`vaultside models install` fetches a model later.")
        await terminal.until("search by words only")
    async with serving(vault, tmp_path) as terminal:
        await terminal.until("search by words only")
        assert QUESTION not in terminal.said
    assert not (tmp_path / "models").exists()


async def test_a_yes_fetches_it_and_a_failure_is_told(vault: Path, tmp_path: Path) -> None:
    async with serving(vault, tmp_path) as terminal:
        await terminal.until(QUESTION)
        terminal.type("y")
        await terminal.until("Serving Notes")
        await terminal.until("The model was not fetched; search is by words.")
    assert not (tmp_path / "data" / "model-declined").exists()


async def test_the_set_up_that_fetches_it_by_itself_is_not_asked(vault: Path, tmp_path: Path) -> None:
    async with serving(vault, tmp_path, "--quiet") as terminal:
        await terminal.until("search by words only")
        assert QUESTION not in terminal.said
