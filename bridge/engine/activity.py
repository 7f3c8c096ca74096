"""Says how long nobody has used the bridge, for work that waits until then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Activity:
    """The calls of programs, and the changes of notes, in all vaults of a process."""

    def __init__(self, is_busy: Callable[[], bool] = lambda: False, now: Callable[[], float] = time.monotonic) -> None:
        """Start as if somebody had just been there."""
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
