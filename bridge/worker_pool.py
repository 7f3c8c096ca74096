"""Processes that run functions, and end with the process that started them, however that ends."""

import gc
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

GRACE_S = 10.0
"""Seconds for which a process may still work after it was told to stop."""

OBJECTS_A_COLLECTION = 100_000
"""New objects after which a process collects garbage: results are many objects, and hardly any are garbage."""

_process = threading.local()


class WorkerPool:
    """Some processes, each started when it is first needed.

    Each watches a pipe whose other end only their owner has: it closes when the owner lets go or is killed. An event
    would need a lock, which a killed process may hold for ever.
    """

    def __init__(self, processes: int) -> None:
        # Spawned, never forked: LanceDB's threads do not survive a fork.
        spawn = multiprocessing.get_context("spawn")
        self._watched, self._held = spawn.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(processes, spawn, set_up_process, (self._watched,))

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a module-level function; its arguments and result are pickled."""
        return self._executor.submit(work, *args, **kwargs)

    def end(self) -> None:
        """End the processes without waiting; unfinished work is lost."""
        self._held.close()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._watched.close()


def set_up_process(watched: Connection) -> None:
    """Have this process end soon after the other end of a pipe is closed, and rarely collect garbage."""
    gc.freeze()
    gc.set_threshold(OBJECTS_A_COLLECTION)
    _process.stopping = threading.Event()
    threading.Thread(target=_end_with_owner, args=(watched, _process.stopping), daemon=True).start()


def is_stopping() -> bool:
    """Return whether this process was told to stop; other work than a pool's never is."""
    stopping: threading.Event | None = getattr(_process, "stopping", None)
    return stopping is not None and stopping.is_set()


def _end_with_owner(watched: Connection, stopping: threading.Event) -> None:
    with suppress(OSError):
        watched.poll(None)
    stopping.set()
    time.sleep(GRACE_S)
    os._exit(1)
