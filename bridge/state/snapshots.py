"""Stores the bytes of files before and after changes: a compressed file for each content, named by its digest.

The many contents of a large change are stored in one file, a pack.
"""

import contextlib
import hashlib
import logging
import secrets
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bridge.errors import StateUnusable
from bridge.private_files import make_private, replace_file, sync_folder, write_error
from bridge.types import Digest
from bridge.vault.plan import Blobs
from bridge.vault.write.syscalls import do_together

log = logging.getLogger(__name__)

ZLIB_LEVEL: Final = 1
"""zlib's fastest: it reduces text to a third, and more effort gains little."""

_BEGIN: Final = b"\x78\x01"
"""The first bytes of what zlib compressed at this level."""

_MAGIC: Final = b"VBPACK1\n"
_ENTRY: Final = struct.Struct(">32sI")
"""A content's digest, and its compressed length; the contents lie in the order of the table."""
_END: Final = struct.Struct(">II8s")
"""The number of entries, the checksum of the table, and `_MAGIC`."""

_PIECE_BYTES: Final = 1 << 16


class Place(NamedTuple):
    """Where a content is."""

    pack: Path
    start: int
    length: int
    """Compressed bytes."""


class Packs:
    """The packs of a folder; what is added is on disk before the call returns."""

    def __init__(self, folder: Path) -> None:
        """Create a store; the folder is made with the first pack, and read when something is asked for."""
        self.folder = folder
        self._lock = threading.RLock()
        """Held for what is known of the packs, so that who reads waits for no pack that is being added."""
        self._writing = threading.Lock()
        self._places: dict[Digest, Place] | None = None
        self._damaged: set[Path] = set()

    def add(self, blobs: Mapping[Digest, bytes]) -> None:
        """Store contents in a new pack, in place of stored ones that are damaged."""
        with self._writing:
            _make_folder(self.folder)
            pack = self.folder / f"{secrets.token_hex(8)}.pack"
            # What is stored again was damaged; after a restart it might be taken for the sound one.
            self._drop(blobs)
            places = _write(pack, ((digest, zlib.compress(data, ZLIB_LEVEL)) for digest, data in blobs.items()))
            with self._lock:
                self._read_places().update(places)

    def read(self, digest: Digest) -> bytes | None:
        """Return a content; None when no pack has it."""
        with self._lock:
            place = self._read_places().get(digest)
            return None if place is None else zlib.decompress(_read_part(place))

    def find(self, beginning: str) -> Digest | None:
        """Return a digest that begins so; None when no pack has one."""
        with self._lock:
            return next((digest for digest in self._read_places() if digest.startswith(beginning)), None)

    def digests(self) -> Collection[Digest]:
        with self._lock:
            return set(self._read_places())

    def size_of(self, digest: Digest) -> int:
        """Return the bytes that a content takes on disk; 0 when no pack has it."""
        with self._lock:
            place = self._read_places().get(digest)
            return 0 if place is None else place.length + _ENTRY.size

    @property
    def size(self) -> int:
        return sum(pack.stat().st_size for pack in self._files())

    @property
    def damaged_count(self) -> int:
        """The number of packs with a damaged table, or that cannot be read."""
        with self._lock:
            self._read_places()
            return len(self._damaged)

    def drop(self, digests: Iterable[Digest]) -> None:
        """Erase contents: the packs that have them are written again without them."""
        with self._writing:
            self._drop(digests)

    def _drop(self, digests: Iterable[Digest]) -> None:
        with self._lock:
            known = self._read_places()
            gone = {digest for digest in digests if digest in known}
            for pack in {known[digest].pack for digest in gone}:
                self._rewrite(pack, gone)

    def keep_only(self, needed: Collection[Digest]) -> None:
        """Erase all contents but some, and what a crash left half written."""
        with self._writing, self._lock:
            known = self._read_places()
            for pack in list(self._files()):
                own = {digest for digest, place in known.items() if place.pack == pack}
                # The unreadable parts of a damaged pack may be of any note.
                if pack in self._damaged or not own or not own.issubset(needed):
                    self._rewrite(pack, own.difference(needed))
            for draft in self.folder.glob(".*"):
                draft.unlink(missing_ok=True)

    def _rewrite(self, pack: Path, gone: Collection[Digest]) -> None:
        known = self._read_places()
        rest = {digest: place for digest, place in known.items() if place.pack == pack and digest not in gone}
        if rest:
            contents = ((digest, _read_part(place)) for digest, place in rest.items())
            known.update(_write(pack, contents))
        else:
            pack.unlink(missing_ok=True)
            sync_folder(self.folder)
        for digest in [digest for digest in gone if digest in known and known[digest].pack == pack]:
            del known[digest]
        self._damaged.discard(pack)

    def _read_places(self) -> dict[Digest, Place]:
        """Return the place of each content; reads the tables when it is first called."""
        if self._places is None:
            places: dict[Digest, Place] = {}
            for pack in self._files():
                try:
                    found = _read_table(pack)
                    if found is None:
                        log.warning("The table of %s is damaged; its contents are read one by one", pack.name)
                        self._damaged.add(pack)
                        found = dict(_scan(pack))
                except OSError as error:
                    log.warning("%s cannot be read: %s", pack.name, error.strerror)
                    self._damaged.add(pack)
                    continue
                places.update(found)
            self._places = places
        return self._places

    def _files(self) -> Iterator[Path]:
        return (file for file in sorted(self.folder.glob("*.pack")) if not file.name.startswith("."))


