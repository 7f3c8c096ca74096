"""Scores passages for a query with one worker process, within a time budget."""

import asyncio
import logging
import os
import time
from array import array
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from bridge.errors import ModelUnusable
from bridge.models.folder import InstalledModel
from bridge.models.frame_process import FrameProcess, WorkerDied
from bridge.models.worker_process import LEVELS, embed_request, make_task, worker_command
from bridge.records import Record

log = logging.getLogger(__name__)

BUDGET_S = 2.0
"""Seconds that a search waits for scores."""

_START_S = 120.0
_ANSWER_S = 60.0
_PAUSE_S = 60.0
_MAX_THREADS = 4
_MAX_BATCH_PAIRS = 16
_QUICK_S = 0.15
_STOPPED = "The reranker is stopped."


Result = TypeVar("Result")


class PassageScores(Record):
    """The scores of the first passages, as many as were read in time; `problem` says why it is not all of them."""

    scores: tuple[float, ...] = ()
    problem: str = ""


class RerankerStatus(Record):
    """The state of a reranker."""

    pid: int | None
    starts: int
    deaths: int
    tokens: int


class Reranker:
    """Ranks with one model; the worker starts on demand and ends when idle.

    Belongs to the event loop that calls it first.
    """

    def __init__(
        self, model: InstalledModel, *, threads: int = 0, budget_s: float = BUDGET_S, unload_after_s: float = 120
    ) -> None:
        """Prepare a reranker without starting a process."""
        self.model = model
        # Threads that wait for each other spin: on a busy core, one more made it seven times slower.
        self._threads = threads or max(1, min(_MAX_THREADS, (os.cpu_count() or 2) - 1))
        self._budget_s = budget_s
        self._unload_after_s = unload_after_s
        self._process: FrameProcess | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False
        self._level = 0
        self._paused_until = 0.0
        self._starts = self._deaths = self._tokens = 0

    async def score(self, query: str, passages: Sequence[str], budget_s: float | None = None) -> PassageScores:
        """Score passages in turn until the budget is spent; higher is better. No failure raises an error."""
        budget_s = self._budget_s if budget_s is None else budget_s
        deadline = time.monotonic() + budget_s
        found: list[float] = []
        size = 1
        try:
            async with asyncio.timeout(budget_s):
                await self._alone(self._ready)
                while len(found) < len(passages) and time.monotonic() < deadline:
                    began = time.monotonic()
                    # What is not awaited any more is still read from the pipe before the next request.
                    texts = [query, *passages[len(found) : len(found) + size]]
                    found += await self._alone(partial(self._request, texts))
                    quick = time.monotonic() - began < _QUICK_S
                    size = min(_MAX_BATCH_PAIRS, 2 * size) if quick else max(1, size // 2)
        except TimeoutError:
            pass
        except WorkerDied:
            return PassageScores(problem="The reranker died while it read the notes.")
        except ModelUnusable as error:
            return PassageScores(problem=error.message)
        if len(found) == len(passages):
            return PassageScores(tuple(found))
        read = f"only the first {len(found)}" if found else "none"
        problem = f"The reranker read {read} of the {len(passages)} notes within {budget_s:g} s."
        return PassageScores(tuple(found), problem)

    def status(self) -> RerankerStatus:
        pid = self._process.pid if self._process else None
        return RerankerStatus(pid, self._starts, self._deaths, self._tokens)

    async def close(self) -> None:
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._end()

    async def _alone(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Do work in turn; once begun, it goes on when the caller stops waiting."""
        await self._turn.acquire()

        async def do() -> Result:
            try:
                return await work()
            finally:
                self._turn.release()
                self._schedule_unload()

        task = self._spawn(do())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.cancelled() and not (caller and caller.cancelling()):
                # Another model was chosen meanwhile.
                raise ModelUnusable(_STOPPED) from None
            raise

    def _spawn(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Nobody may be left to ask for it.
            task.exception()

    async def _request(self, texts: Sequence[str]) -> list[float]:
        process = await self._ready()
        try:
            await process.send(embed_request(texts))
            frame = await process.read(_ANSWER_S)
        except WorkerDied as death:
            await self._record_death(death)
            raise
        self._tokens += frame.head["tokens"]
        return list(array("f", frame.body))

    async def _ready(self) -> FrameProcess:
        if self._idle is not None:
            self._idle.cancel()
        if self._closed:
            raise ModelUnusable(_STOPPED)
        if self._paused_until > time.monotonic():
            raise ModelUnusable("The reranker rests because it kept dying.")
        if self._process is None:
            self._process = await self._start()
        return self._process

    async def _start(self) -> FrameProcess:
        task = make_task(self.model.path, self.model.spec, self._level, low=False, threads=self._threads)
        process = await FrameProcess.start("reranking worker", worker_command(task))
        try:
            head = (await process.read(_START_S)).head
            if "failed" in head:
                raise ModelUnusable(f"llama.cpp cannot rank with {self.model.spec.id}: {head['failed']}.")
        except BaseException as error:
            await process.end()
            if isinstance(error, WorkerDied):
                await self._record_death(error)
            raise
        self._starts += 1
        return process

    async def _record_death(self, death: WorkerDied) -> None:
        log.warning("%s", death)
        self._deaths += 1
        if self._level < LEVELS - 1:
            self._level += 1
        else:
            self._level, self._paused_until = 0, time.monotonic() + _PAUSE_S
        await self._end()

    def _schedule_unload(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._process is not None and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self._unload_after_s, self._unload)

    def _unload(self) -> None:
        if not self._turn.locked():
            self._spawn(self._alone(self._end))

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()
