"""Unit vectors in memory, one row per text, as float16: what the table on disk has, so a restart changes no score."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

BLOCK = 4096
"""Rows allocated and multiplied at a time, so that growth copies nothing and other threads wait for no scan."""

MISSING = -1
"""The row of a text without a vector: its product with any vector is -inf."""

UNTITLED = -2
"""The row of a title without a vector: its product with any vector is 0."""

FEW = 8
"""Where at most one row in so many is wanted, only those are multiplied."""


class VectorRows:
    """Unit vectors by digest."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.of: dict[bytes, int] = {}
        self._blocks: list[Halves] = []
        self._free: list[int] = []
        self._used = 0

    def put(self, digests: Sequence[bytes], vectors: Floats | Halves) -> None:
        """Add vectors; a known digest keeps its first vector."""
        for digest, vector in zip(digests, vectors, strict=True):
            if digest not in self.of:
                row = self._free.pop() if self._free else self._next()
                self._blocks[row // BLOCK][row % BLOCK] = vector
                self.of[digest] = row

    def extend(self, digests: Sequence[bytes], vectors: Halves) -> None:
        """Append vectors that are not there yet; for loading."""
        self.of.update(zip(digests, range(self._used, self._used + len(digests)), strict=True))
        at = 0
        while at < len(digests):
            self._grow()
            place = self._used % BLOCK
            part = vectors[at : at + BLOCK - place]
            self._blocks[-1][place : place + len(part)] = part
            self._used += len(part)
            at += len(part)

    def _next(self) -> int:
        self._grow()
        self._used += 1
        return self._used - 1

    def _grow(self) -> None:
        if self._used == len(self._blocks) * BLOCK:
            self._blocks.append(np.zeros((BLOCK, self.dimensions), np.float16))

    def drop(self, digests: Iterable[bytes]) -> None:
        """Remove vectors; their rows are reused."""
        for digest in digests:
            row = self.of.pop(digest, None)
            if row is not None:
                self._free.append(row)

    def at(self, rows: NDArray[np.integer]) -> Halves:
        found = np.empty((len(rows), self.dimensions), np.float16)
        blocks = rows // BLOCK
        order = np.argsort(blocks, kind="stable")
        for here in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1) if len(rows) else ():
            found[here] = self._blocks[blocks[here[0]]].take(rows[here] % BLOCK, axis=0)
        return found

    def pair(self, some: Rows, others: Rows) -> Floats:
        """Return the dot product of each of some rows with the row at the same place in the others."""
        products = np.empty(len(some), np.float32)
        for at in range(0, len(some), BLOCK):
            part = slice(at, at + BLOCK)
            multiply(self.at(some[part]), self.at(others[part]), products[part])
        return products

    def dot(self, vector: Floats, wanted: Sequence[Rows] | None = None) -> Floats:
        """Return the dot products of a vector with every row, to be looked up by row, also by negative ones."""
        blocks = list(self._blocks)
        half = vector.astype(np.float16)
        products = np.zeros(len(blocks) * BLOCK + 2, np.float32)
        products[MISSING] = -np.inf
        rows = None if wanted is None else distinct(wanted, len(products))
        if rows is None or len(rows) * FEW > self._used:
            repeated = np.broadcast_to(half, (BLOCK, self.dimensions))
            for number, block in enumerate(blocks):
                multiply(block, repeated, products[number * BLOCK : (number + 1) * BLOCK])
            return products
        for at in range(0, len(rows), BLOCK):
            part = rows[at : at + BLOCK]
            found = self.at(part)
            scores = np.empty(len(part), np.float32)
            multiply(found, np.broadcast_to(half, found.shape), scores)
            products[part] = scores
        return products


def distinct(wanted: Sequence[Rows], size: int) -> NDArray[np.intp]:
    flags = np.zeros(size, bool)
    for rows in wanted:
        flags[rows] = True
    flags[[MISSING, UNTITLED]] = False
    return np.flatnonzero(flags)


def multiply(some: Halves, others: Halves, products: Floats) -> None:
    """Write the dot product of each vector with the one at the same place, summed in float32; lets threads run."""
    import numkong

    numkong.dot(some, others, out=products)