def _make_folder(folder: Path) -> None:
    """Make a folder if it is missing; its name is on disk then."""
    if not folder.exists():
        make_private(folder)
        sync_folder(folder.parent)


def _write(pack: Path, contents: Iterable[tuple[Digest, bytes]]) -> dict[Digest, Place]:
    places: dict[Digest, Place] = {}
    with replace_file(pack) as file:
        start = 0
        for digest, data in contents:
            file.write(data)
            places[digest] = Place(pack, start, len(data))
            start += len(data)
        table = b"".join(_ENTRY.pack(bytes.fromhex(digest), place.length) for digest, place in places.items())
        file.write(table + _END.pack(len(places), zlib.crc32(table), _MAGIC))
    return places


def _read_table(pack: Path) -> dict[Digest, Place] | None:
    size = pack.stat().st_size
    with pack.open("rb") as file:
        file.seek(max(0, size - _END.size))
        end = file.read()
        if len(end) != _END.size:
            return None
        count, checksum, magic = _END.unpack(end)
        begin = size - _END.size - count * _ENTRY.size
        if magic != _MAGIC or begin < 0:
            return None
        file.seek(begin)
        table = file.read(count * _ENTRY.size)
    if zlib.crc32(table) != checksum:
        return None
    places: dict[Digest, Place] = {}
    start = 0
    for digest, length in _ENTRY.iter_unpack(table):
        places[Digest(digest.hex())] = Place(pack, start, length)
        start += length
    return places


def _scan(pack: Path) -> Iterator[tuple[Digest, Place]]:
    data = pack.read_bytes()
    at = data.find(_BEGIN)
    while at >= 0:
        stream, text, end = zlib.decompressobj(), hashlib.sha256(), at
        try:
            while not stream.eof and end < len(data):
                text.update(stream.decompress(data[end : end + _PIECE_BYTES]))
                end += _PIECE_BYTES
        except zlib.error:
            pass
        if stream.eof:
            end -= len(stream.unused_data) + max(0, end - len(data))
            yield Digest(text.hexdigest()), Place(pack, at, end - at)
        at = data.find(_BEGIN, end if stream.eof else at + 1)


def _read_part(place: Place) -> bytes:
    with place.pack.open("rb") as file:
        file.seek(place.start)
        return file.read(place.length)


MIN_PACKED_BLOBS = 256
"""Contents from which on they are stored in a pack: a file for each of thousands takes the disk seconds."""


class Snapshots:
    """A folder of contents; they are on disk before `keep` returns, and several threads may keep some at once."""

    def __init__(self, folder: Path) -> None:
        """Create a store; the folder is made with the first content."""
        self.folder = folder
        self._packs = Packs(folder / "packs")
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
        stored = self._stored_digests() if len(blobs) >= MIN_PACKED_BLOBS else blobs.keys()
        fresh = {each: data for each, data in blobs.items() if each not in stored or not self._is_sound(each)}
        try:
            if len(fresh) >= MIN_PACKED_BLOBS:
                _make_folder(self.folder)
                self._packs.add(fresh)
                return
            shelves = self._make_shelves(fresh)
            do_together(lambda each: self._write(each, fresh[each]), fresh)
            do_together(sync_folder, shelves)
        except OSError as error:
            raise write_error(self.folder, error) from None

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

    def read_sound(self, digest: Digest) -> bytes | None:
        """Return a content; None also when it is damaged."""
        with contextlib.suppress(StateUnusable):
            return self.read(digest)
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
                self.place(digest).unlink(missing_ok=True)
            self._packs.drop(digests)
        except OSError as error:
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

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self._files()) + self._packs.size

    def count_damaged(self) -> int:
        """Count the contents that are damaged on disk, and the packs whose table is; reads them all."""
        count = self._packs.damaged_count
        for digest in self._stored_digests():
            try:
                self.read(digest)
            except StateUnusable:
                count += 1
        return count

    def _stored_digests(self) -> Collection[Digest]:
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
        return (file for file in self.folder.glob("??/*") if file.is_file())

    def _make_shelves(self, digests: Iterable[Digest]) -> list[Path]:
        """Make and return the folders for contents; their names are on disk then."""
        shelves = sorted({self.folder / digest[:2] for digest in digests})
        if shelves:
            _make_folder(self.folder)
        new = [shelf for shelf in shelves if not shelf.exists()]
        try:
            for shelf in new:
                make_private(shelf)
        finally:
            if new:
                sync_folder(self.folder)
        return shelves

    def _write(self, digest: Digest, data: bytes) -> None:
        """Write a file atomically; its folder is synced by the caller."""
        with replace_file(self.place(digest), sync=False) as file:
            file.write(zlib.compress(data, ZLIB_LEVEL))
