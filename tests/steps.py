"""Count what this thread does, where a time would depend on the machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def count_calls(file: str = "") -> Iterator[list[int]]:
    """Count the calls, of built-in functions too, that this thread makes in a file; the list has their number."""
    calls = [0]

    def count(frame: FrameType, event: str, _given: object) -> None:
        calls[0] += event in ("call", "c_call") and frame.f_code.co_filename.endswith(file)

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
