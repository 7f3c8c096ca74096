import asyncio

import pytest

from bridge.engine.activity import Job, Jobs
from bridge.errors import DiskFull, JobNotFound
from tests.engine.conftest import PATIENCE_S


async def finished(job: Job) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while job.state == "running":
            await asyncio.sleep(0)


async def test_a_job_reports_and_ends() -> None:
    async def work(job: Job) -> None:
        job.done = 3

    jobs = Jobs()
    job = jobs.start("reindex", work)
    await finished(job)
    assert (jobs[job.id].state, jobs[job.id].done) == ("done", 3)


async def test_a_job_that_fails_says_why_and_what_to_do() -> None:
    async def work(_: Job) -> None:
        raise DiskFull

    jobs = Jobs()
    job = jobs.start("reindex", work)
    await finished(job)
    assert (job.state, job.message) == ("failed", "The disk is full. Make room on the disk; what was stored is kept.")


async def test_stopping_cancels_what_runs() -> None:
    async def work(_: Job) -> None:
        await asyncio.Event().wait()

    jobs = Jobs()
    job = jobs.start("reindex", work)
    await asyncio.sleep(0)
    await jobs.stop()
    assert job.state == "cancelled"


def test_an_unknown_job_is_an_error() -> None:
    with pytest.raises(JobNotFound):
        Jobs()["nothing"]
