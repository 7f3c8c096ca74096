"""How often clients and strangers may call; the runtime token is never held up."""

from collections import defaultdict
from math import ceil

from bridge.access.rate import TokenBucket
from bridge.access.token_file import Client
from bridge.errors import RateLimited

BURST_S = 5
"""Seconds' worth of calls that may come at once."""

STRANGERS_PER_S = 5
PAIRING_PER_S = 1


class RateLimits:
    """What each may still do now."""

    def __init__(self) -> None:
        self._clients: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._malformed: defaultdict[str, TokenBucket] = defaultdict(TokenBucket)
        self._strangers = TokenBucket()
        self._pairing = TokenBucket()

    def client(self, client: Client, per_second: int) -> None:
        """Count a call of a client.

        Raises:
            RateLimited: It calls too often.
        """
        spend(self._clients[client.id], per_second)

    def malformed(self, client: Client, per_second: int) -> float:
        """Give back a call of a client that could not be understood, and count it apart from its other calls.

        Returns:
            Seconds by which there were too many, else 0.
        """
        self._clients[client.id].give_back()
        return self._malformed[client.id].take(per_second, BURST_S * per_second)

    def stranger(self) -> None:
        """Count a call without a valid token.

        All strangers share one pace, since one machine cannot tell them apart. A valid token passes all the same, or
        any program could lock out all others; at 256 bits, guessing does not need to be slow to be hopeless.

        Raises:
            RateLimited: There were too many.
        """
        spend(self._strangers, STRANGERS_PER_S)

    def pairing(self) -> None:
        """Count a try to pair.

        Raises:
            RateLimited: There were too many.
        """
        spend(self._pairing, PAIRING_PER_S)


def spend(pace: TokenBucket, per_second: int) -> None:
    """Take one call.

    Raises:
        RateLimited: None is left.
    """
    wait = pace.take(per_second, BURST_S * per_second)
    if wait:
        raise RateLimited(retry_after_s=ceil(wait))
