"""Receives the system's notifications about a vault's folders only."""

import os
import stat
import sys
import threading
from asyncio import Event
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bridge.errors import VaultUnreadable
from bridge.vault.open_file import relative_path
from bridge.vault.paths import is_hidden, is_utf8, nfc

STEP_MS = 30
"""A change is reported after this long without another one."""
LONGEST_STEP_MS = 200
"""Changes in an unbroken series are reported after this long."""
LATE_MS = 100
"""How long a change may take on a busy machine from the system to the thread that collects it."""
ADDED = 1
"""The code in `watchfiles` for a new file or folder."""
TRIES = 3

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
        """Start listening."""
        self._root, self._ending, self._each_folder = root, ending, each_folder
        self._identity = device_and_inode(root)
        self._top = os.path.realpath(root)
        self._folders: list[str] = []
        self._notify: Any = None
        self._settled = False
        self._tune()

    def listen(self, timeout_ms: int) -> set[str] | None:
        """Wait for changes."""
        events = self._ask(self._notify, LONGEST_STEP_MS, STEP_MS, timeout_ms)
        if events is None:
            return None
        if device_and_inode(self._root) != self._identity:
            raise VaultUnreadable(f"The vault folder {self._root} was replaced by another folder.")
        if self._each_folder and (
            not self._settled or any(kind == ADDED and is_real_folder(path) for kind, path in events)
        ):
            events |= self._tune_again()
        return visible_paths(self._top, (path for _, path in events))

    def close(self) -> None:
        """Release the system's resources for listening."""
        self._notify.close()

    def _tune(self) -> None:
        # `watchfiles.awatch` is built on this. With direct calls, each can wait for another quiet time, the caller
        # learns when watching has begun, and folders can be watched one by one.
        from watchfiles._rust_notify import RustNotify

        for _ in range(TRIES):
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
            late = self._ask(before, LONGEST_STEP_MS, STEP_MS, LATE_MS) or late
            before.close()
        return late | {(ADDED, folder) for folder in set(self._folders) - folders}

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
