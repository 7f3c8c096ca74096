"""Runs long work that a client started and can ask about."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

from bridge.errors import BridgeError, JobNotFound

REMEMBERED = 100


class Job(Struct):
    """A piece of long work and its progress."""

    id: str
    kind: str
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    done: int = 0
    total: int = 0
    message: str = ""


class Jobs:
    """Runs jobs and remembers the last ones until the process ends."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, kind: str, work: Callable[[Job], Awaitable[None]]) -> Job:
        job = Job(secrets.token_hex(8), kind)
        self._jobs[job.id] = job
        for old in list(self._jobs)[:-REMEMBERED]:
            del self._jobs[old]
        task = asyncio.create_task(self._run(job, work), name=f"job {kind}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def __getitem__(self, job_id: str) -> Job:
        try:
            return self._jobs[job_id]
        except KeyError:
            raise JobNotFound(f"There is no job `{job_id}`.") from None

    async def stop(self) -> None:
        """Cancel all running jobs and wait for them."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        try:
            await work(job)
        except BridgeError as error:
            job.state, job.message = "failed", f"{error.message} {error.hint}"
        except asyncio.CancelledError:
            job.state = "cancelled"
            raise
        else:
            job.state = "done"
