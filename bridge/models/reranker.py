"""Scores passages for a query with one worker process, within a time budget."""

import asyncio
import os
import time
from array import array
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from bridge.errors import ModelUnusable
from bridge.models.folder import InstalledModel
from bridge.models.worker_process import FEATURE_LEVELS, SoleWorker, WorkerDied, WorkerTask, make_task
from bridge.records import Record

BUDGET_S = 2.0
"""Seconds that a search waits for scores."""

_MAX_THREADS = 4
_MAX_BATCH_PAIRS = 16
_QUICK_S = 0.15


Result = TypeVar("Result")


class PassageScores(Record):
    """The scores of the first passages, as many as were read in time; `problem` says why it is not all of them."""

    scores: tuple[float, ...] = ()
    problem: str = ""


class Reranker(SoleWorker):
    """Ranks with one model."""

    what = "reranker"

    def __init__(
        self, model: InstalledModel, *, threads: int = 0, budget_s: float = BUDGET_S, unload_after_s: float = 120
    ) -> None:
        super().__init__(unload_after_s)
        self.model = model
        # Threads that wait for each other spin: on a busy core, one more made it seven times slower.
        self._threads = threads or max(1, min(_MAX_THREADS, (os.cpu_count() or 2) - 1))
        self._budget_s = budget_s
        self._tasks: set[asyncio.Task[Any]] = set()

    def task(self) -> WorkerTask:
        level = min(self.level, FEATURE_LEVELS - 1)
        return make_task(self.model.path, self.model.spec, level, low=False, threads=self._threads)

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

    async def close(self) -> None:
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().close()

    async def _alone(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Do work in turn; once begun, it goes on when the caller stops waiting."""
        await self._turn.acquire()

        async def do() -> Result:
            try:
                return await work()
            finally:
                self._release()

        task = asyncio.get_running_loop().create_task(do())
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.cancelled() and not (caller and caller.cancelling()):
                # Another model was chosen meanwhile.
                self._refuse()
            raise

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Nobody may be left to ask for it.
            task.exception()

    async def _request(self, texts: Sequence[str]) -> list[float]:
        process = await self._ready()
        try:
            return list(array("f", (await process.ask(texts)).body))
        except WorkerDied as death:
            await self._record_death(death)
            raise
