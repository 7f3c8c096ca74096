"""Caches what clients read recently: file contents, so that a refused change can show what differs, and long notes."""

from collections import OrderedDict
from threading import Timer

from bridge.index.background import trim_soon
from bridge.markdown.decode import digest_of
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.types import Digest, VaultPath, is_same_digest

ROOM = 32 * 1024 * 1024
"""Bytes held in all."""

LARGEST = 1024 * 1024
"""Size in bytes of the largest file held."""


class ReadCache:
    """The content of recently read files."""

    def __init__(self) -> None:
        self._held: OrderedDict[Digest, bytes] = OrderedDict()
        self._size = 0

    def keep(self, digest: Digest, data: bytes) -> None:
        """Hold a content, evicting the least recently read."""
        if len(data) > LARGEST:
            return
        if self._held.pop(digest, None) is None:
            self._size += len(data)
        self._held[digest] = data
        while self._size > ROOM:
            _, gone = self._held.popitem(last=False)
            self._size -= len(gone)

    def get(self, digest: Digest) -> bytes | None:
        """Return a content by its digest or the beginning of it; None when it is not held."""
        return next((data for whole, data in self._held.items() if is_same_digest(whole, digest)), None)


LONG = 100_000
"""Size in bytes of a file that takes a tenth of a second to parse."""

UNUSED_S = 60.0
"""Seconds without use after which the long note is dropped."""


class LongNoteCache:
    """The long note parsed last: it is read in parts, linked and suggested for, and each needs all of it parsed."""

    def __init__(self) -> None:
        self._held: tuple[tuple[VaultPath, Digest, int], Note] | None = None
        self._drop: Timer | None = None

    def read(self, path: VaultPath, data: bytes, *, max_pdf_pages: int) -> Note:
        """Parse a file, unless it is the one held.

        Args:
            path: Path in the vault.
            data: The file's bytes.
            max_pdf_pages: How many pages of a PDF to read.
        """
        if len(data) < LONG:
            return read_document(path, data, max_pdf_pages=max_pdf_pages)
        key = path, digest_of(data), max_pdf_pages
        held = self._held
        if held is None or held[0] != key:
            # Two long notes at once could take more memory than all the rest.
            self._held = held = None
            held = key, read_document(path, data, max_pdf_pages=max_pdf_pages)
        self._hold(held)
        return held[1]

    def _hold(self, held: tuple[tuple[VaultPath, Digest, int], Note]) -> None:
        """Hold a note until it is not used any more."""
        if (before := self._drop) is not None:
            before.cancel()
        self._held = held
        self._drop = after = Timer(UNUSED_S, self.clear)
        after.daemon = True
        after.start()

    def clear(self) -> None:
        """Drop the note, and return its memory."""
        self._held = None
        trim_soon()
