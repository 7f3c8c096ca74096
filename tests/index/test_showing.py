"""Notes that are shown before their rows are on the disk: every search waits for these, and none is believed lost."""

import asyncio
import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.index.index import Index
from bridge.index.table import LanceTable
from bridge.types import VaultPath
from tests.index.made import opened, paths, prepared, words

TEA = "# Tea\n\nSteep the leaves.\n"
HERBS = "# Tea\n\nSteep the herbs.\n"


@contextmanager
def held_up(patched: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let no row reach a table before the event is set."""
    free, real = threading.Event(), LanceTable.add

    async def add(table: LanceTable, rows: Any) -> None:
        await asyncio.to_thread(free.wait)
        await real(table, rows)

    with patched.context() as patch:
        patch.setattr(LanceTable, "add", add)
        try:
            yield free
        finally:
            free.set()


async def asked(index: Index, word: str, *, within: list[VaultPath] | None = None) -> tuple[list[str], list[str]]:
    """Return the notes of which a passage has a word, and those that have it anywhere."""
    passages, whole = index.passages(words(word), 5, within), index.search_notes(words(word), 5, within)
    return await paths(passages), await paths(whole)


@pytest.mark.parametrize("within", [None, [VaultPath("Tea.md")]])
async def test_a_search_waits_for_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within: list[VaultPath] | None
) -> None:
    index = await opened(tmp_path / "index", {"Tea.md": TEA})
    with held_up(monkeypatch) as free:
        await index.show([prepared("Tea.md", HERBS)])
        assert index.notes[VaultPath("Tea.md")].digest == prepared("Tea.md", HERBS).note.digest
        searches = [asyncio.create_task(asked(index, word, within=within)) for word in ("herbs", "leaves")]
        wholes = asyncio.create_task(index.wholes())
        texts = asyncio.create_task(asyncio.to_thread(index.passages_of, VaultPath("Tea.md")))
        free.set()
        assert await asyncio.gather(*searches) == [(["Tea.md"], ["Tea.md"]), ([], [])]
        assert "herbs" in (await wholes)[VaultPath("Tea.md")]
        assert "herbs" in (await texts)[0].text
    await index.close()


async def test_what_blocks_the_loop_does_not_hold_up_the_rows_that_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await opened(tmp_path / "index")
    with held_up(monkeypatch) as free:
        await index.show([prepared("Tea.md", TEA)])
        threading.Timer(0, free.set).start()
        assert [passage.text for passage in index.passages_of(VaultPath("Tea.md"))] == ["# Tea\n\nSteep the leaves."]
    await index.close()


async def test_what_is_gone_is_not_found_though_its_row_says_so_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await opened(tmp_path / "index", {"Tea.md": TEA, "Mate.md": "leaves too"})
    with held_up(monkeypatch) as free:
        await index.show([], [VaultPath("Tea.md")])
        search = asyncio.create_task(asked(index, "leaves"))
        free.set()
        assert await search == (["Mate.md"], ["Mate.md"])
    await index.close()
    again = await opened(tmp_path / "index")
    assert set(again.notes) == {"Mate.md"}
    await again.close()


async def test_shown_notes_are_there_at_the_next_start(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Tea.md": TEA})
    for turn in range(5):
        await index.show([prepared("Tea.md", f"turn{turn}"), prepared(f"n{turn}.md", f"turn{turn}")])
    await index.close()
    again = await opened(tmp_path / "index")
    assert await asked(again, "turn4") == (["Tea.md", "n4.md"], ["Tea.md", "n4.md"])
    assert await paths(again.search_notes(words("turn3"), 5)) == ["n3.md"]
    await again.close()


@pytest.mark.parametrize("part", ["notes", "passages"])
async def test_what_cannot_be_written_is_shown_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    index = await opened(tmp_path / "index", {"Tea.md": TEA, "Mate.md": "leaves too"})
    real = LanceTable.add

    async def add(table: LanceTable, rows: Any) -> None:
        if table is getattr(index._opened, part):
            raise OSError(errno.ENOSPC, "No space left on device")
        await real(table, rows)

    with monkeypatch.context() as patch:
        patch.setattr(LanceTable, "add", add)
        await index.show([prepared("Tea.md", HERBS)])
        await index.wait_for_writes()
    assert sorted(index.failed_writes) == ["Tea.md"]
    assert sorted(index.notes) == ["Mate.md"]
    assert await asked(index, "herbs") == ([], [])
    await index.write([prepared("Tea.md", HERBS)])
    assert not index.failed_writes
    assert await asked(index, "herbs") == (["Tea.md"], ["Tea.md"])
    await index.close()
    again = await opened(tmp_path / "index")
    assert await asked(again, "herbs") == (["Tea.md"], ["Tea.md"])
    assert await asked(again, "leaves") == (["Mate.md"], ["Mate.md"])
    await again.close()


async def test_what_is_forbidden_meanwhile_does_not_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await opened(tmp_path / "index", {"Mate.md": "leaves too"})
    with held_up(monkeypatch) as free:
        await index.show([prepared("Tea.md", TEA)])
        index.hide(lambda path: path == "Tea.md")
        sweeping = asyncio.create_task(index.optimise())
        free.set()
        await sweeping
    await index.close()
    again = await opened(tmp_path / "index")
    assert set(again.notes) == {"Mate.md"}
    await again.close()
