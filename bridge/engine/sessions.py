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
        self,
        client: str | None,
        session_name: str | None,
        latest: Callable[[float], str | None] = lambda _seconds: None,
    ) -> str:
        """Return the session of a change that a client makes now: short, and without meaning.

        Args:
            client: The client's name.
            session_name: As the client says it; without one, its changes share a session until a long enough pause.
            latest: Returns the session of the client's newest change in the last seconds, for a client whose changes
                are made by one process each.
        """
        if session_name is not None:
            return session_digest(client, session_name)
        moment = self._now()
        self._open = {name: entry for name, entry in self._open.items() if moment - entry[1] < QUIET_S}
        session = entry[0] if (entry := self._open.get(client)) else latest(QUIET_S) or secrets.token_hex(6)
        self._open[client] = (session, moment)
        return session


def session_digest(client: str | None, session_name: str) -> str:
    """Return how a session that a client names is recorded, with its changes and calls: not in its words."""
    return hashlib.sha256(f"{client}\0{session_name}".encode()).hexdigest()[:12]
