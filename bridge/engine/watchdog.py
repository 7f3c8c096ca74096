"""Opens the index, and notices what goes wrong with it: a folder that was deleted under a running bridge, a fault."""

import asyncio
import logging
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Never

from bridge.errors import BridgeError, IndexUnusable, NotReady

if TYPE_CHECKING:
    from bridge.index.index import Index

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
PARTS = ("", "notes.lance", "passages.lance")


def open_index(folder: Path, keep_days: int, doubt: Exception | None) -> "Index":
    """Open an index; blocks, and loads LanceDB the first time."""
    from bridge.index.index import Index

    return Index.open(folder, keep_days=keep_days, doubt=doubt)


async def watch_index(index: "Index", folder: Path) -> Never:
    """Look at an index now and then, until it cannot be used any more.

    Raises:
        IndexUnusable: Its folder is gone, or another one, or a search met damage.
    """
    opened = await asyncio.to_thread(folder_identity, folder)
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if index.damaged:
            raise IndexUnusable(f"The index in `{folder}` is damaged.", hint="It is built again now.")
        if await asyncio.to_thread(folder_identity, folder) != opened:
            raise IndexUnusable(f"The index in `{folder}` was deleted or replaced.", hint="It is built again now.")


def folder_identity(folder: Path) -> tuple[int | None, ...]:
    """Return what tells a folder and its tables from others of their names."""
    return tuple(inode_of(folder / part) for part in PARTS)


def inode_of(path: Path) -> int | None:
    """Return the number of a file or folder on its disk; None when there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def log_failure(fault: Exception) -> BridgeError:
    """Log why following broke off, without a word of any note, and return it as an error."""
    errors = fault.exceptions if isinstance(fault, ExceptionGroup) else (fault,)
    known = [error for error in errors if isinstance(error, BridgeError)]
    for error in errors:
        place = traceback.extract_tb(error.__traceback__)[-1:]
        where = "".join(f" at {Path(frame.filename).name}:{frame.lineno}" for frame in place)
        log.warning("The vault is not followed: %s", error.code if error in known else f"{type(error).__name__}{where}")
    if known:
        return known[0]
    # LanceDB's errors are of these classes: the index may be damaged.
    kind = IndexUnusable if isinstance(errors[0], OSError | RuntimeError | ValueError) else NotReady
    return kind("Indexing broke off and is begun again.", hint=NotReady.hint)
