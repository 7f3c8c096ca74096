"""Opens the index, and watches it for damage or deletion."""

import asyncio
import logging
import traceback
from pathlib import Path
from typing import Never

from bridge.errors import BridgeError, IndexUnusable, NotReady
from bridge.index.index import Index
from bridge.index.library import load_lancedb

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
PARTS = ("", "notes.lance", "passages.lance")


def open_index(folder: Path, keep_days: int, doubt: Exception | None) -> Index:
    """Open an index without its vectors, which are loaded later; blocks, and loads LanceDB the first time."""
    return Index.open(folder, keep_days=keep_days, doubt=doubt, load_vectors=False)


async def watch_index(index: Index, folder: Path) -> Never:
    """Check an index periodically, until it becomes unusable."""
    opened = await asyncio.to_thread(folder_identity, folder)
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        # Now and not with the first change, which would be found later; it slows searches down for a second.
        if index.searches.is_pausing:
            await asyncio.to_thread(load_lancedb)
        if index.is_damaged:
            raise IndexUnusable(f"The index in `{folder}` is damaged.", hint="It is being rebuilt.")
        if await asyncio.to_thread(folder_identity, folder) != opened:
            raise IndexUnusable(f"The index in `{folder}` was deleted or replaced.", hint="It is being rebuilt.")


def folder_identity(folder: Path) -> tuple[int | None, ...]:
    return tuple(inode_of(folder / part) for part in PARTS)


def inode_of(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def log_failure(fault: Exception) -> BridgeError:
    """Log why following the vault failed, without any note content, and return it as an error."""
    errors = fault.exceptions if isinstance(fault, ExceptionGroup) else (fault,)
    bridge_errors = [error for error in errors if isinstance(error, BridgeError)]
    for error in errors:
        log.warning("The vault is not followed: %s", describe_failure(error))
    if bridge_errors:
        return bridge_errors[0]
    # LanceDB's errors have these classes, so the index may be damaged.
    kind = IndexUnusable if isinstance(errors[0], OSError | RuntimeError | ValueError) else NotReady
    return kind("Indexing broke off and is begun again.", hint=NotReady.hint)


def describe_failure(error: Exception) -> str:
    """Return what failed and where, without any note content."""
    if isinstance(error, BridgeError):
        return error.code
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" at {Path(frame.filename).name}:{frame.lineno}" for frame in place)
