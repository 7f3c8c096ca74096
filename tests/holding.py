"""Hold back what the program does next, or tell when it did it, so that a test need not guess a moment."""

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping

import pytest

from bridge.engine.parser_pool import Outcome, ParserPool, ReadOptions
from bridge.models.worker_process import Frame, WorkerProcess
from bridge.types import VaultPath


def hold_reading(patches: pytest.MonkeyPatch) -> asyncio.Event:
    """Let notes be read in their turn only when this is set, so that a slow test does not come too late."""
    may_read, read = asyncio.Event(), ParserPool.read

    async def read_later(
        readers: ParserPool, reading: ReadOptions, files: Mapping[VaultPath, int]
    ) -> AsyncGenerator[list[Outcome], None]:
        await may_read.wait()
        async for outcomes in read(readers, reading, files):
            yield outcomes

    patches.setattr(ParserPool, "read", read_later)
    return may_read


def note_sent(patches: pytest.MonkeyPatch) -> asyncio.Event:
    """Return what is set when a request was sent to a model's worker."""
    sent, send = asyncio.Event(), WorkerProcess.send

    async def send_and_tell(process: WorkerProcess, frame: Frame) -> None:
        await send(process, frame)
        sent.set()

    patches.setattr(WorkerProcess, "send", send_and_tell)
    return sent


def while_a_thread_runs(work: Callable[[], None]) -> Iterator[None]:
    """Yield until a thread has done its work, with the two taking turns as often as they can."""
    before, thread = sys.getswitchinterval(), threading.Thread(target=work)
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        while thread.is_alive():
            yield
    finally:
        thread.join()
        sys.setswitchinterval(before)
