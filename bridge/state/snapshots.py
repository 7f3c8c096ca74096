"""Stores the bytes of files before and after changes: one compressed file for each content, named by its digest."""

import contextlib
import hashlib
import logging
import os
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from bridge.errors import StateUnusable
from bridge.private_files import make_private, sync_file, sync_folder, write_error
from bridge.types import Digest
from bridge.vault.plan import Blobs

log = logging.getLogger(__name__)

LEVEL = 1
"""zlib's fastest: it reduces text to a third, and more effort gains little."""

TOGETHER = 16
"""Files that are synced at once: the disk then writes its own journal once for all of them."""

T = TypeVar("T")


class Snapshots:
    """A folder of contents; they are on disk before `keep` returns."""

    def __init__(self, folder: Path) -> None:
        """Create a store; the folder is made with the first content."""
        self.folder = folder
        self._size: int | None = None

    def keep(self, blobs: Blobs) -> None:
        """Store contents; existing ones are not written again, unless they are damaged.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The folder is not writable.
        """
        fresh = {digest: data for digest, data in blobs.items() if not self._is_sound(digest)}
        try:
            shelves = self._make_shelves(fresh)
            do_together(lambda each: self._write(self.place(each), zlib.compress(fresh[each], LEVEL)), fresh)
            do_together(sync_folder, shelves)
        except OSError as error:
            # Some may be written: measured again when it is next asked for.
            self._size = None
            raise write_error(self.folder, error) from None
        self._grow(sum(self.place(digest).stat().st_size for digest in fresh))

    def read(self, digest: Digest) -> bytes | None:
        """Return a content by its digest or the beginning of it; None when it is not kept.

        Raises:
            StateUnusable: It is damaged on disk, so it must not be taken for the note.
        """
        if len(digest) < hashlib.sha256().digest_size * 2:
            matches = (Digest(file.name) for file in self.place(digest).parent.glob(f"{digest}*"))
            digest = next((whole for whole in matches if self.place(whole).is_file()), digest)
        try:
            data = zlib.decompress(self.place(digest).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, zlib.error):
            data = b""
        if hashlib.sha256(data).hexdigest() != digest:
            raise StateUnusable(
                f"The stored copy of an earlier version is damaged: {self.place(digest)}.",
                hint="That version is lost; check the disk. No note was changed.",
            )
        return data

    def drop(self, digests: Iterable[Digest]) -> None:
        """Delete contents.

        Raises:
            ReadOnly: The folder is not writable.
        """
        try:
            for digest in digests:
                with contextlib.suppress(FileNotFoundError):
                    self._grow(-self.place(digest).stat().st_size)
                    self.place(digest).unlink()
        except OSError as error:
            raise write_error(self.folder, error) from None

    def sweep(self, needed: Collection[Digest]) -> None:
        """Delete every file except those of some contents.

        Raises:
            ReadOnly: The folder is not writable.
        """
        try:
            for file in list(self._files()):
                if file.name not in needed:
                    file.unlink()
        except OSError as error:
            raise write_error(self.folder, error) from None
        self._size = None

    @property
    def size(self) -> int:
        """Bytes on disk."""
        if self._size is None:
            self._size = sum(file.stat().st_size for file in self._files())
        return self._size

    def count_damaged(self) -> int:
        """Count the contents that are damaged on disk; reads them all."""
        count = 0
        for file in self._files():
            try:
                self.read(Digest(file.name))
            except StateUnusable:
                count += 1
        return count

    def _is_sound(self, digest: Digest) -> bool:
        """Return whether a content is kept and readable."""
        try:
            return self.read(digest) is not None
        except StateUnusable:
            return False

    def place(self, digest: Digest) -> Path:
        """Return the path of a content's file."""
        return self.folder / digest[:2] / digest

    def _files(self) -> Iterator[Path]:
        """Yield every file, including those that a crash left half written."""
        return (file for file in self.folder.glob("??/*") if file.is_file())

    def _make_shelves(self, digests: Iterable[Digest]) -> list[Path]:
        """Make and return the folders for contents; their names are on disk then."""
        shelves = sorted({self.folder / digest[:2] for digest in digests})
        if shelves and not self.folder.exists():
            make_private(self.folder)
            sync_folder(self.folder.parent)
        new = [shelf for shelf in shelves if not shelf.exists()]
        try:
            for shelf in new:
                make_private(shelf)
        finally:
            if new:
                sync_folder(self.folder)
        return shelves

    def _write(self, place: Path, data: bytes) -> None:
        """Write a file atomically; its folder is synced by the caller."""
        descriptor, draft = tempfile.mkstemp(prefix=".", dir=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                sync_file(file.fileno())
            Path(draft).replace(place)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(draft)  # noqa: PTH108
            raise

    def _grow(self, bytes_: int) -> None:
        """Update the size, once the folder has been measured."""
        if self._size is not None:
            self._size += bytes_


def do_together(work: Callable[[T], None], items: Collection[T]) -> None:
    """Do work for each item in threads, all of it before this returns; the first error is raised then."""
    if len(items) < TOGETHER:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(TOGETHER, "snapshots") as pool:
        done = [pool.submit(work, item) for item in items]
    for each in done:
        each.result()
