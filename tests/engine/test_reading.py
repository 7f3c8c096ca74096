"""Notes read in threads and processes."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
from contextlib import aclosing
from multiprocessing.process import BaseProcess
from pathlib import Path

import psutil
import pytest

from bridge.engine.parser_pool import (
    MAX_NOTES_WITHOUT_POOL,
    SLICE_BYTES,
    SLICE_NOTES,
    ParserPool,
    ReadOptions,
    learn_boilerplate,
    read_all,
    read_in_worker,
    slice_files,
)
from bridge.index.boilerplate import Boilerplate
from bridge.index.prepare import PreparedNote
from bridge.priority import NICENESS
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.worker_pool import WorkerPool
from tests.engine.conftest import NOTES, PATIENCE_S, until

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note the processes of earlier tests that have not ended yet."""
    monkeypatch.setattr(sys.modules[__name__], "earlier", multiprocessing.active_children())


earlier: list[BaseProcess] = []


def children() -> list[BaseProcess]:
    """Return the processes that the test started."""
    return [process for process in multiprocessing.active_children() if process not in earlier]


def reading(vault: Path) -> ReadOptions:
    return ReadOptions(vault, Rules(), Boilerplate(), 300)


def many(vault: Path) -> list[VaultPath]:
    paths = [VaultPath(f"{number}.md") for number in range(2 * MAX_NOTES_WITHOUT_POOL)]
    for number, path in enumerate(paths):
        (vault / path).write_text(f"Recurring words.\nOnly in {chr(97 + number % 26) * (number // 26 + 1)}.\n")
    return paths


async def test_what_is_told_to_stop_reads_no_further_note(vault: Path) -> None:
    pool = WorkerPool(1)
    await asyncio.wrap_future(pool.submit(read_all, reading(vault), []))
    paths = 100 * many(vault)
    reader = pool.submit(read_all, reading(vault), paths)
    await until(reader.running)
    pool.end()
    outcomes = await asyncio.wrap_future(reader)
    assert len(outcomes) < len(paths)


OWNER = """
import multiprocessing, time
from bridge.worker_pool import WorkerPool

if __name__ == "__main__":
    pool = WorkerPool(2)
    for _ in range(2):
        pool.submit(time.sleep, 600)
    print(*(process.pid for process in multiprocessing.active_children()), flush=True)
    time.sleep(600)
"""


def test_processes_end_with_an_owner_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        children = [psutil.Process(int(word)) for word in owner.stdout.readline().split()]
        owner.kill()
    assert len(children) == 2
    assert psutil.wait_procs(children, PATIENCE_S)[1] == []


def test_a_slice_is_bounded_by_number_and_by_size() -> None:
    small = {VaultPath(f"{number}.md"): 10 for number in range(SLICE_NOTES + 1)}
    assert [len(part) for part in slice_files(small)] == [SLICE_NOTES, 1]
    sizes = {VaultPath("a"): 1, VaultPath("b"): SLICE_BYTES, VaultPath("c"): 1, VaultPath("d"): 2}
    assert list(slice_files(sizes)) == [["a"], ["b"], ["c", "d"]]


async def test_reading_that_is_given_up_leaves_no_process(vault: Path) -> None:
    paths = many(vault)
    async with aclosing(ParserPool().read(reading(vault), dict.fromkeys(paths, 0))) as outcomes:
        assert len(await anext(outcomes)) > 0
        assert children()
    await until(lambda: not children())


async def test_processes_that_are_ended_while_they_read_are_replaced(vault: Path) -> None:
    paths = many(vault)
    async with aclosing(ParserPool().read(reading(vault), dict.fromkeys(paths, 0))) as outcomes:
        read = await anext(outcomes)
        for process in children():
            process.kill()
        read += [outcome async for some in outcomes for outcome in some]
    assert [outcome.note.path for outcome in read if isinstance(outcome, PreparedNote)] == paths


async def test_reading_gives_way_to_searches(vault: Path) -> None:
    pool = WorkerPool(1)
    try:
        before = pool.submit(os.nice, 0).result()
        pool.submit(read_in_worker, reading(vault), []).result()
        assert pool.submit(os.nice, 0).result() == min(19, before + NICENESS)
        pool.submit(read_in_worker, reading(vault), []).result()
        assert pool.submit(os.nice, 0).result() == min(19, before + NICENESS)
    finally:
        pool.end()


async def test_words_are_indexed_by_the_processes_that_read_the_notes(vault: Path) -> None:
    paths = many(vault)
    async with aclosing(ParserPool().read(reading(vault), dict.fromkeys(paths, 0))) as outcomes:
        slices = [[outcome for outcome in some if isinstance(outcome, PreparedNote)] async for some in outcomes]
    for notes in slices:
        assert [note.place for note in notes] == list(range(len(notes)))
        assert {id(note.segments) for note in notes} == {id(notes[0].segments)}
        assert notes[0].segments is not None
        assert sum(map(len, notes[0].segments.whole)) == len(notes)


async def test_what_is_learnt_ahead_is_what_would_be_learnt(vault: Path) -> None:
    paths, files, readers = many(vault), Vault(vault, Rules()), ParserPool()
    readers.begin(files, learn=True)
    await until(lambda: len(children()) > 0)
    learnt = await readers.learn(files, paths)
    assert learnt == learn_boilerplate(vault, Rules(), paths)
    assert "Recurring words." in learnt
    async with aclosing(readers.read(reading(vault), dict.fromkeys(paths, 0))) as outcomes:
        assert sum([len(some) async for some in outcomes]) == len(paths)
    await until(lambda: not children())


async def test_what_was_learnt_under_other_rules_is_not_used(vault: Path) -> None:
    paths, readers = many(vault), ParserPool()
    readers.begin(Vault(vault, Rules()), learn=True)
    learnt = await readers.learn(Vault(vault, Rules(deny=("*.md",))), paths)
    assert not learnt.recurring
    readers.close()
    await until(lambda: not children())


async def test_few_notes_start_no_process(vault: Path) -> None:
    readers, files = ParserPool(), Vault(vault, Rules())
    readers.begin(files, learn=True)
    assert await readers.learn(files, [VaultPath(path) for path in NOTES]) is not None
    assert not children()


async def test_a_process_that_is_ended_while_it_learns_is_done_without(vault: Path) -> None:
    paths, files, readers = many(vault), Vault(vault, Rules()), ParserPool()
    readers.begin(files, learn=True)
    await until(lambda: len(children()) > 0)
    for process in children():
        process.kill()
    assert await readers.learn(files, paths) == learn_boilerplate(vault, Rules(), paths)
    readers.close()
