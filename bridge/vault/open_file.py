"""Opens files of the vault part by part, so that no link swapped in meanwhile leads out of it."""

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bridge.errors import NoteNotFound, NoteUnreadable, OutsideVault, ProtectedPath, VaultUnreadable
from bridge.text.fold import nfc
from bridge.vault.paths import display_path, is_hidden

STEPWISE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
MAX_LINKS = 16
JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


class _LinkFound(Exception):
    """A part of the path is a link; carries the path up to it as the disk spells it, and the rest of the path."""

    def __init__(self, link: str, rest: str) -> None:
        super().__init__()
        self.link = link
        self.rest = rest


def open_inside(root: Path, path: str, denies: Callable[[str], bool] | None = None) -> int:
    with follow_to_file(root, path, denies) as (name, folder, _):
        return os.open(name, FILE_FLAGS, dir_fd=folder)


@contextmanager
def follow_to_file(
    root: Path, path: str, denies: Callable[[str], bool] | None = None, *, stepwise: bool = STEPWISE
) -> Iterator[tuple[str, int | None, os.stat_result]]:
    """Follow a path to a regular file; errors in the block about the file are raised as in `open_inside`."""
    try:
        with follow_path(root, path, denies, stepwise=stepwise) as (name, folder, info):
            if info is None:
                raise FileNotFoundError
            if not stat.S_ISREG(info.st_mode):
                raise NoteNotFound(f"`{display_path(path)}` is {entry_kind(info.st_mode)}, not a file.")
            yield name, folder, info
    except (FileNotFoundError, NotADirectoryError):
        if not root.is_dir():
            raise VaultUnreadable(f"The vault folder {root} does not exist.") from None
        raise NoteNotFound(f"There is no note `{display_path(path)}`.") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise NoteNotFound(f"There is no note `{display_path(path)}`.") from None
        if error.errno == errno.ELOOP:
            raise NoteNotFound(f"`{display_path(path)}` is part of an endless chain of symbolic links.") from None
        raise NoteUnreadable(f"`{display_path(path)}` cannot be read: {error.strerror or error}.") from None


@contextmanager
def follow_path(
    root: Path, path: str, denies: Callable[[str], bool] | None = None, *, stepwise: bool = STEPWISE
) -> Iterator[tuple[str, int | None, os.stat_result | None]]:
    folder: int | None = None
    try:
        _require_allowed(path, denies)
        for _ in range(MAX_LINKS):
            try:
                name, folder, info = _walk_by_handle(root, path) if stepwise else _walk_by_name(root, path)
            except _LinkFound as link:
                behind = _link_target(root, link)
                _require_allowed(behind, denies)
                path = behind
                continue
            if not stepwise:
                # Windows has short names for long ones.
                _require_allowed(relative_path(os.path.realpath(root), os.path.realpath(name)) or path, denies)
            yield name, folder, info
            return
        raise NoteNotFound(f"`{display_path(path)}` is part of an endless chain of symbolic links.")
    finally:
        if folder is not None:
            os.close(folder)


def _require_allowed(path: str, denies: Callable[[str], bool] | None) -> None:
    if denies is not None and denies(nfc(path)):
        raise FileNotFoundError


def _walk_by_handle(root: Path, path: str) -> tuple[str, int, os.stat_result | None]:
    *folders, last = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    passed: list[str] = []
    try:
        for number, part in enumerate(folders):
            name = name_on_disk(here, part)
            passed.append(name)
            try:
                inner = os.open(name, FOLDER_FLAGS, dir_fd=here)
            except OSError:
                if stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                    raise _LinkFound("/".join(passed), "/".join([*folders[number + 1 :], last])) from None
                raise
            os.close(here)
            here = inner
        name = name_on_disk(here, last)
        try:
            info = os.stat(name, dir_fd=here, follow_symlinks=False)
        except FileNotFoundError:
            return name, here, None
        if stat.S_ISLNK(info.st_mode):
            raise _LinkFound("/".join([*passed, name]), "")
    except BaseException:
        os.close(here)
        raise
    return name, here, info


