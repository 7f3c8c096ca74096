"""Work that goes on whatever becomes of whoever asked for it."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


class Tasks:
    """Tasks under way, held so that none is lost."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin work that nobody waits for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        """Let go of a task; whoever still waits for it learns of its error, and nobody else is bothered with it."""
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("A task ended with %s", type(error).__name__)

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work to its end even if the caller is cancelled: memory must follow what the disk holds."""
        return await asyncio.shield(self.start(work))
