"""Groups the calls of one client into sessions."""

import hashlib
import secrets
import time
from collections.abc import Callable

from bridge.records import dataclass
from bridge.state.session_log import QUIET_S


@dataclass(slots=True)
class OpenSession:
    """A session with a call in the last half hour."""

    id: str
    latest: float
    """When its last call was made, on the clock of `Sessions`."""


class Sessions:
    """Assigns calls to sessions; the changes of a session can be undone together."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start without sessions."""
        self._now = now
        self._open: dict[tuple[str | None, str | None], OpenSession] = {}

    def of(
        self,
        client: str | None,
        session_name: str | None,
        latest: Callable[[], str | None] = lambda: None,
    ) -> str:
        """Return the session of a call that a client makes now: short, and without meaning."""
        moment, key = self._now(), (client, session_name)
        session = self._open.get(key)
        if session is None or moment - session.latest >= QUIET_S:
            self._open = {key: one for key, one in self._open.items() if moment - one.latest < QUIET_S}
            id_ = latest() or secrets.token_hex(6) if session_name is None else session_digest(client, session_name)
            session = self._open[key] = OpenSession(id_, moment)
        session.latest = moment
        return session.id

    def clients(self) -> set[str]:
        """Return the names of the clients with open sessions."""
        return {client for client, _ in self._open if client is not None}

    def end(self, client: str | None, session_name: str | None) -> list[str]:
        """Forget the open sessions of a client, or of a name, or only those of both, and return their ids."""
        keys = [key for key in self._open if client in {None, key[0]} and session_name in {None, key[1]}]
        return [self._open.pop(key).id for key in keys]

    def is_quiet(self, session_name: str, seconds: float) -> bool:
        """Say whether no session of this name had a call in the last seconds."""
        return all(self._now() - one.latest >= seconds for key, one in self._open.items() if key[1] == session_name)


def session_digest(client: str | None, session_name: str) -> str:
    return hashlib.sha256(f"{client}\0{session_name}".encode()).hexdigest()[:12]
