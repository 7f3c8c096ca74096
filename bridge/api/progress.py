"""Tells a caller that waits that the bridge still does."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridge.api.call import Call

EVERY_S = 1.0


@asynccontextmanager
async def periodic_progress(call: Call, timeout: float, message: str) -> AsyncIterator[None]:
    """Tell each second of a block how many have passed, the first time at once."""

    async def tell() -> None:
        for passed in itertools.count():
            call.progress(passed * EVERY_S, timeout, message)
            await asyncio.sleep(EVERY_S)

    telling = asyncio.create_task(tell(), name="ticking")
    # The first tell comes before whatever is waited for.
    await asyncio.sleep(0)
    try:
        yield
    finally:
        telling.cancel()
