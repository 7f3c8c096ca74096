"""Finds changes by polling, where the system does not notify of them."""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

from bridge.errors import VaultUnreadable
from bridge.vault.paths import is_hidden, nfc

EVERY_S = 1.0
SHARE = 10
"""At most one part in this many of the time is spent polling."""

REMOTE = {
    *("9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "lustre", "nfs", "nfs4", "smb2", "smb3", "smbfs"),
    *("fuse.davfs2", "fuse.gcsfuse", "fuse.grpcfuse", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse"),
    *("prl_fs", "vboxsf", "virtiofs"),
}
"""File systems that other computers write to without a notification here."""

Snapshot = Mapping[str, tuple[int, int, int, int]]


async def poll_changes(root: Path, stop: asyncio.Event) -> AsyncGenerator[frozenset[str], None]:
    """Yield an empty set after the first scan, then each set of changes, until stopped."""
    loop = asyncio.get_running_loop()
    before = await asyncio.to_thread(take_snapshot, root)
    yield frozenset()
    took = 0.0
    while not await wait_for_stop(stop, max(EVERY_S, SHARE * took)):
        start = loop.time()
        now = await asyncio.to_thread(take_snapshot, root)
        took = loop.time() - start
        changed = frozenset(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        before = now
        if changed:
            yield changed


def take_snapshot(root: Path) -> Snapshot:
    found: dict[str, tuple[int, int, int, int]] = {}
    rest = [("", os.fspath(root))]
    while rest:
        folder, place = rest.pop()
        try:
            with os.scandir(place) as listing:
                entries = list(listing)
        except OSError as error:
            if not folder:
                raise VaultUnreadable(f"The vault folder {root} cannot be read: {error.strerror}.") from None
            continue
        for entry in entries:
            if is_hidden(entry.name):
                continue
            path = nfc(f"{folder}/{entry.name}" if folder else entry.name)
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(info.st_mode):
                # A folder's own times change with every file in it, which is reported anyway.
                found[path] = (0, 0, 0, info.st_ino)
                rest.append((path, entry.path))
            else:
                found[path] = (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
    return found


async def wait_for_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Wait; return early, with true, when stopped."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return False
    return True


def is_network_mount(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Return whether other computers may write to a folder's file system; false when that is unknown."""
    try:
        device = root.stat().st_dev
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    name = f"{os.major(device)}:{os.minor(device)}"
    return any(line.split()[2] == name and line.partition(" - ")[2].split(" ")[0] in REMOTE for line in lines)
