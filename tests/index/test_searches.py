"""Background work on the event loop, beside searches."""

import asyncio

import pytest

from bridge.index.background import Searches


async def test_background_work_waits_for_the_searches_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 60.0)
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
    monkeypatch.setattr("bridge.index.background.PATIENCE_S", 60.0)
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
