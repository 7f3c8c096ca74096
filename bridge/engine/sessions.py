"""Groups the changes of one client into sessions."""

import hashlib
import secrets
import time
from collections.abc import Callable

QUIET_S = 1800.0
"""Seconds without a change after which the next one starts another session."""


class Sessions:
    """Assigns changes to sessions, so that all changes of a session can be undone together."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start without sessions.

        Args:
            now: Returns the time in seconds.
        """
        self._now = now
        self._open: dict[str | None, tuple[str, float]] = {}

    def of(
        self, client: str | None, said: str | None, latest: Callable[[float], str | None] = lambda _seconds: None
    ) -> str:
        """Return the session of a change that a client makes now: short, and without meaning.

        Args:
            client: The client's name.
            said: The session that the client names; without one, its changes share a session until a long enough pause.
            latest: Returns the session of the client's newest change in the last seconds, for a client whose changes
                are made by one process each.
        """
        if said is not None:
            return session_digest(client, said)
        moment = self._now()
        self._open = {name: held for name, held in self._open.items() if moment - held[1] < QUIET_S}
        session = held[0] if (held := self._open.get(client)) else latest(QUIET_S) or secrets.token_hex(6)
        self._open[client] = (session, moment)
        return session


def session_digest(client: str | None, said: str) -> str:
    """Return how a session that a client names is recorded, with its changes and calls: not in its words."""
    return hashlib.sha256(f"{client}\0{said}".encode()).hexdigest()[:12]
