"""Uses the leases of Linux, which show whether a program has a file open for writing, and delay one that opens it.

A lease is taken on a file that is open for reading, and ends when the descriptor is closed. While it lasts, a program
that opens the file for writing, or truncates it, waits.
"""

import ctypes
import errno
import signal
import sys

REMOTE = {0x6969, 0x517B, 0xFF534D42, 0xFE534D42}
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
        return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF in REMOTE

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
