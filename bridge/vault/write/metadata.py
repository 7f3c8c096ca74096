"""Gives a file that takes another's place what that one had beside its bytes: rights, owner, attributes, its day."""

import contextlib
import ctypes
import os
import stat
import sys

COPY_ACL_AND_XATTR = 0b101
"""COPYFILE_ACL | COPYFILE_XATTR of macOS."""


def copy_metadata(new: int, old: int) -> None:
    """Give an open file what another open file has, as far as the disk and the system let us.

    Where they do not, the new file is for the user alone. Windows gives it the folder's rights, and its name's day.
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
        # macOS puts the day that a file was made back when its time is set to an earlier one.
        os.utime(new, ns=(now, int(info.st_birthtime * 1_000_000_000)))
        os.utime(new, ns=(now, now))
    elif sys.platform == "linux":
        for name in attribute_names(old):
            with contextlib.suppress(OSError):
                os.setxattr(new, name, os.getxattr(old, name))


def set_new_file_metadata(new: int, folder: os.stat_result) -> None:
    """Give a new file the rights that its folder has: they are what the user's programs leave, whatever ours may.

    Its owner may always change it: a folder that nobody may write in does not keep those from it who may do all.
    """
    if os.name != "nt":
        with contextlib.suppress(OSError):
            os.fchmod(new, stat.S_IMODE(folder.st_mode) & 0o666 | 0o600)


def attribute_names(file: int) -> list[str]:
    """Return the names of an open file's extended attributes; none where the disk has no such thing."""
    try:
        return os.listxattr(file) if sys.platform == "linux" else []
    except OSError:
        return []
