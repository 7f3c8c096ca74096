"""What programs do with the bridge: calls, the time since the last one, and long work that goes on meanwhile."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from bridge.errors import BridgeError, JobNotFound


class Activity:
    """The calls of programs, and the changes of notes, in all vaults of a process."""

    def __init__(self, is_busy: Callable[[], bool] = lambda: False, now: Callable[[], float] = time.monotonic) -> None:
        self._is_busy = is_busy
        self._now = now
        self._running = 0
        self._latest = now()

    def notice(self) -> None:
        """Record that somebody is there."""
        self._latest = self._now()

    @contextmanager
    def during_call(self) -> Iterator[None]:
        """Count a call, for the duration of the block."""
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            self.notice()

    def quiet_s(self) -> float:
        """Return for how many seconds nothing was done; 0 while something is."""
        if self._running or self._is_busy():
            self.notice()
            return 0.0
        return self._now() - self._latest


MAX_JOBS = 100


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
        for old in list(self._jobs)[:-MAX_JOBS]:
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
