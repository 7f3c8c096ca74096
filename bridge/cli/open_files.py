"""Lets a bridge keep many files open."""

import contextlib
import sys

MOST = 10_240
"""What macOS permits; elsewhere it is more than enough, too."""


def permit_many() -> None:
    """Raise how many files this process may have open, where its user may.

    LanceDB keeps two files open of each index that was replaced, and an index is replaced every few hundred edits:
    the usual thousand lasts a busy bridge some weeks.
    """
    if sys.platform == "win32":
        return
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if most == resource.RLIM_INFINITY else min(MOST, most)
    if resource.RLIM_INFINITY not in {now, wanted} and now < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
