"""Which changes belong together, of those that one client makes."""

import hashlib
import secrets
import time
from collections.abc import Callable

QUIET_S = 1800.0
"""Seconds without a change after which the next one begins another session."""


class Sessions:
    """Names the sessions of clients, so that all of one can be undone together."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Know of none.

        Args:
            now: Tells the time in seconds.
        """
        self._now = now
        self._open: dict[str | None, tuple[str, float]] = {}

    def of(
        self, client: str | None, said: str | None, latest: Callable[[float], str | None] = lambda _seconds: None
    ) -> str:
        """Return the session of a change that a client makes now: short, and telling nothing.

        Args:
            client: The client's name.
            said: What it says that its session is; without, its changes belong together until it was quiet for a while.
            latest: Returns the session of the client's newest change in the last seconds, for a client whose changes
                are made by one process each.
        """
        if said is not None:
            return hashlib.sha256(f"{client}\0{said}".encode()).hexdigest()[:12]
        moment = self._now()
        self._open = {name: held for name, held in self._open.items() if moment - held[1] < QUIET_S}
        session = held[0] if (held := self._open.get(client)) else latest(QUIET_S) or secrets.token_hex(6)
        self._open[client] = (session, moment)
        return session
