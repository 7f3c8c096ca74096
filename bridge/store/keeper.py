"""A thread that writes what can wait a moment, and looks after the file once a day."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from bridge.errors import BridgeError
from bridge.store.calls import Recorded

log = logging.getLogger(__name__)

GATHER_S = 0.5
"""Seconds that calls are gathered before they are written: what a crash can cost."""

LOOK_EVERY_S = 3_600.0
"""Seconds between looks at what is due once a day."""

WAITING = 10_000
"""Calls that wait at most while the disk takes none; the oldest are lost first."""


class Keeper:
    """Takes calls at once and writes them in batches."""

    def __init__(self, write: Callable[[list[Recorded]], None], tidy: Callable[[], None]) -> None:
        """Start the thread.

        Args:
            write: Writes a batch.
            tidy: Does what is due.
        """
        self._write = write
        self._tidy = tidy
        self._waiting: deque[Recorded] = deque(maxlen=WAITING)
        self._news = threading.Event()
        self._end = threading.Event()
        self._hurried = threading.Event()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)
        self._thread.start()

    def take(self, call: Recorded) -> None:
        """Take a call; returns at once."""
        self._waiting.append(call)
        self._news.set()

    def hurry(self) -> None:
        """Have the file looked after soon; returns at once."""
        self._hurried.set()
        self._news.set()

    def flush(self) -> None:
        """Write what waits.

        Raises:
            BridgeError: The disk does not take it; it waits on.
        """
        with self._writing:
            batch = []
            while self._waiting:
                batch.append(self._waiting.popleft())
            try:
                if batch:
                    self._write(batch)
            except BridgeError:
                self._waiting.extendleft(reversed(batch))
                raise

    def stop(self) -> None:
        """Write what waits, as far as the disk takes it, and end."""
        self._end.set()
        self._news.set()
        self._thread.join()
        self._try(self.flush, "")

    def _run(self) -> None:
        """Tidy, then write whenever there is something and tidy now and then, until told to end."""
        trouble, due = "", 0.0
        while not self._end.is_set():
            if self._hurried.is_set() or time.monotonic() >= due:
                self._hurried.clear()
                trouble, due = self._try(self._tidy, trouble), time.monotonic() + LOOK_EVERY_S
            if self._news.wait(LOOK_EVERY_S):
                self._news.clear()
                self._end.wait(GATHER_S)
                trouble = self._try(self.flush, trouble)

    def _try(self, work: Callable[[], None], trouble: str) -> str:
        """Do something that may fail; a trouble that lasts is told once."""
        try:
            work()
        except BridgeError as error:
            if error.code != trouble:
                log.warning("What was called is not written now: %s", error.code)
            return error.code
        return ""
