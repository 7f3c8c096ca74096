"""Writes calls in batches and runs the maintenance of the state, in a thread of its own."""

import logging
import threading
import time
from collections.abc import Callable

from bridge.errors import BridgeError
from bridge.state.call_log import CallLog

log = logging.getLogger(__name__)

GATHER_S = 0.5
"""Seconds for which calls are gathered before a write; a crash can lose this much."""

LOOK_EVERY_S = 3_600.0
"""Seconds between checks for daily maintenance."""


class BackgroundWriter:
    """The thread that writes what waits."""

    def __init__(self, calls: CallLog, tidy: Callable[[], None]) -> None:
        """Prepare the thread."""
        self._calls = calls
        self._tidy = tidy
        self._end = threading.Event()
        self._urgent = threading.Event()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def start(self) -> None:
        """Start the thread, which runs the maintenance at once."""
        self._thread.start()

    def hurry(self) -> None:
        """Request maintenance soon; returns at once."""
        self._urgent.set()
        self._calls.arrival.set()

    def stop(self) -> None:
        """Write the waiting calls, as far as the disk accepts them, and end."""
        self._end.set()
        self._calls.arrival.set()
        self._thread.join()
        self._try(self._calls.flush, "")

    def _run(self) -> None:
        """Run maintenance, then write calls as they come and repeat the maintenance periodically, until stopped."""
        trouble, due = "", 0.0
        while not self._end.is_set():
            if self._urgent.is_set() or time.monotonic() >= due:
                self._urgent.clear()
                trouble, due = self._try(self._tidy, trouble), time.monotonic() + LOOK_EVERY_S
            if self._calls.arrival.wait(LOOK_EVERY_S):
                self._calls.arrival.clear()
                self._end.wait(GATHER_S)
                trouble = self._try(self._calls.flush, trouble)

    def _try(self, work: Callable[[], None], trouble: str) -> str:
        """Run work that may fail; a lasting error is logged once."""
        try:
            work()
        except BridgeError as error:
            if error.code != trouble:
                log.warning("What was called is not written now: %s", error.code)
            return error.code
        return ""
