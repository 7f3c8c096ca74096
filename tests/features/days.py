"""Days that do not end while a test runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from datetime import time as hour

import pytest


@contextmanager
def noon_of(day: date) -> Iterator[None]:
    """Live where it is about noon of a day that is today or has just ended."""
    ahead = datetime.combine(day, hour(12), UTC) - datetime.now(UTC)
    minutes = round(ahead.total_seconds() / 60)
    with pytest.MonkeyPatch.context() as changed:
        # Of a place to the east it says how far behind Greenwich is.
        changed.setenv("TZ", f"<noon>{'-' if minutes >= 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def noon() -> Iterator[None]:
    """Let it be noon of today."""
    with noon_of(datetime.now().astimezone().date()):
        yield
