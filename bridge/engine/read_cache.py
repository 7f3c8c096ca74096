"""What callers read lately, so that one who comes too late with a change can be told what differs."""

from collections import OrderedDict

from bridge.types import Digest, is_same_digest

ROOM = 32 * 1024 * 1024
"""Bytes that are held."""

LARGEST = 1024 * 1024
"""Bytes of a file that is held."""


class ReadCache:
    """The contents of files that were read last."""

    def __init__(self) -> None:
        self._held: OrderedDict[Digest, bytes] = OrderedDict()
        self._size = 0

    def keep(self, digest: Digest, data: bytes) -> None:
        """Hold a content; what was not read for longest goes for it."""
        if len(data) > LARGEST:
            return
        if self._held.pop(digest, None) is None:
            self._size += len(data)
        self._held[digest] = data
        while self._size > ROOM:
            _, gone = self._held.popitem(last=False)
            self._size -= len(gone)

    def get(self, digest: Digest) -> bytes | None:
        """Return a content by its digest or the beginning of it; None when it is held no more."""
        return next((data for whole, data in self._held.items() if is_same_digest(whole, digest)), None)
