"""Reports what changes in a vault, once it has settled."""

import asyncio
import logging
import os
import stat
import sys
import threading
from asyncio import Event
from collections.abc import AsyncGenerator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

from bridge.errors import VaultUnreadable
from bridge.text.fold import nfc
from bridge.vault.open_file import relative_path
from bridge.vault.paths import is_hidden, is_utf8

STEP_MS = 30
"""A change is reported after this long without another one."""
MAX_STEP_MS = 200
"""Changes in an unbroken series are reported after this long."""
LATE_MS = 100
"""How long a change may take on a busy machine from the system to the thread that collects it."""
ADDITION = 1
"""The code in `watchfiles` for a new file or folder."""
WATCH_TRIES = 3

EACH_FOLDER = sys.platform == "linux"
"""inotify watches single folders, and `watchfiles` would follow links out of the vault, and enter hidden folders."""


class WatchUnavailable(Exception):
    """The system cannot notify of changes."""


class StopSignal:
    """Ends the listening thread when the caller stops or leaves."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._left = threading.Event()

    def is_set(self) -> bool:
        return self._left.is_set() or self._stop.is_set()

    def leave(self) -> None:
        """End, regardless of the caller's event."""
        self._left.set()


class Notifier:
    """Collects the system's notifications; used from one thread."""

    def __init__(self, root: Path, ending: StopSignal, *, each_folder: bool = EACH_FOLDER) -> None:
        self._root, self._ending, self._each_folder = root, ending, each_folder
        self._identity = device_and_inode(root)
        self._top = os.path.realpath(root)
        self._folders: list[str] = []
        self._notify: Any = None
        self._settled = False
        self._tune()

    def listen(self, timeout_ms: int) -> set[str] | None:
        """Wait for changes."""
        events = self._ask(self._notify, MAX_STEP_MS, STEP_MS, timeout_ms)
        if events is None:
            return None
        if device_and_inode(self._root) != self._identity:
            raise VaultUnreadable(f"The vault folder {self._root} was replaced by another folder.")
        if self._each_folder and (
            not self._settled or any(kind == ADDITION and is_real_folder(path) for kind, path in events)
        ):
            events |= self._tune_again()
        return visible_paths(self._top, (path for _, path in events))

    def close(self) -> None:
        self._notify.close()

    def _tune(self) -> None:
        # `watchfiles.awatch` is built on this. With direct calls, each can wait for another quiet time, the caller
        # learns when watching has begun, and folders can be watched one by one.
        from watchfiles._rust_notify import RustNotify

        for _ in range(WATCH_TRIES):
            folders = folders_of(self._top) if self._each_folder else [self._top]
            try:
                # The last argument would ignore missing rights, but missing watches too.
                self._notify = RustNotify(folders, False, False, 0, not self._each_folder, False)
            except (FileNotFoundError, PermissionError):
                device_and_inode(self._root)
                continue
            except (OSError, RuntimeError) as error:
                raise WatchUnavailable(error_reason(error)) from error
            self._folders = folders
            # A folder that was made while its parent was not watched yet is not reported.
            self._settled = not self._each_folder or folders_of(self._top) == folders
            if self._settled:
                return
        if self._notify is None:
            raise WatchUnavailable("its folders change too fast")

    def _tune_again(self) -> set[tuple[int, str]]:
        """Watch new folders too, and return the changes reported meanwhile, including the new folders."""
        before, folders = self._notify, set(self._folders)
        self._settled = False
        self._tune()
        late: set[tuple[int, str]] = set()
        if self._notify is not before:
            # What happened just before the new one listened is told to this one only, and nothing would look for it.
            late = self._ask(before, MAX_STEP_MS, STEP_MS, LATE_MS) or late
            before.close()
        return late | {(ADDITION, folder) for folder in set(self._folders) - folders}

    def _ask(self, notify: Any, longest_ms: int, step_ms: int, timeout_ms: int) -> set[tuple[int, str]] | None:
        try:
            events = notify.watch(longest_ms, step_ms, timeout_ms, self._ending)
        except (OSError, RuntimeError) as error:
            raise WatchUnavailable(error_reason(error)) from error
        if events == "stop":
            return None
        return events if isinstance(events, set) else set()


