"""Holds a file open while a change replaces it, so that no other program's save is lost."""

import contextlib
import os
from collections.abc import Callable, Iterator

from bridge.records import Record
from bridge.types import Digest
from bridge.vault.open_file import FILE
from bridge.vault.stable_read import being_saved_error
from bridge.vault.write.handle import PathHandle, missing_error
from bridge.vault.write.syscalls import SystemCalls


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
        descriptor = disk.open(name or place.name, FILE, dir_fd=place.folder)
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
