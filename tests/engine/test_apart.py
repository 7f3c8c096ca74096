"""A process for what would hold up every thread."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from bridge.engine.analytics import AnalyticsProcess
from bridge.errors import Busy
from tests.engine.conftest import PATIENCE_S

pytestmark = pytest.mark.process


def number() -> int:
    return os.getpid()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_file(path: str) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not Path(path).exists() and time.monotonic() < ends:
        time.sleep(0.01)


async def test_work_is_done_in_one_other_process() -> None:
    apart = AnalyticsProcess()
    one, other = await asyncio.gather(apart.run(number), apart.run(number))
    assert one == other != os.getpid()
    apart.close()
    again = await apart.run(number)
    assert again not in {one, os.getpid()}
    apart.close()


async def test_a_process_that_is_ended_is_started_again() -> None:
    apart = AnalyticsProcess()
    first = await apart.run(number)
    os.kill(first, signal.SIGKILL)
    assert await apart.run(number) != first
    apart.close()


async def test_work_that_ends_its_process_is_told_as_an_error() -> None:
    apart = AnalyticsProcess()
    with pytest.raises(Busy):
        await apart.run(die)
    assert await apart.run(number) != os.getpid()
    apart.close()


async def test_others_get_their_turn_meanwhile(tmp_path: Path) -> None:
    apart, file = AnalyticsProcess(), tmp_path / "go on"
    work = asyncio.create_task(apart.run(wait_for_file, str(file)))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not work.done()
    # The work ends only because others had their turn.
    file.touch()
    await work
    apart.close()
