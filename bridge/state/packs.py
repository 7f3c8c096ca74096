"""Stores the contents of a large change in one file, a pack: compressed contents one after another, then a table.

A table that is damaged is made again from the contents, each of which can be read without it.
"""

import contextlib
import hashlib
import logging
import os
import secrets
import struct
import threading
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bridge.private_files import make_private, move_into_place, sync_file, sync_folder
from bridge.types import Digest

log = logging.getLogger(__name__)

LEVEL: Final = 1
"""zlib's fastest: it reduces text to a third, and more effort gains little."""

_BEGIN: Final = b"\x78\x01"
"""The first bytes of what zlib compressed at this level."""

_MAGIC: Final = b"VBPACK1\n"
_ENTRY: Final = struct.Struct(">32sI")
"""A content's digest, and its compressed length; the contents lie in the order of the table."""
_END: Final = struct.Struct(">II8s")
"""The number of entries, the checksum of the table, and `_MAGIC`."""

_PIECE: Final = 1 << 16


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
            if not self.folder.exists():
                make_private(self.folder)
                sync_folder(self.folder.parent)
            pack = self.folder / f"{secrets.token_hex(8)}.pack"
            # What is stored again was damaged; after a restart it might be taken for the sound one.
            self._drop(blobs)
            places = _write(pack, ((digest, zlib.compress(data, LEVEL)) for digest, data in blobs.items()))
            with self._lock:
                self._known().update(places)

    def read(self, digest: Digest) -> bytes | None:
        """Return a content; None when no pack has it."""
        with self._lock:
            place = self._known().get(digest)
            return None if place is None else zlib.decompress(_read_part(place))

    def find(self, beginning: str) -> Digest | None:
        """Return a digest that begins so; None when no pack has one."""
        with self._lock:
            return next((digest for digest in self._known() if digest.startswith(beginning)), None)

    def digests(self) -> Collection[Digest]:
        with self._lock:
            return set(self._known())

    def size_of(self, digest: Digest) -> int:
        """Return the bytes that a content takes on disk; 0 when no pack has it."""
        with self._lock:
            place = self._known().get(digest)
            return 0 if place is None else place.length + _ENTRY.size

    @property
    def size(self) -> int:
        return sum(pack.stat().st_size for pack in self._files())

    @property
    def damaged(self) -> int:
        """The number of packs with a damaged table, or that cannot be read."""
        with self._lock:
            self._known()
            return len(self._damaged)

    def drop(self, digests: Iterable[Digest]) -> None:
        """Erase contents: the packs that have them are written again without them."""
        with self._writing:
            self._drop(digests)

    def _drop(self, digests: Iterable[Digest]) -> None:
        with self._lock:
            known = self._known()
            gone = {digest for digest in digests if digest in known}
            for pack in {known[digest].pack for digest in gone}:
                self._rewrite(pack, gone)

    def keep_only(self, needed: Collection[Digest]) -> None:
        """Erase all contents but some, and what a crash left half written."""
        with self._writing, self._lock:
            known = self._known()
            for pack in list(self._files()):
                own = {digest for digest, place in known.items() if place.pack == pack}
                # The unreadable parts of a damaged pack may be of any note.
                if pack in self._damaged or not own or not own.issubset(needed):
                    self._rewrite(pack, own.difference(needed))
            for draft in self.folder.glob(".*"):
                draft.unlink(missing_ok=True)

    def _rewrite(self, pack: Path, gone: Collection[Digest]) -> None:
        known = self._known()
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

    def _known(self) -> dict[Digest, Place]:
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


def _write(pack: Path, contents: Iterable[tuple[Digest, bytes]]) -> dict[Digest, Place]:
    draft = pack.with_name(f".{pack.name}")
    places: dict[Digest, Place] = {}
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            start = 0
            for digest, data in contents:
                file.write(data)
                places[digest] = Place(pack, start, len(data))
                start += len(data)
            table = b"".join(_ENTRY.pack(bytes.fromhex(digest), place.length) for digest, place in places.items())
            file.write(table + _END.pack(len(places), zlib.crc32(table), _MAGIC))
            file.flush()
            sync_file(file.fileno())
        move_into_place(draft, pack)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
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
                text.update(stream.decompress(data[end : end + _PIECE]))
                end += _PIECE
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
