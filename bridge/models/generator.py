"""Generates text with one chat worker: one answer at a time, a short queue, and a pause when it keeps dying."""

import asyncio
import contextlib
import logging
import os
import time
from collections import deque
from collections.abc import AsyncGenerator
from pathlib import Path

from msgspec.structs import replace

from bridge.errors import Busy, ModelUnusable
from bridge.models.chat_process import AnswerEnd, ChatEvent, ChatRequest, ChatTask, ChatTraits, ChatWorker
from bridge.models.frame_process import WorkerDied
from bridge.records import Record

log = logging.getLogger(__name__)

QUEUE = 2
"""Requests that may wait while another is answered."""

_DEATHS_TO_PAUSE = 3
_DEATHS_WITHIN_S = 300.0
_PAUSE_S = 300.0
_LOWEST = 3


class GeneratorStatus(Record):
    """The state of the generator: `paused_s` is above 0 while it rests because its workers kept dying."""

    pid: int | None
    waiting: int
    speaking: bool
    starts: int
    deaths: int
    level: int
    paused_s: int
    answers: int
    prompt_tokens_per_s: float
    answer_tokens_per_s: float


class Generator:
    """Generates with one model; the worker starts on demand and ends when idle.

    Belongs to the event loop that calls it first.
    """

    def __init__(self, path: Path, *, window: int, threads: int = 0, unload_after_s: float = 120) -> None:
        """Prepare a generator without starting a process."""
        self.path = path
        self._window = window
        self._threads = threads or os.cpu_count() or 1
        self._unload_after_s = unload_after_s
        self._worker: ChatWorker | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self._closed = False
        self._level = 0
        self._deaths: deque[float] = deque(maxlen=_DEATHS_TO_PAUSE)
        self._paused_until = 0.0
        self._starts = self._died = self._answers = 0
        self._read = self._written = (0, 0)

    @property
    def is_speaking(self) -> bool:
        """Whether an answer is generated now: other background work may wait."""
        return self._turn.locked()

    async def generate(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        """Generate an answer, and yield it as it comes; closing the iterator early cancels it."""
        self._refuse()
        if self._waiting >= QUEUE:
            raise Busy(
                f"The chat model is answering, and {self._waiting} more wait.", hint="Ask again when it has answered."
            )
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            async with contextlib.aclosing(self._answer(request)) as events:
                async for event in events:
                    yield event
        finally:
            self._turn.release()
            self._schedule_unload()

    async def traits(self) -> ChatTraits:
        """Return what the model can do, loading it if needed."""
        if self._worker is not None and not self._worker.has_ended:
            return self._worker.traits
        self._refuse()
        async with self._turn:
            worker = await self._ready()
        self._schedule_unload()
        return worker.traits

    def status(self) -> GeneratorStatus:
        return GeneratorStatus(
            pid=self._worker.pid if self._worker else None,
            waiting=self._waiting,
            speaking=self.is_speaking,
            starts=self._starts,
            deaths=self._died,
            level=self._level,
            paused_s=max(0, round(self._paused_until - time.monotonic())),
            answers=self._answers,
            prompt_tokens_per_s=_rate(*self._read),
            answer_tokens_per_s=_rate(*self._written),
        )

    async def close(self) -> None:
        """End the worker; the answer that it generates fails."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        if self._ending is not None:
            await self._ending
        await self._end()

    def _refuse(self) -> None:
        if self._closed:
            raise ModelUnusable("The chat model is stopped.", hint="Start the bridge again.")
        if (left := self._paused_until - time.monotonic()) > 0:
            raise ModelUnusable(
                f"The chat model died {_DEATHS_TO_PAUSE} times within {_DEATHS_WITHIN_S / 60:.0f} minutes.",
                hint=f"It is tried again in {left:.0f} s; answers are extracted from notes until then.",
            )

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        self._refuse()
        try:
            worker = await self._ready()
            async with contextlib.aclosing(worker.answer(request)) as events:
                async for event in events:
                    if isinstance(event, AnswerEnd):
                        self._count(event)
                    yield event
        except WorkerDied as death:
            self._record_death(death)
            await self._end()
            raise ModelUnusable(
                "The chat model died while it answered.", hint="Ask again: it starts once more, with fewer features."
            ) from None

    async def _ready(self) -> ChatWorker:
        if self._idle is not None:
            self._idle.cancel()
        if self._ending is not None:
            await self._ending
        if self._worker is not None and self._worker.has_ended:
            self._worker = None
        return self._worker or await self._start()

    async def _start(self) -> ChatWorker:
        while True:
            try:
                self._worker = await ChatWorker.start(self._task())
            except WorkerDied as death:
                self._record_death(death)
                self._refuse()
            else:
                self._starts += 1
                return self._worker

    def _task(self) -> ChatTask:
        task = ChatTask(str(self.path), self._window, self._threads)
        if self._level >= 1:
            task = replace(task, threads=1)
        if self._level >= 2:
            task = replace(task, flash=False)
        if self._level >= _LOWEST:
            task = replace(task, mmap=False, window=self._window // 2)
        return task

    def _record_death(self, death: WorkerDied) -> None:
        log.warning("%s", death)
        self._died += 1
        self._level = min(self._level + 1, _LOWEST)
        now = time.monotonic()
        self._deaths.append(now)
        if len(self._deaths) == _DEATHS_TO_PAUSE and now - self._deaths[0] <= _DEATHS_WITHIN_S:
            self._paused_until = now + _PAUSE_S
            self._deaths.clear()

    def _count(self, answer: AnswerEnd) -> None:
        self._answers += 1
        new = answer.tokens_in - answer.tokens_kept
        self._read = (self._read[0] + new, self._read[1] + answer.prompt_ms)
        self._written = (self._written[0] + answer.tokens_out, self._written[1] + answer.answer_ms)

    def _schedule_unload(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._worker is not None and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self._unload_after_s, self._unload)

    def _unload(self) -> None:
        if not self._turn.locked():
            self._ending = asyncio.get_running_loop().create_task(self._end())

    async def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.end()


def _rate(tokens: int, ms: int) -> float:
    return round(1000 * tokens / ms, 1) if ms else 0.0
