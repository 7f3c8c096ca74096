"""Runs a coroutine and exits once its result is printed, whatever threads and processes still compute."""

import asyncio
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from bridge.cli.console import log_warnings

T = TypeVar("T")

THREADS = "computing"
THREADS_AT_MOST = 32
"""Most calls are for a moment in a thread; where there are as few as a machine has cores, these wait for long ones."""

COMPUTES_S = 0.0005
"""Seconds for which a thread computes while others wait for their turn, a tenth of what Python gives it.

The event loop waits for its turn after each system call: beside a few calls that compute for long, all other answers
would take seconds, and so would a stop.
"""

THREADS_GET_S = 0.3
"""Seconds that threads get to end; what they compute is derived and can be computed again."""


_COMPUTATION = threading.Event()
"""Whether anything was computed here: what else runs in a process that only imports this is not its own."""


class Threads(ThreadPoolExecutor):
    """Threads that are not waited for when the loop closes, since the result must be printed first."""

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:  # noqa: ARG002
        """Accept no more work."""
        super().shutdown(wait=False, cancel_futures=True)


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result; warnings are logged on standard error."""
    log_warnings()
    _COMPUTATION.set()
    # Python's resource tracker cleans up after killed processes; its warning about that is of no use.
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    sys.setswitchinterval(COMPUTES_S)
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(Threads(THREADS_AT_MOST, THREADS))
        return runner.run(work)


def leave(status: int) -> int:
    """Return the exit status once all output is printed; exits at once if something would delay that."""
    if _COMPUTATION.is_set() and (end_children() or not join_threads(THREADS_GET_S)):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def end_children() -> bool:
    """Kill the processes that still read notes, and say whether there were any.

    The interpreter would wait for their tasks, and forever if one ended in the middle of a result.
    """
    children = multiprocessing.active_children()
    for child in children:
        child.kill()
    return bool(children)


def join_threads(patience: float) -> bool:
    until = time.monotonic() + patience
    ours = [thread for thread in threading.enumerate() if thread.name.startswith(THREADS)]
    for thread in ours:
        thread.join(max(0.0, until - time.monotonic()))
    return not any(thread.is_alive() for thread in ours)
