"""Waits until the index holds a note as it is on disk."""

import time

from bridge.engine.host import Host
from bridge.engine.inspection import IndexPart, is_indexed
from bridge.types import Digest, VaultPath

OPEN_LOOK_S = 0.05
LOOK_S = 1.0
"""Seconds between looks, for what no signal tells."""


async def wait_for_note(host: Host, path: VaultPath, digest: Digest | None, part: IndexPart, timeout: float) -> bool:
    """Wait until the index holds a note as it is on disk, or with this digest; it may be opened again meanwhile."""
    ends = time.monotonic() + timeout
    while host.known_names is None and time.monotonic() < ends:
        await host.signal.wait(OPEN_LOOK_S)
    if host.files.stat(path) is None and path not in host.vault.index.notes:
        raise host.vault.names.missing_error(path)
    if not is_indexed(host.vault.indexer, path, digest, part):
        await host.vault.indexer.look_at([path])
    while not is_indexed(host.vault.indexer, path, digest, part):
        left = ends - time.monotonic()
        if left <= 0:
            return False
        if part == "vectors":
            host.vault.backfill.hurry()
        await host.signal.wait(min(left, LOOK_S))
    return True
