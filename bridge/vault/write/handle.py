"""A path in the vault with its folder held open, what is there, and guards of files that a change replaces."""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bridge.errors import BridgeError, DiskFull, InvalidArguments, NoteChanged, NoteExists, NoteUnreadable, ReadOnly
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.types import Digest
from bridge.vault.open_file import FILE_FLAGS, follow_path
from bridge.vault.paths import display_path
from bridge.vault.stable_read import being_saved_error
from bridge.vault.write.syscalls import SystemCalls

CHUNK_BYTES = 1024 * 1024
DRAFT = ".vault-bridge-"
"""Prefix of files that are being written: hidden, so that neither Obsidian nor a watcher sees them.

It outlives the product's name, so that what a crash left of an older version is found.
"""
NEW_FILE_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class PathHandle(Record):
    """The place of a file or folder, existing or not."""

    disk: SystemCalls
    name: str
    folder: int | None
    """The descriptor of its folder; None where the system cannot hold one open: then the name is the whole path."""
    info: os.stat_result | None
    """Its stat result; None when nothing is there."""

    @property
    def is_file(self) -> bool:
        return self.info is not None and stat.S_ISREG(self.info.st_mode)

    @property
    def is_folder(self) -> bool:
        return self.info is not None and stat.S_ISDIR(self.info.st_mode)

    def digest(self, name: str | None = None) -> Digest | None:
        """Return the digest of the current file, or of another one beside it; None when that is not a file."""
        try:
            descriptor = self.disk.open(name or self.name, FILE_FLAGS, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        try:
            if not stat.S_ISREG(self.disk.fstat(descriptor).st_mode):
                return None
            read = hashlib.sha256()
            while piece := self.disk.read(descriptor, CHUNK_BYTES):
                read.update(piece)
        finally:
            self.disk.close(descriptor)
        return Digest(read.hexdigest())

    def read(self, name: str | None = None) -> bytes:
        """Return the bytes of the file, or of another one beside it."""
        descriptor = self.disk.open(name or self.name, FILE_FLAGS, dir_fd=self.folder)
        try:
            return b"".join(iter(lambda: self.disk.read(descriptor, CHUNK_BYTES), b""))
        finally:
            self.disk.close(descriptor)

    def draft(self, number: int = 0) -> str:
        return self.beside(f"{self.prefix}{number}.tmp")

    def drafts(self) -> list[str]:
        prefix = self.prefix
        return sorted(self.beside(name) for name in self.names() if name.startswith(prefix))

    @property
    def prefix(self) -> str:
        """The prefix of its drafts' names; hashed, since the name itself may be as long as a disk allows."""
        own = os.path.basename(self.name)  # noqa: PTH119
        return f"{DRAFT}{hashlib.sha256(os.fsencode(own)).hexdigest()[:16]}-"

    def beside(self, name: str) -> str:
        """Return a name in the same folder, in the form that the system calls take."""
        return name if self.folder is not None else os.path.join(os.path.dirname(self.name), name)  # noqa: PTH118, PTH120

    def parent(self) -> os.stat_result:
        return self.disk.stat(self._within)

    def names(self) -> list[str]:
        """Return all names in the folder, as the disk spells them."""
        return list(self.disk.listdir(self._within))

    @property
    def is_spelled(self) -> bool:
        """Whether the disk spells the name like this: some ignore case, or the form of accents."""
        return os.path.basename(self.name) in self.names()  # noqa: PTH119

    def respell(self, name: str | None) -> "PathHandle":
        """Return the handle with another spelling of its name, if nothing is there and it is one."""
        if name is None or self.info is not None or nfc(name) != nfc(os.path.basename(self.name)):  # noqa: PTH119
            return self
        return replace(self, name=self.beside(name))

    @property
    def _within(self) -> Any:
        return os.path.dirname(self.name) if self.folder is None else self.folder  # noqa: PTH120

    def sync(self) -> None:
        """Sync the folder's names to disk; a few disks do not support this."""
        if self.folder is None:
            return
        try:
            self.disk.fsync(self.folder)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
                raise


@contextmanager
def open_handle(
    disk: SystemCalls, root: Path, path: str, keeps: Callable[[str], bool] | None = None, *, stepwise: bool
) -> Iterator[PathHandle]:
    """Hold the folder of a path open; raises as `follow_path` does."""
    with follow_path(root, path, keeps, stepwise=stepwise) as (name, folder, info):
        yield PathHandle(disk, name, folder, info)


class IndeterminateWrite(Exception):
    """The disk failed after the file was touched: it may be the old or the new one."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__()
        self.path = path
        self.error = error


class FileOvertaken(NoteChanged):
    """Another program wrote the file between the bridge's read and write; a newly planned change may succeed."""


@contextlib.contextmanager
def mark_indeterminate(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndeterminateWrite(path, error) from None


def is_unchanged(now: os.stat_result, written: os.stat_result) -> bool:
    """Return whether a file is untouched since we wrote it."""
    same_times = (now.st_mtime_ns, now.st_size) == (written.st_mtime_ns, written.st_size)
    return os.path.samestat(now, written) and same_times


def require_free(path: str, place: PathHandle) -> None:
    if place.info is not None:
        raise exists_error(path)


def require_same(path: str, place: PathHandle, before: Digest) -> None:
    if (now := place.digest()) is None:
        raise missing_error(path)
    if now != before:
        raise changed_error(path, now)


def require_unlocked(path: str, place: PathHandle) -> None:
    """Require that a file is not read-only, since a rename would bypass its permissions."""
    if place.info is not None and not place.info.st_mode & 0o222:
        raise ReadOnly(
            f"`{display_path(path)}` is read-only.", hint="Make it writable if you want it changed.", path=path
        )


def is_same_file(one: PathHandle, other: PathHandle) -> bool:
    return one.info is not None and other.info is not None and os.path.samestat(one.info, other.info)


def no_draft_name_error() -> OSError:
    return OSError(errno.EEXIST, "what crashes left is in the way")


def exists_error(path: str) -> NoteExists:
    return NoteExists(f"There is `{display_path(path)}` already.")


def missing_error(path: str) -> FileOvertaken:
    return FileOvertaken(f"`{display_path(path)}` no longer exists.")


def changed_error(path: str, digest: Digest | None = None) -> FileOvertaken:
    facts = {} if digest is None else {"digest": digest}
    return FileOvertaken(f"`{display_path(path)}` changed since you read it.", **facts)


HINT = "Check the file's and its folder's permissions; nothing was written."


def translate_os_error(path: str, error: OSError) -> BridgeError:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return DiskFull(
                f"The disk is full: no space for `{display_path(path)}`.", hint="Free some space; nothing was lost."
            )
        case errno.EACCES | errno.EPERM | errno.EROFS | errno.ETXTBSY:
            return ReadOnly(f"`{display_path(path)}` cannot be written: {error.strerror}.", hint=HINT)
        case errno.ENAMETOOLONG:
            return InvalidArguments(f"The name of `{display_path(path)}` is too long for this disk.")
        case errno.EXDEV:
            return InvalidArguments(f"`{display_path(path)}` is on another disk than the file to be moved there.")
        case errno.ENOENT | errno.ENOTDIR | errno.ELOOP:
            return NoteChanged(
                f"`{display_path(path)}` or its folder no longer exists.",
                hint="Another program moved or removed it. Find where it is now, then repeat the change.",
            )
        case _:
            return NoteUnreadable(
                f"Disk error at `{display_path(path)}`: {error.strerror}.",
                hint="Check the disk; nothing was lost.",
            )


class DisplacedFile(Record):
    """A file that lost its name to a change, held open: a program that opened it before may still write into it."""

    path: str
    """Its former path."""
    descriptor: int
    before: Digest
    """The content that was read before the change."""


class Guard(Record):
    """A file that is about to lose its name."""

    disk: SystemCalls
    descriptor: int | None
    """None where the system cannot replace an open file."""
    is_leased: bool
    """Whether the system delays programs that want to write the file."""

    @property
    def is_sure(self) -> bool:
        """Whether no program has the file open for writing, and none waits to open it."""
        return self.is_leased and self.descriptor is not None and self.disk.is_lease_kept(self.descriptor)

    def is_untouched(self, place: PathHandle, name: str) -> bool:
        """Return whether the file now has this name, and no program waits to write it."""
        if self.descriptor is None:
            return True
        own, named = self.disk.fstat(self.descriptor), self.disk.stat(name, dir_fd=place.folder, follow_symlinks=False)
        return os.path.samestat(own, named) and (self.is_sure or not self.is_leased)

    def displaced_file(self, path: str, before: Digest) -> DisplacedFile | None:
        """Return the file to be watched for late saves; None when that is unnecessary or impossible."""
        if self.descriptor is None or self.is_sure:
            return None
        if self.is_leased:
            self.disk.end_lease(self.descriptor)
        return DisplacedFile(path, os.dup(self.descriptor), before)


@contextlib.contextmanager
def guard_file(
    disk: SystemCalls, path: str, place: PathHandle, name: str | None = None, close: Callable[[int], None] | None = None
) -> Iterator[Guard]:
    """Hold a file open, and delay programs that want to write it, where the system can."""
    try:
        descriptor = disk.open(name or place.name, FILE_FLAGS, dir_fd=place.folder)
    except FileNotFoundError:
        raise missing_error(path) from None
    try:
        leased = disk.take_lease(descriptor)
        if leased is False:
            raise being_saved_error(path)
        if os.name != "nt":
            yield Guard(disk, descriptor, bool(leased))
            return
    finally:
        # The file may have lost its name by now: errors of these calls must not undo that. A process that was forked
        # meanwhile has the file open too, and would keep the lease.
        with contextlib.suppress(OSError):
            disk.end_lease(descriptor)
        with contextlib.suppress(OSError):
            # Windows cannot replace a file while it is open.
            (disk.close if close is None or os.name == "nt" else close)(descriptor)
    yield Guard(disk, None, is_leased=False)
