"""Performs single file operations, each only if the file is as it was read; after an error the file is unchanged.

Only after `IndeterminateWrite` may the file be the new one.
"""

import contextlib
import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import field

from bridge.errors import BridgeError
from bridge.records import Record
from bridge.types import Digest
from bridge.vault.open_file import FILE_FLAGS, place_on_disk
from bridge.vault.write.handle import (
    NEW_FILE_FLAGS,
    DisplacedFile,
    PathHandle,
    changed_error,
    exists_error,
    guard_file,
    is_same_file,
    is_unchanged,
    mark_indeterminate,
    missing_error,
    no_draft_name_error,
    open_handle,
    require_free,
    require_same,
    require_unlocked,
)
from bridge.vault.write.syscalls import SystemCalls

COPY_ACL_AND_XATTR = 0b101
"""COPYFILE_ACL | COPYFILE_XATTR of macOS."""


def copy_metadata(new: int, old: int) -> None:
    """Copy metadata from one open file to another, as far as the disk and the system allow.

    Where they do not, the new file is readable by the user only. On Windows it inherits the folder's permissions, and
    the creation date of its name.
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
        # macOS moves the creation date back when the time is set to an earlier one.
        os.utime(new, ns=(now, int(info.st_birthtime * 1_000_000_000)))
        os.utime(new, ns=(now, now))
    elif sys.platform == "linux":
        for name in attribute_names(old):
            with contextlib.suppress(OSError):
                os.setxattr(new, name, os.getxattr(old, name))


def set_new_file_metadata(new: int, folder: os.stat_result, mode: int | None) -> None:
    """Give a new file the permissions of its folder, as the user's programs would, regardless of our umask.

    Its owner can always write it, even if the folder is read-only. One that comes back has those that it had.
    """
    if os.name != "nt":
        with contextlib.suppress(OSError):
            os.fchmod(new, stat.S_IMODE(folder.st_mode) & 0o666 | 0o600 if mode is None else mode)


def attribute_names(file: int) -> list[str]:
    try:
        return os.listxattr(file) if sys.platform == "linux" else []
    except OSError:
        return []


MAX_DRAFT_NAMES = 100
"""Names tried for a draft; all but the first are needed only where a crash left drafts that could not be removed."""

MAX_WRITTEN_FILES = 1_000
"""Files that are remembered as last written by the bridge."""


class FileOps(Record):
    """The operations on the vault's files."""

    disk: SystemCalls
    root: Path
    stepwise: bool
    displaced: list[DisplacedFile] = field(default_factory=list)
    """Files that recently lost their name, which a program may still write into; the taker closes them."""
    _written: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def at(self, path: str, keeps: Callable[[str], bool] | None = None) -> AbstractContextManager[PathHandle]:
        return open_handle(self.disk, self.root, path, keeps, stepwise=self.stepwise)

    def put(
        self, path: str, place: PathHandle, before: Digest | None, after: Digest, data: bytes, mode: int | None = None
    ) -> None:
        if before is None:
            require_free(path, place)
        else:
            require_unlocked(path, place)
        draft, descriptor = self.write_draft(place, data, mode)
        try:
            with self._kept_until_placed(place, draft):
                self.disk.fsync(descriptor)
                written = self.disk.fstat(descriptor)
        finally:
            self.disk.close(descriptor)
        if before is None:
            with self._kept_until_placed(place, draft):
                self._rename_new(path, place, draft, place, place.name)
        else:
            self.replace(path, place, draft, before, after)
        with mark_indeterminate(path):
            place.sync()
            self.verify(place, after, written)

    def verify(self, place: PathHandle, after: Digest, written: os.stat_result) -> None:
        """Require that a path reads as it was written, unless another program has replaced the file since."""
        if place.digest() != after and self._is_as_written(place, written):
            raise OSError(errno.EIO, "what was written reads otherwise")
        self._remember(written)

    def move(self, path: str, here: PathHandle, to: str, there: PathHandle, before: Digest | None) -> None:
        if here.info is None:
            raise missing_error(path)
        if before is not None:
            require_same(path, here, before)
        if there.info is None:
            self._rename_new(to, here, here.name, there, there.name)
        elif is_same_file(here, there) and not there.is_spelled:
            # One file under two spellings of its name, which the disk treats as one.
            self.disk.rename(here.name, there.name, src_dir_fd=here.folder, dst_dir_fd=there.folder)
        else:
            raise exists_error(to)
        with mark_indeterminate(path):
            there.sync()
            here.sync()

    def delete(self, path: str, place: PathHandle, before: Digest) -> None:
        with guard_file(self.disk, path, place) as guard:
            require_same(path, place, before)
            aside = self._put_aside(place)
            with mark_indeterminate(path):
                # A save in this moment must not be lost: only the bytes that were read are deleted.
                if place.digest(aside) == before and guard.is_untouched(place, aside):
                    self.disk.unlink(aside, dir_fd=place.folder)
                    self._watch(guard.displaced_file(path, before))
                    place.sync()
                    return
                self._rename_new(path, place, aside, place, place.name)
        raise changed_error(path)

    def throw_away(self, path: str, place: PathHandle, before: Digest) -> None:
        """Move a file that was read to the system's trash."""
        require_same(path, place, before)
        # By its name, as the trash needs it; a save in this moment goes there too, and is not lost.
        self.disk.throw_away(os.fspath(place_on_disk(Path(os.path.realpath(self.root)), path)))
        with mark_indeterminate(path):
            place.sync()

    def make_folder(self, path: str, place: PathHandle) -> None:
        """Make a folder with the permissions of its parent; an existing one is left as it is."""
        if place.is_folder:
            return
        require_free(path, place)
        mode = stat.S_IMODE(place.parent().st_mode) | 0o700
        try:
            self.disk.mkdir(place.name, dir_fd=place.folder)
        except FileExistsError:
            if stat.S_ISDIR(self._info(place).st_mode):
                return
            raise exists_error(path) from None
        with contextlib.suppress(OSError):
            os.chmod(place.name, mode, dir_fd=place.folder)
        with mark_indeterminate(path):
            place.sync()

    def remove_folder(self, path: str, place: PathHandle) -> bool:
        if not place.is_folder:
            return False
        try:
            self.disk.rmdir(place.name, dir_fd=place.folder)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                return False
            raise
        with mark_indeterminate(path):
            place.sync()
        return True

    def write_draft(self, place: PathHandle, data: bytes, mode: int | None = None) -> tuple[str, int]:
        """Write a new file beside a path, with the metadata of the file there, or else the given permissions."""
        name, descriptor = self._new_draft(place)
        try:
            with self._kept_until_placed(place, name):
                left = memoryview(data)
                while left:
                    left = left[self.disk.write(descriptor, left) :]
                self._dress(place, descriptor, mode)
        except BaseException:
            self.disk.close(descriptor)
            raise
        return name, descriptor

    def dress_draft(self, place: PathHandle, draft: str) -> None:
        """Give an existing draft the current metadata of the file that it replaces."""
        descriptor = self.disk.open(draft, os.O_WRONLY | FILE_FLAGS, dir_fd=place.folder)
        try:
            self._dress(place, descriptor)
        finally:
            self.disk.close(descriptor)

    def _dress(self, place: PathHandle, descriptor: int, mode: int | None = None) -> None:
        if place.info is None:
            set_new_file_metadata(descriptor, place.parent(), mode)
            return
        old = self.disk.open(place.name, FILE_FLAGS, dir_fd=place.folder)
        try:
            copy_metadata(descriptor, old)
        finally:
            self.disk.close(old)

    @contextlib.contextmanager
    def _kept_until_placed(self, place: PathHandle, draft: str) -> Iterator[None]:
        """Delete a draft after an error before the point of no return; afterwards it may be another program's file."""
        try:
            yield
        except (OSError, BridgeError):
            with contextlib.suppress(OSError):
                self.disk.unlink(draft, dir_fd=place.folder)
            raise

    def _new_draft(self, place: PathHandle) -> tuple[str, int]:
        """Create an empty file beside a path, under the first free draft name."""
        for name in map(place.draft, range(MAX_DRAFT_NAMES)):
            with contextlib.suppress(FileExistsError):
                return name, self.disk.open(name, NEW_FILE_FLAGS, 0o600, dir_fd=place.folder)
        raise no_draft_name_error()

    def _put_aside(self, place: PathHandle) -> str:
        for name in map(place.draft, range(MAX_DRAFT_NAMES)):
            with contextlib.suppress(FileExistsError):
                self.disk.rename_new(place.name, name, source_folder=place.folder, target_folder=place.folder)
                return name
        raise no_draft_name_error()

    def replace(
        self,
        path: str,
        place: PathHandle,
        draft: str,
        before: Digest,
        after: Digest,
        close: Callable[[int], None] | None = None,
    ) -> None:
        """Replace the file that was read by a draft on the disk; the folder's names are synced by the caller."""
        with self._kept_until_placed(place, draft), guard_file(self.disk, path, place, close=close) as guard:
            require_same(path, place, before)
            if not self._exchange(place, draft):
                # Between the check and this call another program may replace the file, and lose that version.
                self.disk.replace(draft, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
                with mark_indeterminate(path):
                    self._watch(guard.displaced_file(path, before))
                return
            with mark_indeterminate(path):
                if place.digest(draft) == before and guard.is_untouched(place, draft):
                    self.disk.unlink(draft, dir_fd=place.folder)
                    self._watch(guard.displaced_file(path, before))
                    return
                # Another program saved in between: its file is put back, or the one that it has saved meanwhile.
                self._exchange(place, draft)
                if place.digest(draft) != after:
                    self._exchange(place, draft)
            raise changed_error(path)

    def _watch(self, file: DisplacedFile | None) -> None:
        if file is not None:
            self.displaced.append(file)

    def is_ours(self, info: os.stat_result) -> bool:
        """Return whether a file is as the bridge wrote it."""
        written = self._written.get((info.st_dev, info.st_ino))
        return written == (info.st_mtime_ns, info.st_size)

    def _remember(self, written: os.stat_result) -> None:
        while len(self._written) >= MAX_WRITTEN_FILES:
            del self._written[next(iter(self._written))]
        self._written[written.st_dev, written.st_ino] = written.st_mtime_ns, written.st_size

    def _is_as_written(self, place: PathHandle, written: os.stat_result) -> bool:
        """Return whether a path still has the file that was put there; another program may have moved it aside."""
        try:
            return is_unchanged(self._info(place), written)
        except FileNotFoundError:
            return False

    def _info(self, place: PathHandle) -> os.stat_result:
        return self.disk.stat(place.name, dir_fd=place.folder, follow_symlinks=False)

    def _exchange(self, place: PathHandle, draft: str) -> bool:
        """Swap a file with a draft; return False where the system cannot."""
        return self.disk.exchange(draft, place.name, folder=place.folder)

    def _rename_new(self, path: str, here: PathHandle, name: str, there: PathHandle, to: str) -> None:
        """Rename to a free name; `path` is for the error."""
        try:
            self.disk.rename_new(name, to, source_folder=here.folder, target_folder=there.folder)
        except FileExistsError:
            raise exists_error(path) from None
