"""Revises documents of an inverted index by the words that left and joined them; their texts are not split again."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge.index.segment import EXACT, MOST_DOCUMENTS, Segment, assemble_segment
from bridge.index.tokens import Occurrences, Vocabulary
from bridge.records import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """A document without ordinals that gets other words, and a new number and mark."""

    before: int
    number: int
    mark: int
    removed: str
    added: str


class _Postings(NamedTuple):
    """Postings in any order: the term, the place of the document and the frequency as stored of each."""

    terms: NDArray[np.uint64]
    places: NDArray[np.int64]
    frequencies: NDArray[np.int64]


def revise_documents(
    segments: Sequence[Segment], revisions: Sequence[Revision], vocabulary: Vocabulary
) -> tuple[list[Segment], list[Revision]]:
    """Build segments of revised documents; call in a thread that may use the vocabulary."""
    built: list[Segment] = []
    inexact: list[Revision] = []
    for start in range(0, len(revisions), MOST_DOCUMENTS):
        left = revisions[start : start + MOST_DOCUMENTS]
        while left:
            segment, failed = _revise(segments, left, vocabulary)
            if not failed:
                built.append(segment)
                break
            inexact += (left[place] for place in sorted(failed))
            left = [revision for place, revision in enumerate(left) if place not in failed]
    return built, inexact


def _revise(
    segments: Sequence[Segment], revisions: Sequence[Revision], vocabulary: Vocabulary
) -> tuple[Segment, set[int]]:
    """Build the segment of some documents; it must not be used if any of them, given by place, are inexact."""
    old, lengths = _postings_of(segments, np.array([revision.before for revision in revisions], np.int64))
    failed = lengths < 0
    removed = vocabulary.find([revision.removed for revision in revisions])
    added = vocabulary.find([revision.added for revision in revisions])
    lengths = np.maximum(lengths, 0) + added.counts - removed.counts
    terms = np.unique(np.concatenate([old.terms, removed.terms, added.terms]))
    keys = np.searchsorted(terms, old.terms) << 16 | old.places
    order = np.argsort(keys)
    keys, frequencies = keys[order], old.frequencies[order]
    changed, by = _differences(terms, removed, added)
    at = np.searchsorted(keys, changed)
    known = np.zeros(len(changed), np.bool_)
    inside = at < len(keys)
    known[inside] = keys[at[inside]] == changed[inside]
    before = np.zeros(len(changed), np.int64)
    before[known] = frequencies[at[known]]
    after = before + by
    failed[changed[(before >= EXACT) | (after >= EXACT) | (after < 0)] & 0xFFFF] = True
    frequencies[at[known]] = np.clip(after[known], 0, EXACT)
    new = ~known & (after > 0)
    keys = np.concatenate([keys, changed[new]])
    frequencies = np.concatenate([frequencies, after[new]])
    postings = np.sort(keys[frequencies > 0] << 8 | frequencies[frequencies > 0])
    segment = assemble_segment(
        np.array([revision.number for revision in revisions], np.int64),
        np.zeros(len(revisions), np.int32),
        np.array([revision.mark for revision in revisions], np.uint32),
        lengths.astype(np.uint32),
        terms,
        postings,
    )
    return segment, set(np.flatnonzero(failed).tolist())


def _postings_of(segments: Sequence[Segment], numbers: NDArray[np.int64]) -> tuple[_Postings, NDArray[np.int64]]:
    """Return the postings of the live documents of some numbers, by their place, and their lengths; -1 for none."""
    order = np.argsort(numbers)
    lengths = np.full(len(numbers), -1, np.int64)
    found: list[_Postings] = [_Postings(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64))]
    for segment in segments:
        place = np.minimum(np.searchsorted(numbers[order], segment.numbers), len(numbers) - 1)
        own = (numbers[order][place] == segment.numbers) & segment.live
        places = np.where(own, order[place], -1)
        lengths[places[own]] = segment.lengths[own]
        of = places[segment.documents]
        term = np.repeat(segment.terms, np.diff(segment.starts).astype(np.int64))
        found.append(_Postings(term[of >= 0], of[of >= 0], segment.frequencies[of >= 0].astype(np.int64)))
    return _Postings(*map(np.concatenate, zip(*found, strict=True))), lengths


def _differences(
    terms: NDArray[np.uint64], removed: Occurrences, added: Occurrences
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return by how much the frequency of a term in a document changes, by the places of both, where it does."""
    keys = [
        np.searchsorted(terms, each.terms)[each.places] << 16 | np.repeat(np.arange(len(each.counts)), each.counts)
        for each in (removed, added)
    ]
    signs = np.concatenate([np.full(len(keys[0]), -1), np.full(len(keys[1]), 1)])
    changed, place = np.unique(np.concatenate(keys), return_inverse=True)
    by = np.bincount(place, signs, len(changed)).astype(np.int64)
    return changed[by != 0], by[by != 0]
