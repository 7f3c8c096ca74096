"""Wakes whoever waits for something to change."""

import asyncio


class Signal:
    """Tells every present waiter once; later waiters wait for the next time."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def tell(self) -> None:
        """Wake everybody who waits now; call on the event loop."""
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for the next time; False when `timeout` seconds passed first."""
        try:
            # Not wait_for: before Python 3.12 it forgets a cancellation that comes together with the news.
            async with asyncio.timeout(timeout):
                await self._next.wait()
        except TimeoutError:
            return False
        return True
