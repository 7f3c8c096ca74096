"""What we change ourselves is found at once, and again when the index could not take it."""

import asyncio
import errno
import threading
from pathlib import Path
from typing import Any

import pytest

from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.transactions import Author
from bridge.index.table import Table
from bridge.markdown.edit.requests import Append
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import VaultPath
from tests.engine.conftest import Opened, until

BEANS = VaultPath("Garden/Beans.md")


async def found(engine: Any, words: str) -> list[str]:
    answer = await search(engine.sources(), SearchRequest(query=words, mode="keyword"))
    return [hit.path for hit in answer.hits]


async def test_every_change_is_found_as_soon_as_it_is_made(tmp_path: Path, vault: Path, opened: Opened) -> None:
    async with opened(vault, models=tmp_path / "none") as bridge:
        engine = bridge.find(None)
        await until(lambda: engine.progress().ready_keyword)

        async def do(request: Request) -> None:
            await engine.executor.carry([request], Author("test"))

        for turn in range(5):
            word, new, there = f"zebra{turn}", VaultPath(f"New {turn}.md"), VaultPath(f"There/New {turn}.md")
            await do(EditNote(BEANS, (Append(text=f"A {word} came by."),)))
            assert await found(engine, word) == [BEANS]
            await do(CreateNote(new, f"Another {word}, see [[Beans]].", {}, None))
            assert set(await found(engine, word)) == {BEANS, new}
            assert new in (await engine.waiting.resolved_links()).sources(BEANS)
            await do(MoveNote(new, there, engine.index.notes[new].digest))
            assert set(await found(engine, word)) == {BEANS, there}
            await do(DeleteNote(there, engine.index.notes[there].digest))
            assert await found(engine, word) == [BEANS]
            assert there not in (await engine.waiting.resolved_links()).sources(BEANS)


async def test_a_change_that_the_index_could_not_take_is_taken_up_again(
    tmp_path: Path, vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault, models=tmp_path / "none") as bridge:
        engine = bridge.find(None)
        await until(lambda: engine.progress().ready_keyword)
        free, real, failed = threading.Event(), Table.add, list[Any]()

        async def add(table: Table, rows: Any) -> None:
            if not failed:
                failed.append(rows)
                await asyncio.to_thread(free.wait)
                raise OSError(errno.ENOSPC, "No space left on device")
            await real(table, rows)

        monkeypatch.setattr(Table, "add", add)
        await engine.executor.carry([EditNote(BEANS, (Append(text="A zebra came by."),))], Author("test"))
        # As the watcher does, which hears of our own changes too.
        looking = asyncio.create_task(engine.report([BEANS]))
        await until(lambda: looking.done() or bool(engine.index._writing.turn._waiters))
        free.set()
        await looking
        assert not engine.index.lost
        assert await found(engine, "zebra") == [BEANS]
