"""Creates, replaces and locks files and folders that only this user can read."""

import contextlib
import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bridge.errors import DiskFull, ReadOnly

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def write_private(path: Path, data: bytes) -> None:
    """Write a file atomically, even across a crash, readable by the user only."""
    with replace_file(path) as file:
        file.write(data)


@contextlib.contextmanager
def replace_file(path: Path, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of another at the end of the block, as `write_private` does.

    Without `sync` the caller syncs its folder.
    """
    try:
        # Two processes may write at once, so that each needs a temporary file of its own.
        descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                sync_file(file.fileno())
            Path(draft).replace(path)
            if sync:
                sync_folder(path.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)  # noqa: PTH108
            raise
    except OSError as error:
        raise write_error(path, error) from None


def move_into_place(draft: Path, place: Path) -> None:
    """Move a finished, synced file to its place atomically."""
    draft.replace(place)
    sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to the disk; Windows does this by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


def sync_file(descriptor: int) -> None:
    """Sync an open file to the disk itself, and not only to its cache, where macOS leaves it."""
    if sys.platform == "darwin":
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise write_error(folder, error) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ReadOnly(f"{folder} is not writable.")


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file for a block, waiting for other processes; it is created if absent."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock_file(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def lock_file(descriptor: int, *, wait: bool) -> None:
    """Lock an open file until it is closed; the system releases it when the process ends, even in a crash."""
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(path: Path) -> bool:
    """Return whether somebody holds the lock of a file, which others who ask at the same moment do not."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if sys.platform == "win32":
            lock_file(descriptor, wait=False)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def write_error(path: Path, error: OSError) -> ReadOnly | DiskFull:
    """Translate the system's error for a place that must be written."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(f"The disk is full: no space for {path}.")
    return ReadOnly(f"{path} cannot be written: {error.strerror}.")


def modified_at(file: Path) -> float:
    """Return when a file was modified, in seconds since 1970; 0 if it is missing."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def file_stamp(path: Path) -> tuple[int, ...] | None:
    """Return what tells whether a file is still the same, as written; None if it is missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode


def delete_drafts(path: Path) -> None:
    """Delete what crashes in the midst of `write_private` left beside a file."""
    for draft in path.parent.glob(f".{path.name}.*"):
        draft.unlink(missing_ok=True)
