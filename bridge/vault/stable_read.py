"""Reads a file while no program is saving it."""

import ctypes
import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bridge.errors import Busy
from bridge.types import VaultPath
from bridge.vault.paths import display_path
from bridge.vault.vault import Vault

REMOTE_TYPES = {0x6969, 0x517B, 0xFF534D42, 0xFE534D42}
"""The file system types of NFS, and of SMB in its three versions."""

if sys.platform == "linux":
    import fcntl

    def take_lease(descriptor: int) -> bool | None:
        """Take a lease; False when a program has the file open for writing, None when the system cannot tell."""
        try:
            # The signal about a waiting program must be one that does nothing; the usual one ends the process.
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return False if error.errno == errno.EAGAIN and not is_remote(descriptor) else None
        return True

    def is_remote(descriptor: int) -> bool:
        """Return whether a file is on another machine, which may refuse a lease although no program is writing."""
        buffer = ctypes.create_string_buffer(256)
        if ctypes.CDLL(None).fstatfs(descriptor, buffer) != 0:
            return True
        return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF in REMOTE_TYPES

    def is_lease_kept(descriptor: int) -> bool:
        """Return whether a lease is unbroken: no program waits to write the file."""
        return bool(fcntl.fcntl(descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK)

    def end_lease(descriptor: int) -> None:
        """End a lease, so that other programs can write the file."""
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)

else:

    def take_lease(_descriptor: int) -> bool | None:
        return None

    def is_remote(_descriptor: int) -> bool:
        return False

    def is_lease_kept(_descriptor: int) -> bool:
        return False

    def end_lease(_descriptor: int) -> None:
        """Do nothing: there is no lease."""


PATIENCE_S = 2.0
"""Seconds to wait for a save before a change of the file is refused."""
LOOK_AGAIN_S = 0.01
QUIET_S = 0.15
"""Seconds after a save in which another part may follow, where the system does not show who writes."""
EMPTY_S = 1.0
"""The same for an emptied file: programs that save in place empty it first."""
SHRINKAGE = 2
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
    seems_cut = not info.st_size or (not leased and size_before is not None and info.st_size * SHRINKAGE < size_before)
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
