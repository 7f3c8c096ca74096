"""Reports progress to a caller that waits."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridge.api.call import Call

EVERY_S = 1.0


@asynccontextmanager
async def periodic_progress(call: Call, timeout: float, message: str) -> AsyncIterator[None]:
    """Report the seconds passed every second during a block, for the first time at once."""

    async def report() -> None:
        for passed in itertools.count():
            call.progress(passed * EVERY_S, timeout, message)
            await asyncio.sleep(EVERY_S)

    task = asyncio.create_task(report(), name="ticking")
    # The first report comes before the block starts.
    await asyncio.sleep(0)
    try:
        yield
    finally:
        task.cancel()
