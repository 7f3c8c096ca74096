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
from bridge.changes.requests.many_notes import RenameProperty
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.transactions import Author
from bridge.index.table import LanceTable
from bridge.markdown.edit.requests import Append
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import VaultPath
from tests.engine.conftest import Opened, until

BEANS = VaultPath("Garden/Beans.md")


async def found(host: Any, words: str) -> list[str]:
    answer = await search(host.vault.sources(), SearchRequest(query=words, mode="keyword"))
    return [hit.path for hit in answer.hits]


async def test_every_change_is_found_as_soon_as_it_is_made(tmp_path: Path, vault: Path, opened: Opened) -> None:
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)

        async def do(request: Request) -> None:
            await host.vault.executor.execute([request], Author("test"))

        for turn in range(5):
            word, new, there = f"zebra{turn}", VaultPath(f"New {turn}.md"), VaultPath(f"There/New {turn}.md")
            await do(EditNote(BEANS, (Append(text=f"A {word} came by."),)))
            assert await found(host, word) == [BEANS]
            await do(CreateNote(new, f"Another {word}, see [[Beans]].", {}, None))
            assert set(await found(host, word)) == {BEANS, new}
            assert new in (await host.vault.resolved_links()).sources(BEANS)
            await do(MoveNote(new, there, host.vault.index.notes[new].digest))
            assert set(await found(host, word)) == {BEANS, there}
            await do(DeleteNote(there, host.vault.index.notes[there].digest))
            assert await found(host, word) == [BEANS]
            assert there not in (await host.vault.resolved_links()).sources(BEANS)


async def test_a_change_that_the_index_could_not_take_is_taken_up_again(
    tmp_path: Path, vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        free, real, failed = threading.Event(), LanceTable.add, list[Any]()

        async def add(table: LanceTable, rows: Any) -> None:
            if not failed:
                failed.append(rows)
                await asyncio.to_thread(free.wait)
                raise OSError(errno.ENOSPC, "No space left on device")
            await real(table, rows)

        monkeypatch.setattr(LanceTable, "add", add)
        await host.vault.executor.execute([EditNote(BEANS, (Append(text="A zebra came by."),))], Author("test"))
        # As the watcher does, which hears of our own changes too.
        looking = asyncio.create_task(host.vault.indexer.look_at([BEANS]))
        await until(lambda: looking.done() or bool(host.vault.index._writing.lock._waiters))
        free.set()
        await looking
        assert not host.vault.index.failed_writes
        assert await found(host, "zebra") == [BEANS]


async def test_the_words_of_many_changed_notes_count_at_once(tmp_path: Path, vault: Path, opened: Opened) -> None:
    for number in range(70):
        (vault / f"{number}.md").write_text(f"---\nkind: k{number}\n---\nSame words.\n")
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        index = host.vault.index
        assert [*map(index.document_frequency, ("same", "kind", "gattung"))] == [70, 70, 0]
        rename = RenameProperty(VaultPath("1.md"), name="kind", to="gattung")
        await host.vault.executor.execute([rename], Author("test", confirmed=True))
        assert [*map(index.document_frequency, ("same", "kind", "gattung"))] == [70, 0, 70]
        assert index.dictionary.words_beginning("gatt") == ["gattung"]
