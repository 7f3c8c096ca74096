"""Segments of an inverted index: the postings of up to 65,536 documents, as arrays that never change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bridge.index.array_file import Layout, encode_arrays, read_arrays
from bridge.index.open_file import StoredArray
from bridge.index.tokens import Occurrences

MAX_DOCUMENTS = 1 << 16
"""Documents in a segment, so that a posting takes three bytes."""

FORMAT = b"VBPOST03"
"""The beginning of a file; changed with the format, the tokenizer or the hash of tokens."""

MAX_EXACT, _STEPS = 128, 16
"""Frequencies up to the first are stored as they are; above, as 16 steps for each doubling."""

FREQUENCIES = np.concatenate(
    [np.arange(MAX_EXACT + 1), MAX_EXACT * 2.0 ** (np.arange(1, 256 - MAX_EXACT) / _STEPS)], dtype=np.float32
)
"""The frequency that each stored byte means."""

LAYOUT: Layout = (
    ("numbers", "<i8"),
    ("ordinals", "<i4"),
    ("marks", "<u4"),
    ("lengths", "<u4"),
    ("terms", "<u8"),
    ("starts", "<u4"),
    ("documents", "<u2"),
    ("frequencies", "u1"),
)
"""The arrays of a file."""

UNREAD_ARRAYS = ("marks", "documents", "frequencies")
"""Those that are left in the file: a search needs few slices of them, and which is told by the others."""


@dataclass(slots=True, eq=False)
class IndexSegment:
    """Documents, ascending by number and ordinal, and for each term the documents that contain it.

    All documents of a number are in one segment.
    """

    numbers: NDArray[np.int64]
    ordinals: NDArray[np.int32]
    marks: NDArray[np.uint32] | StoredArray
    """A checksum of each document's note, by which a number that stands for another note now is noticed."""
    lengths: NDArray[np.uint32]
    terms: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    """For each term, its first posting; the last one ends all."""
    documents: NDArray[np.uint16] | StoredArray
    frequencies: NDArray[np.uint8] | StoredArray
    file: Path | None = None
    """Where it is stored."""
    live: NDArray[np.bool_] = field(init=False)
    """The documents that count."""
    dead: int = 0
    _distinct: NDArray[np.int64] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.live = np.ones(len(self.numbers), np.bool_)

    def __len__(self) -> int:
        return len(self.numbers)

    def keep(self, live: NDArray[np.bool_]) -> None:
        """Let only these documents count, if they do."""
        self.live = self.live & live
        self.dead = len(self) - int(self.live.sum())

    def drop(self, number: int) -> None:
        """Let the documents of a number count no more."""
        first, last = np.searchsorted(self.numbers, (number, number + 1))
        self.dead += int(self.live[first:last].sum())
        self.live[first:last] = False

    def find(self, terms: NDArray[np.uint64]) -> list[slice]:
        if not len(self.terms):
            return [slice(0, 0)] * len(terms)
        at = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        same = self.terms[at] == terms
        return [
            slice(first, last) if found else slice(0, 0)
            for first, last, found in zip(
                self.starts[at].tolist(), self.starts[at + 1].tolist(), same.tolist(), strict=True
            )
        ]

    @property
    def distinct_terms(self) -> NDArray[np.int64]:
        """How many different terms each document contains."""
        if self._distinct is None:
            self._distinct = np.bincount(self.documents[:], minlength=len(self))
        return self._distinct

    def count(self, place: slice, live: NDArray[np.bool_]) -> int:
        """Return how many documents that count are in a range of postings."""
        if live is self.live and not self.dead:
            return int(place.stop - place.start)
        return int(np.count_nonzero(live[self.documents[place]]))

    def encode(self) -> bytes:
        return encode_arrays(FORMAT, LAYOUT, {name: getattr(self, name)[:] for name, _ in LAYOUT})

    @classmethod
    def load(cls, file: Path) -> Self:
        return cls(**read_arrays(FORMAT, LAYOUT, file, UNREAD_ARRAYS), file=file)

    def keep_in(self, file: Path) -> None:
        """Leave the postings in the file in which they were just stored."""
        stored = self.load(file)
        self.marks, self.documents, self.frequencies = stored.marks, stored.documents, stored.frequencies
        self.file = file


def build_segment(ids: Sequence[tuple[int, int, int]], found: Occurrences) -> IndexSegment:
    """Build a segment of documents, each given by its number and ordinal, ascending, and its mark."""
    documents = np.repeat(np.arange(len(found.counts)), found.counts)
    # Sorted, the postings of a term follow each other, and so do its occurrences in one document.
    keys = np.sort(found.places << 16 | documents)
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(first, append=len(keys))
    above = np.round(MAX_EXACT + _STEPS * np.log2(np.maximum(counts, MAX_EXACT) / MAX_EXACT))
    frequencies = np.where(counts <= MAX_EXACT, counts, np.minimum(above, 255)).astype(np.uint8)
    return assemble_segment(
        np.array([number for number, _, _ in ids], np.int64),
        np.array([ordinal for _, ordinal, _ in ids], np.int32),
        np.array([mark for *_, mark in ids], np.uint32),
        found.counts.astype(np.uint32),
        found.terms,
        keys[first] << 8 | frequencies,
    )


def merge_segments(segments: Sequence[IndexSegment]) -> IndexSegment:
    terms = np.unique(np.concatenate([segment.terms for segment in segments]))
    kept = [np.flatnonzero(segment.live) for segment in segments]
    numbers, ordinals, marks, lengths = (
        np.concatenate([getattr(segment, name)[:][own] for segment, own in zip(segments, kept, strict=True)])
        for name in ("numbers", "ordinals", "marks", "lengths")
    )
    order = np.lexsort((ordinals, numbers))
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order))
    # As few copies as possible: an index has millions of postings.
    merged = np.empty(sum(int(segment.starts[-1]) for segment in segments if len(segment.terms)), np.int64)
    used = 0
    for segment, own in zip(segments, kept, strict=True):
        moved = np.full(len(segment), -1, np.int32)
        moved[own], places = places[: len(own)], places[len(own) :]
        place = moved[segment.documents[:]]
        postings = merged[used : used + len(place)]
        postings[:] = np.repeat(np.searchsorted(terms, segment.terms), np.diff(segment.starts).astype(np.int64))
        postings <<= 24
        postings |= place << 8
        postings |= segment.frequencies[:]
        if len(own) < len(segment):
            live = postings[place >= 0]
            postings = postings[: len(live)]
            postings[:] = live
        used += len(postings)
    merged = merged[:used]
    merged.sort()
    return assemble_segment(numbers[order], ordinals[order], marks[order], lengths[order], terms, merged)


def assemble_segment(
    numbers: NDArray[np.int64],
    ordinals: NDArray[np.int32],
    marks: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    terms: NDArray[np.uint64],
    keys: NDArray[np.int64],
) -> IndexSegment:
    """Build a segment from sorted postings: the place of a term, a document, and a frequency as stored."""
    starts = np.searchsorted(keys, np.arange(len(terms) + 1) << 24)
    present = np.diff(starts) > 0
    return IndexSegment(
        numbers,
        ordinals,
        marks,
        lengths,
        terms[present],
        np.append(starts[:-1][present], starts[-1]).astype(np.uint32),
        # What is above the size of these types is dropped.
        (keys >> 8).astype(np.uint16),
        keys.astype(np.uint8),
    )
