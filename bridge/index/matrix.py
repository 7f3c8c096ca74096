"""Vectors in memory, one row per text, and the passages mapped to them.

A passage scores as `normalise(passage + TITLE_WEIGHT · title)` would, but from the two raw vectors: the norm is stored,
so that a new title moves an index instead of a vector.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TITLE_WEIGHT = 0.3
"""Weight of a note's title in the vectors of its passages."""

BLOCK = 4096
"""Rows allocated at a time, so that growth copies nothing."""

Floats = NDArray[np.float32]


class VectorRows:
    """Raw unit vectors by digest."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.of: dict[bytes, int] = {}
        self._blocks: list[Floats] = []
        self._free: list[int] = []
        self._used = 0

    def put(self, digests: Sequence[bytes], vectors: Floats) -> None:
        """Add vectors; a known digest keeps its first vector."""
        for digest, vector in zip(digests, vectors, strict=True):
            if digest not in self.of:
                row = self._free.pop() if self._free else self._next()
                self._blocks[row // BLOCK][row % BLOCK] = vector
                self.of[digest] = row

    def extend(self, digests: Sequence[bytes], vectors: NDArray[np.float16]) -> None:
        """Append vectors that are not there yet; for loading."""
        self.of.update(zip(digests, range(self._used, self._used + len(digests)), strict=True))
        at = 0
        while at < len(digests):
            if self._used == len(self._blocks) * BLOCK:
                self._blocks.append(np.zeros((BLOCK, self.dimensions), np.float32))
            place = self._used % BLOCK
            part = vectors[at : at + BLOCK - place]
            self._blocks[-1][place : place + len(part)] = part
            self._used += len(part)
            at += len(part)

    def _next(self) -> int:
        """Return an unused row, in a new block if needed."""
        if self._used == len(self._blocks) * BLOCK:
            self._blocks.append(np.zeros((BLOCK, self.dimensions), np.float32))
        self._used += 1
        return self._used - 1

    def drop(self, digests: Iterable[bytes]) -> None:
        """Remove vectors; their rows are reused."""
        for digest in digests:
            row = self.of.pop(digest, None)
            if row is not None:
                self._free.append(row)

    def at(self, rows: NDArray[np.int32]) -> Floats:
        """Return the vectors of some rows."""
        if not len(rows):
            return np.zeros((0, self.dimensions), np.float32)
        found = np.empty((len(rows), self.dimensions), np.float32)
        blocks = rows // BLOCK
        for block in np.unique(blocks).tolist():
            here = blocks == block
            found[here] = self._blocks[block][rows[here] % BLOCK]
        return found

    def dot(self, vector: Floats) -> Floats:
        """Return the dot product of every row with a vector."""
        blocks = list(self._blocks)
        scores = np.empty(len(blocks) * BLOCK, np.float32)
        for number, block in enumerate(blocks):
            # Not BLAS: its threads wait for each other on a busy machine, where 4 ms became 130.
            np.einsum("ij,j->i", block, vector, out=scores[number * BLOCK : (number + 1) * BLOCK])
        return scores


@dataclass(slots=True)
class RowMap:
    """Maps passages to rows. Arrays are replaced, never resized, so that a search in a thread keeps its own."""

    key: NDArray[np.int64]
    ordinal: NDArray[np.int32]
    passage: NDArray[np.int32]
    title: NDArray[np.int32]
    norm: Floats

    @classmethod
    def of_size(cls, size: int) -> "RowMap":
        """Return empty places; a row of -1 means that the vector is missing."""
        return cls(
            np.full(size, -1, np.int64),
            np.zeros(size, np.int32),
            np.full(size, -1, np.int32),
            np.full(size, -1, np.int32),
            np.ones(size, np.float32),
        )

    def copied(self, size: int, kept: NDArray[np.intp]) -> "RowMap":
        """Return a copy of another size that begins with some of these places."""
        new = RowMap.of_size(size)
        for name in ("key", "ordinal", "passage", "title", "norm"):
            getattr(new, name)[: len(kept)] = getattr(self, name)[kept]
        return new


@dataclass(frozen=True, slots=True)
class TextDigests:
    """Digests of a note's texts: its title and its passages; None for a passage that is not embedded."""

    title: bytes
    passages: tuple[bytes | None, ...]


