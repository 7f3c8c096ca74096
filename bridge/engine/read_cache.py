"""Caches what clients read recently: file contents, so that a refused change can show what differs, and long notes."""

from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from threading import Lock, Timer

from bridge.index.background import trim_soon
from bridge.markdown.decode import digest_of
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.types import Digest, VaultPath, is_same_digest

MAX_BYTES = 32 * 1024 * 1024
"""Bytes held in all."""

MAX_FILE_BYTES = 1024 * 1024
"""Size in bytes of the largest file held."""


class ReadCache:
    """The content of recently read files."""

    def __init__(self) -> None:
        self._contents: OrderedDict[Digest, bytes] = OrderedDict()
        self._size = 0

    def keep(self, digest: Digest, data: bytes) -> None:
        """Hold a content, evicting the least recently read."""
        if len(data) > MAX_FILE_BYTES:
            return
        if self._contents.pop(digest, None) is None:
            self._size += len(data)
        self._contents[digest] = data
        while self._size > MAX_BYTES:
            _, gone = self._contents.popitem(last=False)
            self._size -= len(gone)

    def get(self, digest: Digest) -> bytes | None:
        """Return a content by its digest or the beginning of it; None when it is not held."""
        return next((data for whole, data in self._contents.items() if is_same_digest(whole, digest)), None)


LARGE_FILE_BYTES = 100_000
"""Size in bytes of a file that takes a tenth of a second to parse."""

UNUSED_S = 60.0
"""Seconds without use after which the long note is dropped."""


class LongNoteCache:
    """The long note parsed last: it is read in parts, linked and suggested for, and each needs all of it parsed."""

    def __init__(self) -> None:
        self._entry: tuple[tuple[VaultPath, Digest, int], Note] | None = None
        self._drop: Timer | None = None
        self._parsing = Lock()

    def turn(self, size: int) -> AbstractContextManager[object]:
        """Wait for the turn to read a file of so many bytes: two long ones could take more memory than all the rest."""
        return self._parsing if size > MAX_FILE_BYTES else nullcontext()

    def read(self, path: VaultPath, data: bytes, *, max_pdf_pages: int) -> Note:
        """Parse a file, unless it is the one held; a long one in its turn."""
        if len(data) < LARGE_FILE_BYTES:
            return read_document(path, data, max_pdf_pages=max_pdf_pages)
        key = path, digest_of(data), max_pdf_pages
        entry = self._entry
        if entry is None or entry[0] != key:
            self._entry = entry = None
            entry = key, read_document(path, data, max_pdf_pages=max_pdf_pages)
        self._store(entry)
        return entry[1]

    def _store(self, entry: tuple[tuple[VaultPath, Digest, int], Note]) -> None:
        if (before := self._drop) is not None:
            before.cancel()
        self._entry = entry
        self._drop = after = Timer(UNUSED_S, self.clear)
        after.daemon = True
        after.start()

    def clear(self) -> None:
        if self._drop is not None:
            self._drop.cancel()
        self._entry = self._drop = None
        trim_soon()
