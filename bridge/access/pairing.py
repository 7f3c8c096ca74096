"""Pairing: for two minutes, a client that knows the code shown to the user gets a token."""

import hmac
import secrets
import time
from collections.abc import Callable

from bridge.errors import Forbidden
from bridge.records import Record

OPEN_S = 120.0
"""Seconds for which a code is valid."""

TRIES = 5
DIGITS = 6


class PairingWindow(Record):
    """A code that is valid now."""

    code: str
    until: float
    tries: int


class Pairing:
    """Holds at most one pairing window, in this process only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no window open."""
        self._clock = clock
        self._window: PairingWindow | None = None

    def open(self) -> str:
        """Open a window, replacing an open one, and return its code."""
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        self._window = PairingWindow(code, self._clock() + OPEN_S, TRIES)
        return code

    def enter(self, code: str) -> None:
        """Accept the right code and close the window."""
        window, self._window = self._window, None
        if window is None or self._clock() >= window.until:
            raise Forbidden("No pairing is open.", hint="Run `vaultside pair` and send its code within two minutes.")
        if hmac.compare_digest(code.encode("utf-8", "replace"), window.code.encode()):
            return
        left = window.tries - 1
        if not left:
            raise Forbidden("The code is wrong; pairing is closed.", hint="Run `vaultside pair` for a new code.")
        self._window = PairingWindow(window.code, window.until, left)
        raise Forbidden("The code is wrong.", hint="Send the code that `vaultside pair` showed last.", tries_left=left)
