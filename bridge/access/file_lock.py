"""Lets one process at a time change a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a file's lock for a block; the system releases it when the process ends, even in a crash.

    Raises:
        OSError: The lock file beside it is not writable.
    """
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":

    def wait_for_lock(descriptor: int) -> None:
        """Lock the first byte; give up after ten seconds."""
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:

    def wait_for_lock(descriptor: int) -> None:
        """Lock the file."""
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
