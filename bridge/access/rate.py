"""How often one may call: so many at once, then so many a second."""

import time
from collections.abc import Callable


class TokenBucket:
    """A bucket of calls that fills again as time passes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start full.

        Args:
            clock: Tells the time in seconds.
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
            0 when one was there, else the seconds until there is one; nothing was taken then.
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
