"""Digests of texts in arrays: as objects, those of a million passages would take several times as much memory."""

import sys
from bisect import bisect_left
from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bridge.records import Record

DIGEST_BYTES = 32

NO_DIGEST = bytes(DIGEST_BYTES)
"""Stands for that of a passage that is not embedded."""

NO_ROW = -1

Digests = NDArray[np.uint64]
"""Four numbers for each digest; of the first, hardly any two have the same."""

MIN_RECENT = 1_024
"""Digests looked up in a dictionary before they are sorted in among the others."""


def digests_of(packed: bytes | memoryview) -> Digests:
    return np.frombuffer(packed, np.uint64).reshape(-1, DIGEST_BYTES // 8)


class TextDigests(Record):
    """Digests of a note's texts, one after the other: its title and its passages."""

    packed: bytes

    @classmethod
    def of(cls, title: bytes, passages: Iterable[bytes | None]) -> Self:
        """Pack the digests; None for a passage that is not embedded."""
        return cls(b"".join((title, *(digest or NO_DIGEST for digest in passages))))

    def __len__(self) -> int:
        return len(self.packed) // DIGEST_BYTES - 1

    @property
    def title(self) -> bytes:
        return self.packed[:DIGEST_BYTES]

    @property
    def passages(self) -> tuple[bytes | None, ...]:
        """The digests of the passages; None for one that is not embedded."""
        whole = (self.packed[at : at + DIGEST_BYTES] for at in range(DIGEST_BYTES, len(self.packed), DIGEST_BYTES))
        return tuple(None if digest == NO_DIGEST else digest for digest in whole)

    def passage(self, ordinal: int) -> bytes | None:
        digest = self.packed[DIGEST_BYTES * (ordinal + 1) : DIGEST_BYTES * (ordinal + 2)]
        return None if digest == NO_DIGEST else digest

    @property
    def texts(self) -> set[bytes]:
        """The digests of everything that is embedded."""
        return {self.title, *(digest for digest in self.passages if digest is not None)}


class DigestRows:
    """The row of each digest; for one thread."""

    def __init__(self) -> None:
        self._count = 0
        self._names = np.zeros((0, DIGEST_BYTES // 8), np.uint64)
        """By row; zeros where it has no digest."""
        self._firsts = np.zeros(0, np.uint64)
        """The first numbers of digests, in order, also of some that are gone."""
        self._rows = np.zeros(0, np.int32)
        """The rows of these."""
        self._recent: dict[bytes, int] = {}
        self._unsorted: list[NDArray[np.int32]] = []
        """Rows of digests that were appended, until one is looked up."""

    def __len__(self) -> int:
        return self._count

    def __contains__(self, digest: bytes) -> bool:
        return self.get(digest) is not None

    def get(self, digest: bytes) -> int | None:
        if (row := self._recent.get(digest)) is not None:
            return row
        self._sort()
        first = int.from_bytes(digest[:8], sys.byteorder)
        at = bisect_left(self._firsts.data, first)
        while at < len(self._firsts) and self._firsts[at] == first:
            if self._names[(row := int(self._rows[at]))].tobytes() == digest != NO_DIGEST:
                return row
            at += 1
        return None

    def find(self, digests: Digests) -> NDArray[np.int64]:
        """Return the rows of digests; `NO_ROW` for those that have none."""
        self._sort()
        rows = np.full(len(digests), NO_ROW, np.int64)
        if len(self._firsts):
            at = np.minimum(np.searchsorted(self._firsts, digests[:, 0]), len(self._firsts) - 1)
            alike = self._firsts[at] == digests[:, 0]
            found = self._rows[at]
            same = (self._names[found] == digests).all(axis=1) & digests.any(axis=1)
            rows[same] = found[same]
        else:
            alike = same = np.zeros(len(digests), np.bool_)
        for place in np.flatnonzero(~same if self._recent else alike & ~same).tolist():
            if (row := self.get(digests[place].tobytes())) is not None:
                rows[place] = row
        return rows

    def add(self, digest: bytes, row: int) -> None:
        self._reserve(row + 1)
        self._names[row] = digests_of(digest)[0]
        self._recent[digest] = row
        self._count += 1
        if len(self._recent) > max(MIN_RECENT, len(self._firsts) // 8):
            self._unsorted.append(np.fromiter(self._recent.values(), np.int32, len(self._recent)))
            self._recent = {}

    def extend(self, digests: Digests, first: int) -> None:
        """Give rows from one on to many digests; of equal ones, the first counts."""
        self._reserve(first + len(digests))
        self._names[first : first + len(digests)] = digests
        self._unsorted.append(np.arange(first, first + len(digests), dtype=np.int32))
        self._count += len(digests)

    def pop(self, digest: bytes) -> int | None:
        """Take its row from a digest, and return it."""
        row = self.get(digest)
        if row is not None:
            self._recent.pop(digest, None)
            self._names[row] = 0
            self._count -= 1
        return row

    def without(self, needed: Iterable[bytes]) -> list[bytes]:
        """Return the digests that are not among others, given one after the other."""
        rows = self.find(digests_of(b"".join(needed)))
        unneeded = self._names.max(axis=1, initial=0) > 0
        unneeded[rows[rows >= 0]] = False
        return [name.tobytes() for name in self._names[unneeded]]

    def _reserve(self, size: int) -> None:
        if size > len(self._names):
            grown = np.zeros((max(size, len(self._names) * 5 // 4), DIGEST_BYTES // 8), np.uint64)
            grown[: len(self._names)] = self._names
            self._names = grown

    def _sort(self) -> None:
        """Sort in what was appended, without digests that are gone or equal an earlier one."""
        if not self._unsorted:
            return
        flags = np.zeros(len(self._names), np.bool_)
        for some in (self._rows, *self._unsorted):
            flags[some] = True
        rows = np.flatnonzero(flags & (self._names.max(axis=1, initial=0) > 0)).astype(np.int32)
        firsts = self._names[rows, 0]
        order = np.argsort(firsts, kind="stable")
        rows, firsts = rows[order], firsts[order]
        kept = np.ones(len(rows), np.bool_)
        met: dict[bytes, int] = {}
        for place in np.flatnonzero(firsts[1:] == firsts[:-1]).tolist():
            for at in (place, place + 1):
                name = self._names[rows[at]].tobytes()
                kept[at] = met.setdefault(name, at) == at
        self._names[rows[~kept]] = 0
        self._count -= int(np.count_nonzero(~kept))
        self._rows, self._firsts, self._unsorted = rows[kept], firsts[kept], []
