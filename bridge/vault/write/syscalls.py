"""Makes all system calls of the writer, in one place where a test can intercept them."""

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from threading import Thread
from typing import TypeVar

from send2trash import send2trash

from bridge.private_files import sync_file
from bridge.vault.stable_read import end_lease, is_lease_kept, take_lease

RENAME_NEW, RENAME_SWAP = (4, 2) if sys.platform == "darwin" else (1, 2)
"""The flags of `renameatx_np` of macOS and of `renameat2` of Linux."""
MISSING_CALLS = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}
"""Errors of a system without such a rename, at all or for this disk."""
AT_FDCWD = -2 if sys.platform == "darwin" else -100
"""AT_FDCWD: names are whole paths."""
MAX_THREADS = 16
"""Threads that wait for the disk at once."""

T = TypeVar("T")

Rename = Callable[[int, bytes, int, bytes, int], int]


def rename_new(source: str, target: str, *, source_folder: int | None = None, target_folder: int | None = None) -> None:
    if rename_with_flag(source, target, source_folder, target_folder, RENAME_NEW):
        return
    if os.name == "nt":
        # On Windows a plain rename never overwrites.
        os.rename(source, target)  # noqa: PTH104
        return
    try:
        os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # A folder, or a disk without hard links: between this check and the rename another program may take the name.
        if has_name(target, target_folder):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
    else:
        unlink_old_name(source, target, source_folder, target_folder)


def unlink_old_name(source: str, target: str, source_folder: int | None, target_folder: int | None) -> None:
    try:
        os.unlink(source, dir_fd=source_folder)
    except OSError:
        os.unlink(target, dir_fd=target_folder)
        raise


def exchange(one: str, other: str, *, folder: int | None = None) -> bool:
    """Swap two files of a folder atomically; return False where the system cannot."""
    return rename_with_flag(one, other, folder, folder, RENAME_SWAP)


def rename_with_flag(source: str, target: str, source_folder: int | None, target_folder: int | None, flag: int) -> bool:
    """Rename with a flag; return False where the system cannot."""
    if _rename is None:
        return False
    ctypes.set_errno(0)
    folders = [AT_FDCWD if folder is None else folder for folder in (source_folder, target_folder)]
    if _rename(folders[0], os.fsencode(source), folders[1], os.fsencode(target), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in MISSING_CALLS:
        return False
    raise OSError(code, os.strerror(code))


def has_name(name: str, folder: int | None) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def load_rename() -> Rename | None:
    if os.name == "nt":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if call is None:
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    renaming: Rename = call
    return renaming


_rename = load_rename()


def has_trash(root: Path) -> bool:
    """Return whether the system has a trash for a folder that the user can find.

    On Linux a desktop makes it in the user's home; where there is none, the user would not look there.
    """
    if sys.platform in {"darwin", "win32"}:
        return True
    place = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "Trash")
    try:
        return place.is_dir() and place.stat().st_dev == root.stat().st_dev
    except OSError:
        return False


def move_to_trash(path: str) -> None:
    send2trash(path)


def sync_together(descriptors: Collection[int]) -> None:
    """Sync open files or folders to the disk, which then writes its own journal once for many of them."""
    do_together(sync_file, descriptors)


def close_together(descriptors: Collection[int]) -> None:
    """Close files; errors are ignored.

    A disk may take milliseconds for each file that has no name any more, and no longer for several at once.
    """

    def close(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            os.close(descriptor)

    do_together(close, descriptors)


def do_together(work: Callable[[T], None], items: Collection[T]) -> None:
    """Do work for each item in threads, all of it before this returns; the first error is raised then."""
    left = iter(tuple(items))
    errors: list[Exception] = []

    def work_off() -> None:
        # Every thread takes the next one; a task for each would cost more than most of them take.
        for item in left:
            try:
                work(item)
            except Exception as error:  # noqa: BLE001 - raised below
                errors.append(error)

    threads = [Thread(target=work_off, name="disk") for _ in range(min(MAX_THREADS, len(items)) - 1)]
    for thread in threads:
        thread.start()
    work_off()
    for thread in threads:
        thread.join()
    for error in errors[:1]:
        raise error


class SystemCalls:
    """The system calls; names are relative to a folder held open, where the system can hold folders open."""

    open = staticmethod(os.open)
    close = staticmethod(os.close)
    read = staticmethod(os.read)
    write = staticmethod(os.write)
    close_together = staticmethod(close_together)
    fsync = staticmethod(sync_file)
    sync_together = staticmethod(sync_together)
    fstat = staticmethod(os.fstat)
    stat = staticmethod(os.stat)
    listdir = staticmethod(os.listdir)
    mkdir = staticmethod(os.mkdir)
    rmdir = staticmethod(os.rmdir)
    unlink = staticmethod(os.unlink)
    replace = staticmethod(os.replace)
    rename = staticmethod(os.rename)
    rename_new = staticmethod(rename_new)
    exchange = staticmethod(exchange)
    throw_away = staticmethod(move_to_trash)
    take_lease = staticmethod(take_lease)
    is_lease_kept = staticmethod(is_lease_kept)
    end_lease = staticmethod(end_lease)
