"""Rate limits for clients and unauthenticated callers; the runtime token is never limited."""

import time
from collections import defaultdict
from collections.abc import Callable
from math import ceil

from bridge.access.tokens import Client
from bridge.errors import RateLimited

BURST_S = 5
"""The burst, in seconds' worth of calls."""

STRANGERS_PER_S = 5
PAIRING_PER_S = 1


class TokenBucket:
    """A bucket of calls that refills over time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with a full bucket."""
        self._clock = clock
        self._at = clock()
        self._spent = 0.0

    def take(self, per_second: float, burst: float) -> float:
        now = self._clock()
        self._spent = max(0.0, self._spent - (now - self._at) * per_second)
        self._at = now
        missing = self._spent + 1 - burst
        if missing > 0:
            return missing / per_second
        self._spent += 1
        return 0.0

    def give_back(self) -> None:
        self._spent = max(0.0, self._spent - 1)


class RateLimits:
    """The remaining calls of each client."""

    def __init__(self) -> None:
        self._clients: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._malformed: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._strangers = TokenBucket()
        self._pairing = TokenBucket()

    def client(self, client: Client, per_second: int) -> None:
        """Count a client's call."""
        spend(self._clients[client.id], per_second)

    def charge_malformed(self, client: Client, per_second: int) -> float:
        """Return a client's malformed call to its bucket, and count it separately."""
        self._clients[client.id].give_back()
        return self._malformed[client.id].take(per_second, BURST_S * per_second)

    def stranger(self) -> None:
        """Count a call without a valid token.

        All callers without a token share one limit, since one machine cannot tell them apart. A valid token passes
        regardless, or any program could lock out all others; at 256 bits, guessing is hopeless even at full speed.
        """
        spend(self._strangers, STRANGERS_PER_S)

    def pairing(self) -> None:
        """Count an attempt to pair."""
        spend(self._pairing, PAIRING_PER_S)


def spend(pace: TokenBucket, per_second: int) -> None:
    """Take one call."""
    wait = pace.take(per_second, BURST_S * per_second)
    if wait:
        raise RateLimited(retry_after_s=ceil(wait))
