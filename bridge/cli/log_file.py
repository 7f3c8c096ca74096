"""The log of a bridge that nobody watches: for this user only, and never large."""

import asyncio
import os
import stat
from pathlib import Path

from bridge.private import make_private, unwritable

LIMIT = 2**20
"""Bytes after which it begins anew."""

LOOK_EVERY_S = 60.0


def open_log(path: Path) -> int:
    """Open a log at its end and return its descriptor.

    Raises:
        ReadOnly: It cannot be written.
        DiskFull: There is no room.
    """
    make_private(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise unwritable(path, error) from None
    shorten(descriptor)
    return descriptor


def shorten(descriptor: int) -> None:
    """Begin a log anew when it is large; what is no file has no end to it."""
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode) and facts.st_size > LIMIT:
        os.ftruncate(descriptor, 0)


async def keep_short(descriptor: int) -> None:
    """Look at a log now and then, for as long as it is written."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        shorten(descriptor)
