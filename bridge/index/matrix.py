"""The passages, mapped to the vectors of their texts.

A passage scores as `normalise(passage + TITLE_WEIGHT · title)` would, but from the two raw vectors: the norm is stored,
so that a new title moves an index instead of a vector.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bridge.index.digests import DigestRows, Digests, TextDigests, digests_of
from bridge.index.hits import MAX_EQUAL_HITS
from bridge.index.open_file import OpenFile

Rows = NDArray[np.int32]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

BLOCK_ROWS = 4096
"""Rows allocated and multiplied at a time, so that growth copies nothing and other threads wait for no scan."""

NO_VECTOR_ROW = -1
"""The row of a text without a vector: its product with any vector is -inf."""

READ_AT_ONCE = 512
"""Rows read from the file at a time, so that they are still in the processor's cache when they are multiplied."""

NO_TITLE_ROW = -2
"""The row of a title without a vector: its product with any vector is 0."""

SPARSE_RATIO = 64
"""Where at most one row in so many is wanted, only those are read and multiplied."""


class VectorRows:
    """Unit vectors by digest: the last of them in memory, full blocks of others in a file without a name.

    The system keeps that file in its cache as long as nothing else needs the memory, and reading it there takes as long
    as multiplying it.
    """

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        """Start without vectors; without a folder for the file, all stay in memory."""
        self.dimensions = dimensions
        self.of = DigestRows()
        self._folder = folder
        self._file: OpenFile | None = None
        self._blocks: list[Halves | None] = []
        """The last one; None for one that is in the file."""
        self._free: list[int] = []
        self._used = 0

    def put(self, digests: Sequence[bytes], vectors: Floats | Halves) -> None:
        """Add vectors; a known digest keeps its first vector."""
        for digest, vector in zip(digests, vectors, strict=True):
            if digest not in self.of:
                row = self._free.pop() if self._free else self._next()
                self._write(row, vector.astype(np.float16))
                self.of.add(digest, row)

    def extend(self, digests: Digests, vectors: Halves) -> None:
        """Append vectors that are not there yet; for loading."""
        self.of.extend(digests, self._used)
        at = 0
        while at < len(digests):
            self._grow()
            place = self._used % BLOCK_ROWS
            part = vectors[at : at + BLOCK_ROWS - place]
            if (block := self._blocks[-1]) is not None:
                block[place : place + len(part)] = part
            self._used += len(part)
            at += len(part)

    def _next(self) -> int:
        self._grow()
        self._used += 1
        return self._used - 1

    def _grow(self) -> None:
        if self._used == len(self._blocks) * BLOCK_ROWS:
            self._move_to_file()
            self._blocks.append(np.zeros((BLOCK_ROWS, self.dimensions), np.float16))

    def _move_to_file(self) -> None:
        if self._folder is not None and self._blocks:
            self._file = self._file or OpenFile.scratch(self._folder)
            for number, block in enumerate(self._blocks):
                if block is not None:
                    self._file.write(block.data.cast("B"), self._place(number * BLOCK_ROWS))
                    self._blocks[number] = None

    def _place(self, row: int) -> int:
        return row * self.dimensions * 2

    def _write(self, row: int, vector: Halves) -> None:
        if (block := self._blocks[row // BLOCK_ROWS]) is not None:
            block[row % BLOCK_ROWS] = vector
        elif self._file is not None:
            self._file.write(np.ascontiguousarray(vector).data.cast("B"), self._place(row))

    def _read(self, into: Halves, row: int) -> None:
        if self._file is not None:
            self._file.read(into.data.cast("B"), self._place(row))

    @property
    def size(self) -> int:
        """The bytes of all vectors."""
        return len(self.of) * self.dimensions * 2

    def drop(self, digests: Iterable[bytes]) -> None:
        """Remove vectors; their rows are reused."""
        nothing = np.zeros(self.dimensions, np.float16)
        for digest in digests:
            row = self.of.pop(digest)
            if row is not None:
                self._free.append(row)
                # What was derived from a note that is denied now must not stay in the file.
                self._write(row, nothing)

    def at(self, rows: NDArray[np.integer]) -> Halves:
        """Return the vectors of rows; those that follow each other are read from the file at once."""
        found = np.empty((len(rows), self.dimensions), np.float16)
        order = np.argsort(rows, kind="stable")
        ordered = rows[order].astype(np.int64)
        ends = np.flatnonzero((np.diff(ordered) > 1) | (np.diff(ordered // BLOCK_ROWS) > 0)) + 1
        for here in np.split(order, ends) if len(rows) else ():
            first, last = int(rows[here[0]]), int(rows[here[-1]])
            block = self._blocks[first // BLOCK_ROWS]
            if block is None:
                block = np.empty((last - first + 1, self.dimensions), np.float16)
                self._read(block, first)
                found[here] = block.take(rows[here] - first, axis=0)
            else:
                found[here] = block.take(rows[here] % BLOCK_ROWS, axis=0)
        return found

    def pair(self, some: Rows, others: Rows) -> Floats:
        """Return the dot product of each of some rows with the row at the same place in the others."""
        products = np.empty(len(some), np.float32)
        for at in range(0, len(some), BLOCK_ROWS):
            part = slice(at, at + BLOCK_ROWS)
            multiply(self.at(some[part]), self.at(others[part]), products[part])
        return products

    def dot(self, vector: Floats, wanted: Sequence[Rows] | None = None) -> Floats:
        """Return the dot products of a vector with every row, to be looked up by row, also by negative ones."""
        blocks = list(self._blocks)
        half = vector.astype(np.float16)
        products = np.zeros(len(blocks) * BLOCK_ROWS + 2, np.float32)
        products[NO_VECTOR_ROW] = -np.inf
        rows = None if wanted is None else distinct(wanted, len(products))
        if rows is None or len(rows) * SPARSE_RATIO > self._used:
            for row, part in self._parts(blocks):
                multiply(part, np.broadcast_to(half, part.shape), products[row : row + len(part)])
            return products
        for at in range(0, len(rows), BLOCK_ROWS):
            wanted_rows = rows[at : at + BLOCK_ROWS]
            found = self.at(wanted_rows)
            scores = np.empty(len(wanted_rows), np.float32)
            multiply(found, np.broadcast_to(half, found.shape), scores)
            products[wanted_rows] = scores
        return products

    def _parts(self, blocks: Sequence[Halves | None]) -> Iterator[tuple[int, Halves]]:
        """Yield all vectors in parts, each after its first row; the next one may take its memory."""
        buffer = np.empty((READ_AT_ONCE, self.dimensions), np.float16)
        for number, block in enumerate(blocks):
            if block is not None:
                yield number * BLOCK_ROWS, block
                continue
            for row in range(number * BLOCK_ROWS, (number + 1) * BLOCK_ROWS, READ_AT_ONCE):
                self._read(buffer, row)
                yield row, buffer


def distinct(wanted: Sequence[Rows], size: int) -> NDArray[np.intp]:
    flags = np.zeros(size, bool)
    for rows in wanted:
        flags[rows] = True
    flags[[NO_VECTOR_ROW, NO_TITLE_ROW]] = False
    return np.flatnonzero(flags)


def multiply(some: Halves, others: Halves, products: Floats) -> None:
    """Write the dot product of each vector with the one at the same place, summed in float32; lets threads run."""
    import numkong

    numkong.dot(some, others, out=products)


MIN_NEAR_NOTES = 20
"""Notes that the nearest vectors must belong to, or every vector is compared after all."""

TITLE_WEIGHT = 0.3
"""Weight of a note's title in the vectors of its passages."""


class RowMap(Struct):
    """Maps passages to rows. What a search in a thread may be reading is replaced, never changed."""

    key: NDArray[np.int64]
    ordinal: NDArray[np.int32]
    passage: NDArray[np.int32]
    title: NDArray[np.int32]
    norm: Floats
    lent: bool = False
    """Whether a search may be reading the places that were taken when it began."""

    @classmethod
    def of_size(cls, size: int) -> "RowMap":
        return cls(
            np.full(size, -1, np.int64),
            np.zeros(size, np.int32),
            np.full(size, NO_VECTOR_ROW, np.int32),
            np.full(size, NO_TITLE_ROW, np.int32),
            np.ones(size, np.float32),
        )

    def copy(self, size: int, kept: NDArray[np.intp] | slice) -> "RowMap":
        new = RowMap.of_size(size)
        for name in ("key", "ordinal", "passage", "title", "norm"):
            values = getattr(self, name)[kept]
            getattr(new, name)[: len(values)] = values
        return new


class VectorMatrix:
    """The vectors of all passages, for one model."""

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        """Start without notes; the folder is for a file of vectors."""
        self.dimensions = dimensions
        self.rows = VectorRows(dimensions, folder)
        self.poison: set[bytes] = set()
        self.waiting: dict[bytes, set[int]] = {}
        """By text without a vector: keys of the notes that contain it."""
        self.titles: set[bytes] = set()
        """The waiting texts that are titles."""
        self._columns = RowMap.of_size(BLOCK_ROWS)
        self._used = 0
        self._places: dict[int, range] = {}
        self._digests: dict[int, TextDigests] = {}

    def put(self, notes: Mapping[int, TextDigests]) -> None:
        """Add the passages of notes, by key, with their vectors if known."""
        for key in notes:
            self.drop(key)
        sizes = np.fromiter(map(len, notes.values()), np.int64, len(notes))
        if self._used + sizes.sum() > len(self._columns.key):
            self._compact(int(sizes.sum()))
        columns = self._columns
        rows = self.rows.of.find(digests_of(b"".join(digests.packed for digests in notes.values())))
        title_at = np.cumsum(sizes + 1) - sizes - 1
        is_passage = np.ones(len(rows), np.bool_)
        is_passage[title_at] = False
        ends = np.cumsum(sizes)
        span = slice(self._used, self._used + int(sizes.sum()))
        # No search reads these places: each keeps to those that were used when it began.
        columns.ordinal[span] = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
        columns.passage[span] = rows[is_passage]
        columns.title[span] = np.repeat(np.where(rows[title_at] < 0, NO_TITLE_ROW, rows[title_at]), sizes)
        columns.key[span] = np.repeat(np.fromiter(notes, np.int64, len(notes)), sizes)
        for (key, digests), end, size in zip(notes.items(), ends.tolist(), sizes.tolist(), strict=True):
            self._places[key] = range(self._used + end - size, self._used + end)
            self._digests[key] = digests
        self._used = span.stop
        lacking = np.add.reduceat(rows < 0, title_at) if len(notes) else rows
        for key, digests in compress(notes.items(), lacking):
            self._await(key, digests)
        self._weigh(span)

    def _own_columns(self) -> RowMap:
        if self._columns.lent:
            self._columns = self._columns.copy(len(self._columns.key), slice(self._used))
        return self._columns

    def _await(self, key: int, digests: TextDigests) -> None:
        for digest in digests.texts:
            if digest not in self.rows.of and digest not in self.poison:
                self.waiting.setdefault(digest, set()).add(key)
                if digest == digests.title:
                    self.titles.add(digest)

    def drop(self, key: int) -> None:
        """Remove a note's passages; their vectors stay."""
        places = self._places.pop(key, None)
        digests = self._digests.pop(key, None)
        if places is None or digests is None:
            return
        columns = self._own_columns()
        columns.key[places.start : places.stop] = -1
        columns.passage[places.start : places.stop] = NO_VECTOR_ROW
        for digest in digests.texts if self.waiting else ():
            if digest in self.waiting:
                self.waiting[digest].discard(key)
                if not self.waiting[digest]:
                    del self.waiting[digest]
                    self.titles.discard(digest)

    def _compact(self, room: int) -> None:
        kept = np.flatnonzero(self._columns.key[: self._used] >= 0)
        size = max(BLOCK_ROWS, (len(kept) + room) * 5 // 4)
        self._columns = self._columns.copy(size, kept)
        self._used = len(kept)
        keys = self._columns.key[: self._used]
        starts = np.flatnonzero(np.diff(keys, prepend=-2)).tolist()
        ends = [*starts[1:], self._used] if starts else []
        empty = [key for key, places in self._places.items() if not places]
        self._places = dict.fromkeys(empty, range(0)) | {
            int(keys[start]): range(start, end) for start, end in zip(starts, ends, strict=True)
        }

    def _weigh(self, span: slice) -> None:
        columns = self._columns
        both = np.flatnonzero((columns.passage[span] >= 0) & (columns.title[span] >= 0)) + span.start
        columns.norm[span] = 1.0
        alike = self.rows.pair(columns.passage[both], columns.title[both])
        columns.norm[both] = np.sqrt(1 + TITLE_WEIGHT**2 + 2 * TITLE_WEIGHT * alike)

    def fill(self, digests: Sequence[bytes], vectors: Floats) -> None:
        self.rows.put(digests, vectors)
        keys: set[int] = set()
        for digest in digests:
            keys |= self.waiting.pop(digest, set())
            self.titles.discard(digest)
        columns = self._own_columns()
        for key in keys:
            whole, places = self._digests[key], self._places[key]
            span = slice(places.start, places.stop)
            title, *passages = self.rows.of.find(digests_of(whole.packed)).tolist()
            columns.passage[span] = passages
            columns.title[span] = NO_TITLE_ROW if title < 0 else title
            self._weigh(span)

    def give_up(self, digests: Iterable[bytes]) -> None:
        """Stop waiting for these texts."""
        for digest in digests:
            self.poison.add(digest)
            self.waiting.pop(digest, None)
            self.titles.discard(digest)

    def count_pending(self) -> int:
        return len(self.waiting) - len(self.titles)

    def count_placed(self) -> int:
        return int(np.count_nonzero(self._columns.passage[: self._used] >= 0))

    def nearest(
        self,
        vector: Floats,
        limit: int,
        keys: Collection[int] | None,
        hidden: NDArray[np.int64] | None = None,
        *,
        every_passage: bool = False,
        near: NDArray[np.int64] | None = None,
    ) -> Callable[[], list[tuple[int, int, float]]]:
        """Return a function that finds the best passage of each of the nearest notes, for any thread.

        With `near`, only passages of which these rows are the vector, or that of the title, are compared, unless that
        yields too few notes.
        """
        columns, used = self._columns, self._used
        columns.lent = True

        def search() -> list[tuple[int, int, float]]:
            if near is not None:
                part = near_places(near, columns.passage[:used], columns.title[:used])
                found = compare(part[select(columns.key[part], keys, hidden)])
                if len(found) >= min(limit, MIN_NEAR_NOTES):
                    return found
            whole = keys is None and hidden is None
            return compare(slice(used) if whole else select(columns.key[:used], keys, hidden))

        def compare(part: slice | NDArray[np.intp]) -> list[tuple[int, int, float]]:
            passage, title = columns.passage[part], columns.title[part]
            products = self.rows.dot(vector, None if isinstance(part, slice) else (passage, title))
            scores = products.take(title)
            scores *= np.float32(TITLE_WEIGHT)
            scores += products.take(passage)
            scores /= columns.norm[part]
            if every_passage:
                return best_passages(columns.key[part], columns.ordinal[part], scores, limit)
            return best_passage_of_notes(columns.key[part], columns.ordinal[part], scores, limit)

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
        vectors = self.rows.at(self._columns.passage[here]).astype(np.float32)
        title = self._columns.title[here[0]]
        if title >= 0:
            vectors += np.float32(TITLE_WEIGHT) * self.rows.at(title[None])
        mean: Floats = (vectors / self._columns.norm[here][:, None]).mean(axis=0, dtype=np.float32)
        return normalise(mean)


def near_places(near: NDArray[np.int64], passage: Rows, title: Rows) -> NDArray[np.intp]:
    """Return the places whose passage or title is among some rows."""
    size = max(int(column.max(initial=-1)) for column in (near, passage, title))
    flags = np.zeros(size + 3, np.bool_)
    flags[near] = True
    return np.flatnonzero(flags[passage] | flags[title])


def select(key: NDArray[np.int64], keys: Collection[int] | None, hidden: NDArray[np.int64] | None) -> NDArray[np.intp]:
    """Return the places of the notes that are among some keys, and not among others."""
    # One more than the keys: a place without a note has -1, the last.
    shown = np.full(int(key.max(initial=-1)) + 2, keys is None)
    if keys is not None:
        chosen = np.fromiter(keys, np.int64, len(keys))
        shown[chosen[chosen < len(shown)]] = True
    if hidden is not None:
        shown[hidden[hidden < len(shown)]] = False
    shown[-1] = False
    return np.flatnonzero(shown[key])


def best_passage_of_notes(
    key: NDArray[np.int64], ordinal: NDArray[np.int32], scores: Floats, limit: int
) -> list[tuple[int, int, float]]:
    """Return the best passage of each of the best notes, best first; also of those that equal the last of them."""
    taken = min(len(scores), max(64, 8 * limit))
    while taken:
        top = best_places(ordinal, scores, taken)
        best = top[np.sort(np.unique(key[top], return_index=True)[1])]
        if len(best) >= limit or taken == len(scores):
            return list_passages(key, ordinal, scores, best, limit)
        taken = min(len(scores), 4 * taken)
    return []


def best_passages(
    key: NDArray[np.int64], ordinal: NDArray[np.int32], scores: Floats, limit: int
) -> list[tuple[int, int, float]]:
    """Return the best passages, best first; also those that equal the last of them."""
    taken = min(len(scores), limit)
    return list_passages(key, ordinal, scores, best_places(ordinal, scores, taken), limit) if taken else []


def best_places(ordinal: NDArray[np.int32], scores: Floats, taken: int) -> NDArray[np.intp]:
    """Return the places of so many best scores, and of all that equal the last, in order; ties are by ordinal."""
    least = np.partition(scores, len(scores) - taken)[len(scores) - taken]
    top = np.flatnonzero((scores >= least) & (scores > -np.inf))
    return top[np.lexsort((ordinal[top], -scores[top]))]


def list_passages(
    key: NDArray[np.int64], ordinal: NDArray[np.int32], scores: Floats, best: NDArray[np.intp], limit: int
) -> list[tuple[int, int, float]]:
    if len(best) > limit:
        best = best[: min(np.count_nonzero(scores[best] >= scores[best[limit - 1]]), limit + MAX_EQUAL_HITS)]
    return list(zip(key[best].tolist(), ordinal[best].tolist(), scores[best].tolist(), strict=True))


def normalise(vector: Floats) -> Floats:
    """Return a vector scaled to length 1; the zero vector stays."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else vector
