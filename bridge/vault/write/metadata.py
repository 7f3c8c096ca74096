"""Copies the metadata of a file that is replaced: permissions, owner, attributes, creation date."""

import contextlib
import ctypes
import os
import stat
import sys

COPY_ACL_AND_XATTR = 0b101
"""COPYFILE_ACL | COPYFILE_XATTR of macOS."""


def copy_metadata(new: int, old: int) -> None:
    """Copy metadata from one open file to another, as far as the disk and the system allow.

    Where they do not, the new file is readable by the user only. On Windows it inherits the folder's permissions, and
    the creation date of its name.
    """
    if os.name == "nt":
        return
    info = os.fstat(old)
    with contextlib.suppress(OSError):
        os.fchown(new, info.st_uid, info.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(new, stat.S_IMODE(info.st_mode))
    if sys.platform == "darwin":
        ctypes.CDLL(None).fcopyfile(old, new, None, COPY_ACL_AND_XATTR)
        now = os.fstat(new).st_mtime_ns
        # macOS moves the creation date back when the time is set to an earlier one.
        os.utime(new, ns=(now, int(info.st_birthtime * 1_000_000_000)))
        os.utime(new, ns=(now, now))
    elif sys.platform == "linux":
        for name in attribute_names(old):
            with contextlib.suppress(OSError):
                os.setxattr(new, name, os.getxattr(old, name))


def set_new_file_metadata(new: int, folder: os.stat_result) -> None:
    """Give a new file the permissions of its folder, as the user's programs would, regardless of our umask.

    Its owner can always write it, even if the folder is read-only.
    """
    if os.name != "nt":
        with contextlib.suppress(OSError):
            os.fchmod(new, stat.S_IMODE(folder.st_mode) & 0o666 | 0o600)


def attribute_names(file: int) -> list[str]:
    try:
        return os.listxattr(file) if sys.platform == "linux" else []
    except OSError:
        return []
