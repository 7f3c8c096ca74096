"""Background work on the event loop, beside searches."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.index.background import Searches
from tests.index.made import opened, prepared

NAMES = ("Kept", "Rouille", "Paella", "Bouillabaisse", "Hidden")


async def test_background_work_waits_for_the_searches_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 300.0)
    searches = Searches()
    with searches:
        work = asyncio.create_task(searches.give_way(0.0))
        with searches:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not work.done()
    await work


async def test_background_work_goes_on_beside_endless_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 0.0)
    searches = Searches()
    with searches:
        assert await searches.give_way(0.0) > 0


async def test_work_in_a_thread_goes_on_when_a_search_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 300.0)
    searches, order = Searches(), list[str]()
    began = asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(began.set)
        searches.give_way_in_thread(0.0)
        order.append("work")

    with searches:
        working = asyncio.create_task(asyncio.to_thread(work))
        await began.wait()
        await asyncio.sleep(0.02)
        order.append("search")
    await working
    assert order == ["search", "work"]


async def test_searches_go_first_while_the_names_of_many_notes_are_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note that is hidden or written anew meanwhile keeps no name of what it was."""
    monkeypatch.setattr("bridge.index.background.SLICE_S", 0.0)
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 300.0)
    index = await opened(tmp_path / "index", {"Hidden.md": "# Fennel\n", "Kept.md": "# Chervil\n"})
    with index.searches:
        writing = asyncio.create_task(
            index.write([prepared(f"{name}.md", f"# {name} of saffron\n\nAn English text.") for name in NAMES])
        )
        while len(index.notes) < len(NAMES):
            await asyncio.sleep(0.001)
        assert not writing.done()
        index.hide(lambda path: path == "Hidden.md")
    await writing
    for word in ("fennel", "chervil"):
        assert await index.search_names(word, 9) == []
    assert {hit.path for hit in await index.search_names("saffron", 9)} == {f"{name}.md" for name in NAMES} - {
        "Hidden.md"
    }
    assert index.languages == ("english",)
    await index.erase(lambda path: path == "Hidden.md")
    assert set(index.notes) == {f"{name}.md" for name in NAMES} - {"Hidden.md"}
    await index.close()


async def test_a_change_is_shown_whole_though_its_caller_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.background.SLICE_S", 0.0)
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 300.0)
    index = await opened(tmp_path / "index")
    with index.searches:
        showing = asyncio.create_task(index.show([prepared(f"{name}.md", f"# {name} of saffron\n") for name in NAMES]))
        while not index.notes:
            await asyncio.sleep(0.001)
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing
    await index.wait_for_writes()
    assert len(await index.search_names("saffron", 9)) == len(NAMES)
    await index.close()
