"""Rate limiting: a burst of calls, then a steady number per second."""

import time
from collections.abc import Callable


class TokenBucket:
    """A bucket of calls that refills over time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with a full bucket.

        Args:
            clock: Returns the time in seconds.
        """
        self._clock = clock
        self._at = clock()
        self._spent = 0.0

    def take(self, per_second: float, burst: float) -> float:
        """Take one call.

        Args:
            per_second: How fast the bucket fills.
            burst: How many calls it holds.

        Returns:
            0 if a call was available, else the seconds until one is; nothing was taken then.
        """
        now = self._clock()
        self._spent = max(0.0, self._spent - (now - self._at) * per_second)
        self._at = now
        missing = self._spent + 1 - burst
        if missing > 0:
            return missing / per_second
        self._spent += 1
        return 0.0

    def give_back(self) -> None:
        """Put back a call that was taken."""
        self._spent = max(0.0, self._spent - 1)
