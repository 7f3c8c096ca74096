"""Caches content that clients read recently, so that a refused change can show what differs."""

from collections import OrderedDict

from bridge.types import Digest, is_same_digest

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