class VectorMatrix:
    """The vectors of all passages, for one model."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.rows = VectorRows(dimensions)
        self.poison: set[bytes] = set()
        self.waiting: dict[bytes, set[int]] = {}
        """By text without a vector: keys of the notes that contain it."""
        self.titles: set[bytes] = set()
        """The waiting texts that are titles."""
        self._columns = RowMap.of_size(BLOCK)
        self._used = 0
        self._places: dict[int, range] = {}
        self._digests: dict[int, TextDigests] = {}

    def put(self, notes: Mapping[int, TextDigests]) -> None:
        """Add the passages of notes, by key, with their vectors if known."""
        for key in notes:
            self.drop(key)
        count = sum(len(digests.passages) for digests in notes.values())
        if self._used + count > len(self._columns.key):
            self._compact(count)
        first = self._used
        rows = self.rows.of
        columns = self._columns
        passages: list[int] = []
        titles: list[int] = []
        ordinals: list[int] = []
        keys: list[int] = []
        for key, digests in notes.items():
            size = len(digests.passages)
            self._places[key] = range(self._used, self._used + size)
            self._digests[key] = digests
            self._used += size
            passages += [-1 if digest is None else rows.get(digest, -1) for digest in digests.passages]
            titles += [rows.get(digests.title, -1)] * size
            ordinals += range(size)
            keys += [key] * size
            self._await(key, digests)
        span = slice(first, self._used)
        columns.ordinal[span] = ordinals
        columns.passage[span] = passages
        columns.title[span] = titles
        self._weigh(span)
        # Last, because it makes the places visible to searches.
        columns.key[span] = keys

    def _await(self, key: int, digests: TextDigests) -> None:
        """Record which texts of a note wait for a vector."""
        for digest in {digests.title, *digests.passages}:
            if digest is not None and digest not in self.rows.of and digest not in self.poison:
                self.waiting.setdefault(digest, set()).add(key)
                if digest == digests.title:
                    self.titles.add(digest)

    def drop(self, key: int) -> None:
        """Remove a note's passages; their vectors stay."""
        places = self._places.pop(key, None)
        digests = self._digests.pop(key, None)
        if places is None or digests is None:
            return
        self._columns.key[places.start : places.stop] = -1
        for digest in {digests.title, *digests.passages} - {None}:
            if digest in self.waiting:
                self.waiting[digest].discard(key)
                if not self.waiting[digest]:
                    del self.waiting[digest]
                    self.titles.discard(digest)

    def _compact(self, room: int) -> None:
        """Make room by dropping the places of removed notes."""
        kept = np.flatnonzero(self._columns.key[: self._used] >= 0)
        size = max(BLOCK, 2 ** int(np.ceil(np.log2((len(kept) + room) * 1.25))))
        self._columns = self._columns.copied(size, kept)
        self._used = len(kept)
        keys = self._columns.key[: self._used]
        starts = np.flatnonzero(np.diff(keys, prepend=-2)).tolist()
        ends = [*starts[1:], self._used] if starts else []
        empty = [key for key, places in self._places.items() if not places]
        self._places = dict.fromkeys(empty, range(0)) | {
            int(keys[start]): range(start, end) for start, end in zip(starts, ends, strict=True)
        }

    def _weigh(self, span: slice) -> None:
        """Compute the norms of passages whose vectors are complete."""
        columns = self._columns
        both = np.flatnonzero((columns.passage[span] >= 0) & (columns.title[span] >= 0)) + span.start
        columns.norm[span] = 1.0
        for at in range(0, len(both), BLOCK):
            part = both[at : at + BLOCK]
            alike = np.einsum("ij,ij->i", self.rows.at(columns.passage[part]), self.rows.at(columns.title[part]))
            columns.norm[part] = np.sqrt(1 + TITLE_WEIGHT**2 + 2 * TITLE_WEIGHT * alike)

    def fill(self, digests: Sequence[bytes], vectors: Floats) -> None:
        """Store vectors of waiting texts."""
        self.rows.put(digests, vectors)
        keys: set[int] = set()
        for digest in digests:
            keys |= self.waiting.pop(digest, set())
            self.titles.discard(digest)
        for key in keys:
            whole, places = self._digests[key], self._places[key]
            span = slice(places.start, places.stop)
            self._columns.passage[span] = [-1 if d is None else self.rows.of.get(d, -1) for d in whole.passages]
            self._columns.title[span] = self.rows.of.get(whole.title, -1)
            self._weigh(span)

    def give_up(self, digests: Iterable[bytes]) -> None:
        """Stop waiting for these texts."""
        for digest in digests:
            self.poison.add(digest)
            self.waiting.pop(digest, None)
            self.titles.discard(digest)

    def digests(self) -> set[bytes]:
        """Return the digest of every text in a note."""
        return {d for digests in self._digests.values() for d in (digests.title, *digests.passages) if d is not None}

    def pending(self) -> int:
        """Count the distinct passages without a vector."""
        return len(self.waiting) - len(self.titles)

    def placed(self) -> int:
        """Count the passages that have a vector."""
        columns, used = self._columns, self._used
        return int(np.count_nonzero((columns.key[:used] >= 0) & (columns.passage[:used] >= 0)))

    def nearest(
        self, vector: Floats, limit: int, keys: Collection[int] | None, hidden: NDArray[np.int64] | None = None
    ) -> Callable[[], list[tuple[int, int, float]]]:
        """Return a function that finds the best passage of each of the nearest notes, for any thread.

        Args:
            vector: The query, of length 1.
            limit: How many notes.
            keys: Only these notes.
            hidden: Not these notes.
        """
        # Copied now: writes during the search in its thread must not change it.
        columns = self._columns.copied(self._used, np.arange(self._used))

        def search() -> list[tuple[int, int, float]]:
            usable = (columns.key >= 0) & (columns.passage >= 0)
            if keys is not None:
                usable &= np.isin(columns.key, np.fromiter(keys, np.int64, len(keys)))
            if hidden is not None:
                usable &= ~np.isin(columns.key, hidden)
            products = self.rows.dot(vector)
            if not len(products):
                return []
            title = np.where(columns.title >= 0, products[columns.title], np.float32(0))
            scores = (products[columns.passage] + np.float32(TITLE_WEIGHT) * title) / columns.norm
            return best_passage_of_notes(
                columns.key, columns.ordinal, np.where(usable, scores, -np.inf).astype(np.float32), limit
            )

        return search

    def vector_of(self, key: int, ordinal: int | None = None) -> Floats | None:
        """Return a note, or one passage of it, as one vector: the mean of its passages, each with its title."""
        places = self._places.get(key)
        if places is None:
            return None
        span = slice(places.start, places.stop)
        usable = self._columns.passage[span] >= 0
        if ordinal is not None:
            usable &= self._columns.ordinal[span] == ordinal
        here = np.flatnonzero(usable) + span.start
        if not len(here):
            return None
        vectors = self.rows.at(self._columns.passage[here])
        title = self._columns.title[here[0]]
        if title >= 0:
            vectors = vectors + TITLE_WEIGHT * self.rows.at(title[None])
        mean: Floats = (vectors / self._columns.norm[here][:, None]).mean(axis=0, dtype=np.float32)
        return normalise(mean)


def best_passage_of_notes(
    key: NDArray[np.int64], ordinal: NDArray[np.int32], scores: Floats, limit: int
) -> list[tuple[int, int, float]]:
    """Return the best passage of each of the best notes, best first."""
    taken = min(len(scores), max(64, 8 * limit))
    while taken:
        top = np.argpartition(scores, len(scores) - taken)[len(scores) - taken :]
        top = top[np.argsort(-scores[top], kind="stable")]
        found: dict[int, tuple[int, int, float]] = {}
        for place in top.tolist():
            if scores[place] == -np.inf:
                return list(found.values())[:limit]
            found.setdefault(int(key[place]), (int(key[place]), int(ordinal[place]), float(scores[place])))
        if len(found) >= limit or taken == len(scores):
            return list(found.values())[:limit]
        taken = min(len(scores), 4 * taken)
    return []


def normalise(vector: Floats) -> Floats:
    """Return a vector scaled to length 1; the zero vector stays."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector
