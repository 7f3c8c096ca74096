"""Runs a coroutine, and leaves when there is nothing more to say, whatever threads and processes still compute."""

import asyncio
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

THREADS = "computing"
THREADS_GET_S = 0.3
"""Seconds that threads get to end; what they compute is derived and can be computed again."""


class Threads(ThreadPoolExecutor):
    """Threads that nobody waits for when the loop closes: who ran it has its answer to print first."""

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:  # noqa: ARG002
        """Take no more work."""
        super().shutdown(wait=False, cancel_futures=True)


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end and return the result."""
    # Python's own tracker cleans up after processes that were ended; that it did is nobody's concern.
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(Threads(thread_name_prefix=THREADS))
        return runner.run(work)


def leave(status: int) -> int:
    """Return the exit status once all is printed; leaves the process when something would hold it back."""
    if end_children() or not join_threads(THREADS_GET_S):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def end_children() -> bool:
    """End processes that still read notes, and say whether there were any.

    The interpreter would wait for what they were given; and for ever, when one ends in the middle of an answer.
    """
    children = multiprocessing.active_children()
    for child in children:
        child.kill()
    return bool(children)


def join_threads(patience: float) -> bool:
    """Wait for our threads, but not for long."""
    until = time.monotonic() + patience
    ours = [thread for thread in threading.enumerate() if thread.name.startswith(THREADS)]
    for thread in ours:
        thread.join(max(0.0, until - time.monotonic()))
    return not any(thread.is_alive() for thread in ours)
