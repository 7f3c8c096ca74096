"""Semantically similar notes: each is among the nearest of the other, so that no hub is similar to everything."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

NEAREST = 5
"""Neighbours of each note that are checked for being mutual."""

LEAST = 0.5
"""Minimum cosine of similar notes."""

BLOCK = 512
"""Notes compared at a time: 512 × 50,000 products are 100 MB."""

EACH_WITH_EACH = 20_000
"""Up to this many notes, all pairs are compared, in some ten seconds; beyond, those in the same region."""

NEAR = 16
"""Regions searched for the nearest notes of a note."""

SEED = 17
ROUNDS = 3


def mutual_neighbours(
    vectors: NDArray[np.floating], each_with_each: int = EACH_WITH_EACH
) -> list[tuple[int, int, float]]:
    """Return the pairs of mutually nearest rows with their cosine; takes seconds from 10,000 rows."""
    vectors = np.ascontiguousarray(vectors, np.float32)
    count = len(vectors)
    if count < 2:
        return []
    nearest = np.full((count, NEAREST), -1, np.int64)
    cosine = np.full((count, NEAREST), -np.inf, np.float32)
    everything = np.arange(count)
    for rows, others in [(everything, everything)] if count <= each_with_each else iter_regions(vectors):
        compare(vectors, rows, others, nearest, cosine)
    first = np.repeat(everything, NEAREST)
    second, alike = nearest.ravel(), cosine.ravel()
    mask = alike >= LEAST
    key = np.minimum(first, second)[mask] * count + np.maximum(first, second)[mask]
    found, at, times = np.unique(key, return_index=True, return_counts=True)
    both = times == 2
    weights = alike[mask][at][both]
    pairs = zip((found[both] // count).tolist(), (found[both] % count).tolist(), weights.tolist(), strict=True)
    return [*pairs]


def compare(vectors: Floats, rows: Numbers, others: Numbers, nearest: Numbers, cosine: Floats) -> None:
    """Search the nearest of some rows among others, except themselves, and record the improvements."""
    taken = min(NEAREST, len(others))
    among = vectors[others].T
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK]
        products = vectors[some] @ among
        products[some[:, None] == others] = -np.inf
        best = np.argpartition(products, len(others) - taken, axis=1)[:, len(others) - taken :]
        found = np.hstack([nearest[some], others[best]])
        alike = np.hstack([cosine[some], np.take_along_axis(products, best, axis=1)])
        nearest_columns = np.argpartition(alike, taken, axis=1)[:, taken:]
        nearest[some] = np.take_along_axis(found, nearest_columns, axis=1)
        cosine[some] = np.take_along_axis(alike, nearest_columns, axis=1)


def iter_regions(vectors: Floats) -> Iterator[tuple[Numbers, Numbers]]:
    count = round(len(vectors) ** 0.5)
    centres = vectors[np.random.default_rng(SEED).choice(len(vectors), count, replace=False)]
    for _ in range(ROUNDS):
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest_regions(vectors, centres, 1)[:, 0], vectors)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        # A region without rows stays where it was.
        centres = np.where(length > 0, sums / np.maximum(length, 1e-12), centres)
    near = nearest_regions(vectors, centres, min(NEAR, count))
    for inside, beside in zip(rows_by_region(near[:, :1], count), rows_by_region(near, count), strict=True):
        if len(inside):
            yield beside, inside


def nearest_regions(vectors: Floats, centres: Floats, taken: int) -> Numbers:
    parts = (vectors[at : at + BLOCK] @ centres.T for at in range(0, len(vectors), BLOCK))
    return np.concatenate([np.argsort(-part, axis=1)[:, :taken] for part in parts])


def rows_by_region(near: Numbers, count: int) -> list[Numbers]:
    order = np.argsort(near.ravel(), kind="stable")
    return np.split(order // near.shape[1], np.searchsorted(near.ravel()[order], np.arange(1, count)))
