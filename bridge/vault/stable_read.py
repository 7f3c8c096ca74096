"""Reads a file while no program is saving it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bridge.errors import Busy
from bridge.types import VaultPath
from bridge.vault.lease import end_lease, take_lease
from bridge.vault.paths import display_path
from bridge.vault.vault import Vault

PATIENCE_S = 2.0
"""Seconds to wait for a save before a change of the file is refused."""
LOOK_AGAIN_S = 0.01
QUIET_S = 0.15
"""Seconds after a save in which another part may follow, where the system does not show who writes."""
EMPTY_S = 1.0
"""The same for an emptied file: programs that save in place empty it first."""
SHRUNK = 2
"""How many times smaller than before a file must be to seem half written."""


def read_settled(
    vault: Vault, path: VaultPath, is_ours: Callable[[os.stat_result], bool], size_before: int | None
) -> bytes:
    """Return a file's bytes when no program is saving it, after a short wait if needed."""
    end = time.monotonic() + PATIENCE_S
    while True:
        with vault.open(path) as descriptor, delay_saves(descriptor, is_ours, size_before) as wait:
            if not wait:
                return vault.read_open(path, descriptor)[0]
        if time.monotonic() + LOOK_AGAIN_S > end:
            raise being_saved_error(path)
        time.sleep(min(wait, LOOK_AGAIN_S))


@contextmanager
def delay_saves(descriptor: int, is_ours: Callable[[os.stat_result], bool], size_before: int | None) -> Iterator[float]:
    """Delay saves of a file that other programs begin during the block, where the system has leases."""
    info = os.fstat(descriptor)
    leased = take_lease(descriptor)
    yield LOOK_AGAIN_S if leased is False else _quiet_left(info, bool(leased), is_ours, size_before)
    if leased:
        end_lease(descriptor)


def _quiet_left(
    info: os.stat_result, leased: bool, is_ours: Callable[[os.stat_result], bool], size_before: int | None
) -> float:
    """Return for how many seconds another part of a save may follow."""
    quiet = 0.0 if leased or is_ours(info) else QUIET_S
    seems_cut = not info.st_size or (not leased and size_before is not None and info.st_size * SHRUNK < size_before)
    if seems_cut and not is_ours(info):
        quiet = EMPTY_S
    age = time.time() - info.st_mtime
    # A time far in the future was set by hand, or by another clock.
    return max(quiet - age, 0) if age > -EMPTY_S else 0


def being_saved_error(path: str) -> Busy:
    return Busy(
        f"Another program has `{display_path(path)}` open for writing.",
        hint="Try again in a moment, once it has saved the file; nothing was written.",
        path=path,
    )
