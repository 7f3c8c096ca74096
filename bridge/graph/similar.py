"""Notes close in meaning, by a rule that no popular note can win alone: each is among the nearest of the other."""

import numpy as np
from numpy.typing import NDArray

NEAREST = 5
"""Of each note, as many others are asked whether it is also among their nearest."""

LEAST = 0.5
"""Cosine from which on two notes can be called similar."""

BLOCK = 512
"""Notes compared with all others at a time: 512 × 50,000 products are 100 MB."""


def mutually_nearest(vectors: NDArray[np.float32]) -> list[tuple[int, int, float]]:
    """Return the pairs of rows that are among the nearest of each other, with their cosine; takes seconds from 10,000.

    Args:
        vectors: One a row, of length 1.
    """
    count = len(vectors)
    if count < 2:
        return []
    taken = min(NEAREST, count - 1)
    nearest = np.empty((count, taken), np.int64)
    cosine = np.empty((count, taken), np.float32)
    for start in range(0, count, BLOCK):
        rows = slice(start, min(start + BLOCK, count))
        products = vectors[rows] @ vectors.T
        products[np.arange(rows.stop - start), np.arange(start, rows.stop)] = -np.inf
        best = np.argpartition(products, count - taken, axis=1)[:, count - taken :]
        nearest[rows] = best
        cosine[rows] = np.take_along_axis(products, best, axis=1)
    first = np.repeat(np.arange(count), taken)
    second, alike = nearest.ravel(), cosine.ravel()
    kept = alike >= LEAST
    key = np.minimum(first, second)[kept] * count + np.maximum(first, second)[kept]
    found, at, times = np.unique(key, return_index=True, return_counts=True)
    both = times == 2
    weights = alike[kept][at][both]
    pairs = zip((found[both] // count).tolist(), (found[both] % count).tolist(), weights.tolist(), strict=True)
    return [*pairs]
