"""Who is beside whom, as sorted arrays: a neighbourhood is one slice."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The neighbours of every node; two that link to each other are neighbours twice."""

    start: NDArray[np.int64]
    """By node: where its neighbours begin; one longer than there are nodes."""
    beside: NDArray[np.int32]
    outward: NDArray[np.bool_]
    """Whether the link leads to the neighbour, or comes from it."""
    pairs: int
    """Pairs of which one links to the other."""

    @classmethod
    def of(cls, size: int, source: NDArray[np.int32], target: NDArray[np.int32]) -> Self:
        """Sort links by their ends; each pair counts once, links to oneself not at all.

        Args:
            size: How many nodes there are.
            source: Where each link begins.
            target: Where it leads.
        """
        pair = source.astype(np.int64) * size + target
        pair = pair[source != target]
        pair.sort()
        pair = pair[np.diff(pair, prepend=-1) != 0]
        first, second = pair // max(size, 1), pair % max(size, 1)
        both = np.concatenate([pair * 2 + 1, (second * size + first) * 2])
        both.sort()
        ends = both // 2
        start = np.searchsorted(ends, np.arange(size + 1, dtype=np.int64) * size)
        return cls(start, (ends % max(size, 1)).astype(np.int32), both % 2 == 1, len(pair))

    def degree(self, node: int) -> int:
        """Count the neighbours of a node, those with links in both directions twice."""
        return int(self.start[node + 1] - self.start[node])

    def around(self, node: int) -> list[int]:
        """Return the neighbours of a node, in order, those with links in both directions twice."""
        found: list[int] = self.beside[self.start[node] : self.start[node + 1]].tolist()
        return found

    def along(self, node: int, *, outward: bool) -> list[int]:
        """Return the neighbours in one direction."""
        here = slice(self.start[node], self.start[node + 1])
        found: list[int] = self.beside[here][self.outward[here] == outward].tolist()
        return found
