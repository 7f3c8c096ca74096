"""Tells a client how far a call is."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bridge.mcp.caller import Context

Step = tuple[float, float | None, str]


@asynccontextmanager
async def reporting(context: Context) -> AsyncIterator[Callable[[float, float | None, str], None]]:
    """Hand out what an operation calls with its progress; at the end, all of it was sent."""
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    sending = asyncio.create_task(send(context, steps), name="mcp progress")
    try:
        yield lambda done, total, message: steps.put_nowait((done, total, message))
        steps.put_nowait(None)
        await asyncio.wait({sending})
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def send(context: Context, steps: asyncio.Queue[Step | None]) -> None:
    """Send each step as it comes; a client that did not ask for progress gets none."""
    while (step := await steps.get()) is not None:
        done, total, message = step
        await context.session.report_progress(done, total, message)
