"""Pairs of notes that other notes link to together, without a link between the two."""

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import Edges

MOST_NAMED = 50
"""Notes with more links are lists: appearing together in one says little."""

MOST_PAIRS = 5_000_000
"""Maximum number of pairs considered; notes with few links go first, because theirs say most."""

LEAST_TOGETHER = 2

Gaps = list[tuple[int, int, int, float]]


def find_gaps(edges: Edges, most: int) -> Gaps:
    """Return pairs of nodes that may need a link: the two, how many notes link to both, and a score.

    Each note that links to both counts by the rarity of Adamic and Adar (2003): the fewer others it links to, the more.
    """
    size = edges.size
    key = edges.source.astype(np.int64) * size + edges.target
    key = np.unique(key[edges.source != edges.target])
    source, target = key // max(size, 1), key % max(size, 1)
    together, weight = _cocited_pairs(source, target, size)
    order = np.argsort(together, kind="stable")
    together = together[order]
    first = np.flatnonzero(np.diff(together, prepend=-1) != 0)
    if not len(first):
        return []
    times = np.diff(first, append=len(together))
    telling = np.add.reduceat(weight[order], first)
    pair = together[first]
    one, other = pair // size, pair % size
    linked = np.isin(pair, np.minimum(source, target) * size + np.maximum(source, target))
    named = np.bincount(target, minlength=size)
    # Two notes that everyone links to appear together by chance.
    score = telling * times / np.sqrt(named[one] * named[other])
    strong = np.flatnonzero(~linked & (times >= LEAST_TOGETHER))
    best = strong[np.lexsort((pair[strong], -score[strong]))][:most]
    columns = (one[best].tolist(), other[best].tolist(), times[best].tolist(), score[best].tolist())
    return [*zip(*columns, strict=True)]


def _cocited_pairs(
    source: NDArray[np.int64], target: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each pair of targets of each source as one number, and its score; sources are in order."""
    count = np.bincount(source, minlength=size)
    start = np.cumsum(count) - count
    pairs, weights, seen = [np.empty(0, np.int64)], [np.empty(0)], 0
    for many in range(2, MOST_NAMED + 1):
        begin = start[count == many]
        seen += len(begin) * many * (many - 1) // 2
        if seen > MOST_PAIRS:
            break
        rows = target[begin[:, None] + np.arange(many)]
        low, high = np.triu_indices(many, 1)
        # The targets of a source are in order, so the lower comes first.
        found = (rows[:, low] * size + rows[:, high]).ravel()
        pairs.append(found)
        weights.append(np.full(len(found), 1 / np.log2(1 + many)))
    return np.concatenate(pairs), np.concatenate(weights)