def error_reason(error: Exception) -> str:
    """Return what went wrong without the folder's path, which must not be logged."""
    return str(error).partition(" about [")[0].partition(":")[0].partition(' "')[0]


def folders_of(top: str) -> list[str]:
    """Return a folder and those below it that can be listed and are watched, without following links; sorted."""
    found, rest = [], [top]
    while rest:
        place = rest.pop()
        try:
            with os.scandir(place) as listing:
                rest += [e.path for e in listing if e.is_dir(follow_symlinks=False) and is_watched(e.name)]
        except OSError:
            continue
        found.append(place)
    return sorted(found)


def is_watched(name: str) -> bool:
    """Return whether a folder is watched: hidden folders and those with invalid Unicode names are never read."""
    return is_utf8(name) and not is_hidden(nfc(name))


def is_real_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def device_and_inode(root: Path) -> tuple[int, int]:
    try:
        info = root.stat()
    except OSError as error:
        raise VaultUnreadable(f"The vault folder {root} cannot be read: {error.strerror}.") from None
    return info.st_dev, info.st_ino


def visible_paths(top: str, paths: Iterable[str]) -> set[str]:
    inside = (relative_path(top, path) for path in paths)
    return {nfc(path) for path in inside if path is not None and not is_hidden(path)}


EVERY_S = 1.0
PAUSE_FACTOR = 10
"""At most one part in this many of the time is spent polling."""

REMOTE_SYSTEMS = {
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
    while not await wait_for_stop(stop, max(EVERY_S, PAUSE_FACTOR * took)):
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
    return any(line.split()[2] == name and line.partition(" - ")[2].split(" ")[0] in REMOTE_SYSTEMS for line in lines)


log = logging.getLogger(__name__)

MAX_SINGLE_PATHS = 32
"""More paths than this at once are a burst, such as by Git, a sync program or a moved folder."""
QUIET_MS = 120
"""A burst is reported after this long without a change …"""
MAX_BURST_S = 1.5
"""… or after this long."""
HEARTBEAT_MS = 1000
"""How often a silent vault is checked for its existence."""
OVERFLOW_PATHS = 4000
"""With this many paths in one set, the system may have dropped some, so the whole vault is included."""


async def watch(root: Path, mode: Literal["auto", "poll"], stop: asyncio.Event) -> AsyncGenerator[frozenset[str], None]:
    """Yield the changed paths, in settled sets, until stopped; hidden files are left out.

    The first set is empty: from then on no change is missed. A set holds paths of files and folders relative to the
    vault; `Vault.look` finds out what happened to them. The empty path means the whole vault: some change may have been
    missed.
    """
    has_begun = False
    if mode == "auto" and not is_network_mount(root):
        try:
            async with aclosing(_watch_notifications(root, stop)) as notifications:
                async for changed in notifications:
                    has_begun = True
                    yield changed
        except WatchUnavailable as error:
            log.warning("The system cannot tell of changes (%s): the vault is polled instead", error)
        else:
            return
    async with aclosing(poll_changes(root, stop)) as polled:
        async for changed in polled:
            # Between the two watchers, changes may have been missed.
            yield frozenset({""}) if has_begun and not changed else changed


async def _watch_notifications(root: Path, stop: asyncio.Event) -> AsyncGenerator[frozenset[str], None]:
    loop = asyncio.get_running_loop()
    ending = StopSignal(stop)
    # A thread of its own: a few vaults would use up the loop's shared threads.
    thread = ThreadPoolExecutor(1, thread_name_prefix="watch")
    ear: Notifier | None = None
    try:
        ear = await loop.run_in_executor(thread, Notifier, root, ending)
        yield frozenset()
        while (events := await loop.run_in_executor(thread, ear.listen, HEARTBEAT_MS)) is not None:
            changed = set(events)
            until = loop.time() + MAX_BURST_S
            while len(changed) > MAX_SINGLE_PATHS and loop.time() < until:
                if not (events := await loop.run_in_executor(thread, ear.listen, QUIET_MS)):
                    break
                changed |= events
            if changed:
                yield frozenset(changed | {""} if len(changed) >= OVERFLOW_PATHS else changed)
    finally:
        ending.leave()
        if ear:
            thread.submit(ear.close)
        thread.shutdown(wait=False)
