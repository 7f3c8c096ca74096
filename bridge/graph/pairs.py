"""Pairs of notes: with a rare tag or a small folder in common, with near vectors, or linked together by others."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations, islice
from math import log2

import numpy as np
from numpy.typing import NDArray

from bridge.graph.columns import Edges
from bridge.text.fold import fold_case

MAX_TAG_NOTES = 10
"""Maximum number of notes with a tag for it to relate two of them; n notes make n²/2 edges."""

MAX_TAGS = 20
"""Tags of one note that count, the rarest first."""

MAX_FOLDER_NOTES = 30
"""Maximum size of a folder whose notes are joined; a larger one says little about two of them."""

Pairs = list[tuple[int, int, float]]


def pairs_by_tag(tags: Mapping[int, Iterable[str]]) -> Pairs:
    """Join notes that share a rare tag: a tag on two notes weighs 1, one on ten about 0.46."""
    carrying: defaultdict[str, set[int]] = defaultdict(set)
    for note, names in tags.items():
        for name in names:
            carrying[fold_case(name)].add(note)
    rare = sorted(
        (name for name, notes in carrying.items() if 2 <= len(notes) <= MAX_TAG_NOTES), key=lambda n: len(carrying[n])
    )
    taken: defaultdict[int, int] = defaultdict(int)
    joined: dict[tuple[int, int], float] = {}
    for name in rare:
        notes = [note for note in sorted(carrying[name]) if taken[note] < MAX_TAGS]
        for note in notes:
            taken[note] += 1
        for pair in combinations(notes, 2):
            joined[pair] = max(joined.get(pair, 0.0), rarity(len(carrying[name])))
    return [(*pair, weight) for pair, weight in joined.items()]


def rarity(notes: int) -> float:
    """Return how much a tag says about two notes that have it, given how many do."""
    return log2(3) / log2(1 + notes)


def pairs_by_folder(folders: Mapping[int, Hashable]) -> Pairs:
    inside: defaultdict[Hashable, list[int]] = defaultdict(list)
    for note, folder in folders.items():
        inside[folder].append(note)
    small = (notes for notes in inside.values() if len(notes) <= MAX_FOLDER_NOTES)
    return [(*pair, 1.0) for notes in small for pair in combinations(sorted(notes), 2)]


def shared_tags(one: Iterable[str], other: Iterable[str]) -> list[str]:
    """Return the tags that two notes share, as the first writes them."""
    folded = {fold_case(tag) for tag in other}
    return list(islice((tag for tag in one if fold_case(tag) in folded), MAX_TAGS))


Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

MAX_NEIGHBOURS = 5
"""Neighbours of each note that are checked for being mutual."""

MIN_COSINE = 0.5
"""Minimum cosine of similar notes."""

BLOCK_NOTES = 512
"""Notes compared at a time: 512 × 50,000 products are 100 MB."""

EACH_WITH_EACH = 20_000
"""Up to this many notes, all pairs are compared, in some ten seconds; beyond, those in the same region."""

SEARCHED_REGIONS = 16

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
    nearest = np.full((count, MAX_NEIGHBOURS), -1, np.int64)
    cosine = np.full((count, MAX_NEIGHBOURS), -np.inf, np.float32)
    everything = np.arange(count)
    for rows, others in [(everything, everything)] if count <= each_with_each else iter_regions(vectors):
        compare(vectors, rows, others, nearest, cosine)
    first = np.repeat(everything, MAX_NEIGHBOURS)
    second, alike = nearest.ravel(), cosine.ravel()
    mask = alike >= MIN_COSINE
    key = np.minimum(first, second)[mask] * count + np.maximum(first, second)[mask]
    found, at, times = np.unique(key, return_index=True, return_counts=True)
    both = times == 2
    weights = alike[mask][at][both]
    pairs = zip((found[both] // count).tolist(), (found[both] % count).tolist(), weights.tolist(), strict=True)
    return [*pairs]


def compare(vectors: Floats, rows: Numbers, others: Numbers, nearest: Numbers, cosine: Floats) -> None:
    """Search the nearest of some rows among others, except themselves, and record the improvements."""
    taken = min(MAX_NEIGHBOURS, len(others))
    among = vectors[others].T
    for start in range(0, len(rows), BLOCK_NOTES):
        some = rows[start : start + BLOCK_NOTES]
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
    near = nearest_regions(vectors, centres, min(SEARCHED_REGIONS, count))
    for inside, beside in zip(rows_by_region(near[:, :1], count), rows_by_region(near, count), strict=True):
        if len(inside):
            yield beside, inside


def nearest_regions(vectors: Floats, centres: Floats, taken: int) -> Numbers:
    parts = (vectors[at : at + BLOCK_NOTES] @ centres.T for at in range(0, len(vectors), BLOCK_NOTES))
    return np.concatenate([np.argsort(-part, axis=1)[:, :taken] for part in parts])


def rows_by_region(near: Numbers, count: int) -> list[Numbers]:
    order = np.argsort(near.ravel(), kind="stable")
    return np.split(order // near.shape[1], np.searchsorted(near.ravel()[order], np.arange(1, count)))


MAX_NOTE_LINKS = 50
"""Notes with more links are lists: appearing together in one says little."""

MAX_PAIRS = 5_000_000
"""Maximum number of pairs considered; notes with few links go first, because theirs say most."""

MIN_COCITATIONS = 2

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
    strong = np.flatnonzero(~linked & (times >= MIN_COCITATIONS))
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
    for many in range(2, MAX_NOTE_LINKS + 1):
        begin = start[count == many]
        seen += len(begin) * many * (many - 1) // 2
        if seen > MAX_PAIRS:
            break
        rows = target[begin[:, None] + np.arange(many)]
        low, high = np.triu_indices(many, 1)
        # The targets of a source are in order, so the lower comes first.
        found = (rows[:, low] * size + rows[:, high]).ravel()
        pairs.append(found)
        weights.append(np.full(len(found), 1 / np.log2(1 + many)))
    return np.concatenate(pairs), np.concatenate(weights)
