"""Stores the bytes of files before and after changes: a compressed file for each content, named by its digest.

The many contents of a large change are stored in one file, a pack.
"""

import contextlib
import hashlib
import os
import tempfile
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from bridge.errors import StateUnusable
from bridge.private_files import make_private, sync_file, sync_folder, write_error
from bridge.state.packs import LEVEL, Packs
from bridge.types import Digest
from bridge.vault.plan import Blobs

PACKED = 256
"""Contents from which on they are stored in a pack: a file for each of thousands takes the disk seconds."""

TOGETHER = 16
"""Files that are synced at once: the disk then writes its own journal once for all of them."""

T = TypeVar("T")


class Snapshots:
    """A folder of contents; they are on disk before `keep` returns, and several threads may keep some at once."""

    def __init__(self, folder: Path) -> None:
        """Create a store; the folder is made with the first content."""
        self.folder = folder
        self._packs = Packs(folder / "packs")
        self._size: int | None = None
        self._held: Counter[Digest] = Counter()
        self._deleting = threading.Lock()

    @contextlib.contextmanager
    def hold(self, blobs: Blobs) -> Iterator[None]:
        """Store contents, none of which is deleted until the block ends; raises as `keep`."""
        with self._deleting:
            self._held.update(blobs.keys())
        try:
            self.keep(blobs)
            yield
        finally:
            with self._deleting:
                self._held -= Counter(blobs.keys())

    def keep(self, blobs: Blobs) -> None:
        """Store contents; existing ones are not written again, unless they are damaged."""
        stored = self._stored() if len(blobs) >= PACKED else blobs.keys()
        fresh = {each: data for each, data in blobs.items() if each not in stored or not self._is_sound(each)}
        try:
            if len(fresh) >= PACKED:
                self._make_folder()
                self._packs.add(fresh)
                self._size = None
                return
            shelves = self._make_shelves(fresh)
            do_together(lambda each: self._write(self.place(each), zlib.compress(fresh[each], LEVEL)), fresh)
            do_together(sync_folder, shelves)
        except OSError as error:
            # Some may be written: measured again when it is next asked for.
            self._size = None
            raise write_error(self.folder, error) from None
        self._grow(sum(self.place(digest).stat().st_size for digest in fresh))

    def read(self, digest: Digest) -> bytes | None:
        """Return a content by its digest or the beginning of it; None when it is not kept."""
        if len(digest) < hashlib.sha256().digest_size * 2:
            matches = (Digest(file.name) for file in self.place(digest).parent.glob(f"{digest}*"))
            found = next((whole for whole in matches if self.place(whole).is_file()), None)
            digest = found or self._packs.find(digest) or digest
        damaged = False
        # Packs first: of those, it is known without a look at the disk what they have.
        for read in (self._read_packed, self._read_file):
            data = read(digest)
            if data is not None and hashlib.sha256(data).hexdigest() == digest:
                return data
            damaged = damaged or data is not None
        if damaged:
            raise StateUnusable(
                f"The stored copy of an earlier version is damaged: {self.place(digest)}.",
                hint="That version is lost; check the disk. No note was changed.",
            )
        return None

    def _read_packed(self, digest: Digest) -> bytes | None:
        try:
            return self._packs.read(digest)
        except (OSError, zlib.error):
            return b""

    def _read_file(self, digest: Digest) -> bytes | None:
        try:
            return zlib.decompress(self.place(digest).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, zlib.error):
            return b""

    def drop(self, digests: Iterable[Digest]) -> None:
        """Delete contents."""
        with self._deleting:
            self._drop([digest for digest in digests if digest not in self._held])

    def _drop(self, digests: Collection[Digest]) -> None:
        try:
            for digest in digests:
                with contextlib.suppress(FileNotFoundError):
                    self._grow(-self.place(digest).stat().st_size)
                    self.place(digest).unlink()
            packed = self._packs.size
            self._packs.drop(digests)
            self._grow(self._packs.size - packed)
        except OSError as error:
            self._size = None
            raise write_error(self.folder, error) from None

    def shrink(self, digests: Iterable[Digest], most: float) -> None:
        """Delete contents in an order, until all that is left takes so many bytes or none of these is left."""
        left, gone = self.size, list[Digest]()
        for digest in digests:
            if left <= most:
                break
            left -= self._packs.size_of(digest)
            with contextlib.suppress(OSError):
                left -= self.place(digest).stat().st_size
            gone.append(digest)
        self.drop(gone)

    def sweep(self, needed: Collection[Digest]) -> None:
        """Delete every file except those of some contents."""
        with self._deleting:
            needed = {*needed, *self._held}
            try:
                for file in list(self._files()):
                    if file.name not in needed and (file.name[:1] != "." or not self._held):
                        file.unlink()
                self._packs.keep_only(needed)
            except OSError as error:
                raise write_error(self.folder, error) from None
            finally:
                self._size = None

    @property
    def size(self) -> int:
        if self._size is None:
            self._size = sum(file.stat().st_size for file in self._files()) + self._packs.size
        return self._size

    def count_damaged(self) -> int:
        """Count the contents that are damaged on disk, and the packs whose table is; reads them all."""
        count = self._packs.damaged
        for digest in self._stored():
            try:
                self.read(digest)
            except StateUnusable:
                count += 1
        return count

    def _stored(self) -> Collection[Digest]:
        return {*(Digest(file.name) for file in self._files()), *self._packs.digests()}

    def _is_sound(self, digest: Digest) -> bool:
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

    def _make_folder(self) -> None:
        """Make the folder if it is missing; its name is on disk then."""
        if not self.folder.exists():
            make_private(self.folder)
            sync_folder(self.folder.parent)

    def _make_shelves(self, digests: Iterable[Digest]) -> list[Path]:
        """Make and return the folders for contents; their names are on disk then."""
        shelves = sorted({self.folder / digest[:2] for digest in digests})
        if shelves:
            self._make_folder()
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
