"""Notes read in threads and processes."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path

from bridge.engine.reading import FEW, Reading, read_all, read_notes, stoppable
from bridge.index import Boilerplate
from bridge.types import VaultPath
from bridge.vault import Rules
from tests.engine.conftest import NOTES, until


def reading(vault: Path) -> Reading:
    return Reading(vault, Rules(), Boilerplate.empty(), 300)


def test_what_is_told_to_stop_reads_no_further_note(vault: Path) -> None:
    stopping = multiprocessing.Event()
    paths = [VaultPath(path) for path in NOTES]
    with ThreadPoolExecutor(1, initializer=stoppable, initargs=(stopping,)) as reader:
        assert len(reader.submit(read_all, reading(vault), paths).result()) == len(NOTES)
        stopping.set()
        assert reader.submit(read_all, reading(vault), paths).result() == []
    assert len(read_all(reading(vault), paths)) == len(NOTES)


async def test_reading_that_is_given_up_leaves_no_process(vault: Path) -> None:
    paths = [VaultPath(f"{number}.md") for number in range(2 * FEW)]
    for path in paths:
        (vault / path).write_text("Some words.\n" * 20)
    async with aclosing(read_notes(reading(vault), paths)) as outcomes:
        assert len(await anext(outcomes)) > 0
        assert multiprocessing.active_children()
    await until(lambda: not multiprocessing.active_children())
