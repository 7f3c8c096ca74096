import asyncio

import pytest

from bridge.events import Signal
from tests.engine.conftest import PATIENCE_S


async def test_a_waiter_is_woken_once() -> None:
    signal = Signal()
    waiting = asyncio.create_task(signal.wait())
    await asyncio.sleep(0)
    signal.notify()
    assert await waiting is True
    assert await signal.wait(0) is False


@pytest.mark.parametrize("turns", range(6))
async def test_whoever_waits_again_and_again_can_be_cancelled_whenever_it_was_told(turns: int) -> None:
    signal = Signal()

    async def follow() -> None:
        while True:
            await signal.wait(2 * PATIENCE_S)

    indexer = asyncio.create_task(follow())
    for _ in range(3):
        await asyncio.sleep(0)
    signal.notify()
    for _ in range(turns):
        await asyncio.sleep(0)
    indexer.cancel()
    # With `wait_for` Python 3.11 forgot the cancellation at some of these moments, and the bridge never left.
    await asyncio.wait([indexer], timeout=PATIENCE_S)
    assert indexer.cancelled()


async def test_nobody_is_woken_by_what_was_told_before() -> None:
    signal = Signal()
    signal.notify()
    assert await signal.wait(0.01) is False