def _walk_by_name(root: Path, path: str) -> tuple[str, None, os.stat_result | None]:
    """Walk the path by name where the system cannot hold folders open; a swap in between goes unnoticed."""
    here = root
    parts = path.split("/")
    for number, part in enumerate(parts):
        here = here / name_on_disk(os.fspath(here), part)
        try:
            info = here.lstat()
        except FileNotFoundError:
            if number < len(parts) - 1:
                raise
            return os.fspath(here), None, None
        if is_link(info):
            raise _LinkFound(os.path.relpath(here, root).replace(os.sep, "/"), "/".join(parts[number + 1 :]))
        if number < len(parts) - 1 and not stat.S_ISDIR(info.st_mode):
            raise NotADirectoryError
    return os.fspath(here), None, info


def _link_target(root: Path, link: _LinkFound) -> str:
    top = os.path.realpath(root)
    target = os.path.realpath(Path(top, *link.link.split("/")), strict=True)
    inside = relative_path(top, target)
    if inside is None:
        raise OutsideVault(f"`{display_path(link.link)}` is a symbolic link to a place outside the vault.")
    path = "/".join(part for part in (inside, link.rest) if part)
    if is_hidden(path):
        raise ProtectedPath(f"`{display_path(link.link)}` is a symbolic link to a hidden file.")
    return path


def relative_path(top: str, target: str) -> str | None:
    """Return a real path relative to a real folder, `/`-separated, or None when it lies elsewhere."""
    if target == top:
        return ""
    start = top if top.endswith(os.sep) else top + os.sep
    if not os.path.normcase(target).startswith(os.path.normcase(start)):
        return None
    return target[len(start) :].replace(os.sep, "/")


def name_on_disk(folder: int | str, part: str) -> str:
    if part.isascii() or has_entry(folder, part):
        return part
    with os.scandir(folder) as listing:
        return min((entry.name for entry in listing if nfc(entry.name) == nfc(part)), default=part)


def place_on_disk(root: Path, path: str) -> Path:
    """Return the place of a path in a folder, in the spelling of the disk where it is there."""
    place = here = root / path
    if not path.isascii() and not os.path.lexists(place):
        here = root
        try:
            for part in path.split("/"):
                here /= name_on_disk(os.fspath(here), part)
        except OSError:
            return place
    return here


def has_entry(folder: int | str, part: str) -> bool:
    try:
        if isinstance(folder, int):
            os.stat(part, dir_fd=folder, follow_symlinks=False)
        else:
            Path(folder, part).lstat()
    except FileNotFoundError:
        return False
    return True


def is_link(info: os.stat_result) -> bool:
    return stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", 0) == JUNCTION


def entry_kind(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


_AT_FDCWD: Final = -100
"""AT_FDCWD: names are whole paths."""
_STATX_BTIME: Final = 0x800
"""STATX_BTIME: that time is asked for, and known."""
_STATX: Final = struct.Struct("=I76xqI164x")
"""The mask, and the seconds and nanoseconds of the birth; all that `struct statx` has is 256 bytes."""


def birth_time(path: Path) -> float | None:
    """Return when a file was created, in seconds since 1970; None if it is gone, or its disk does not keep this."""
    try:
        found: float | None = getattr(path.stat(), "st_birthtime", None) if _ask_linux is None else _ask_linux(path)
    except OSError:
        return None
    return found


def _linux_call() -> Callable[[Path], float | None] | None:
    """Return a function that asks Linux, which tells Python from version 3.15 on only; None for other systems."""
    statx = getattr(ctypes.CDLL(None), "statx", None) if sys.platform == "linux" else None
    if statx is None:
        return None

    def ask(path: Path) -> float | None:
        facts = ctypes.create_string_buffer(_STATX.size)
        if statx(_AT_FDCWD, os.fsencode(path), 0, _STATX_BTIME, facts) != 0:
            return None
        mask, seconds, nanoseconds = _STATX.unpack(facts.raw)
        return float(seconds + nanoseconds / 1e9) if mask & _STATX_BTIME and seconds > 0 else None

    return ask


_ask_linux: Final = _linux_call()
