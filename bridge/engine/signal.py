"""Wakes waiters when something changes."""

import asyncio


class Signal:
    """Notifies every present waiter once; later waiters wait for the next time."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify(self) -> None:
        """Wake all present waiters; call on the event loop."""
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for the next time; return False when `timeout` seconds passed first."""
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that arrives together with the event.
            async with asyncio.timeout(timeout):
                await self._next.wait()
        except TimeoutError:
            return False
        return True
