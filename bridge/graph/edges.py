"""Edges of chosen kinds as columns of numbers, and what of a network they make."""

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bridge.graph.kinds import CODES, WEIGHTS, EdgeKind

Numbers = NDArray[np.int32]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges by row; two nodes may be joined in several ways."""

    size: int
    """How many node numbers there are."""
    source: Numbers
    target: Numbers
    kind: Numbers
    weight: Weights
    owner: Numbers
    """The note whose text says it."""

    @classmethod
    def made(cls, size: int, kind: EdgeKind, pairs: Sequence[tuple[int, int, float]]) -> Self:
        """Make edges of one kind between pairs of notes that share something; each weighs the given part."""
        # Not by numpy, which would hold up every other thread meanwhile: 70 ms for 200,000 pairs.
        first, second = array("i", (pair[0] for pair in pairs)), array("i", (pair[1] for pair in pairs))
        weight = array("d", (pair[2] * WEIGHTS[kind] for pair in pairs))
        source, target = np.array(first, np.int32), np.array(second, np.int32)
        return cls(
            size, source, target, np.full(len(pairs), CODES[kind], np.int32), np.array(weight, np.float64), source
        )

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.source)

    def where(self, kept: NDArray[np.bool_]) -> "Edges":
        """Return only some."""
        columns = (column[kept] for column in (self.source, self.target, self.kind, self.weight, self.owner))
        return Edges(self.size, *columns)  # type: ignore[arg-type]  # each column keeps its type

    def among(self, nodes: NDArray[np.bool_]) -> "Edges":
        """Return those of which both ends are among some nodes."""
        return self.where(nodes[self.source] & nodes[self.target])

    def between(self, one: int, other: int) -> "Edges":
        """Return those that join two nodes, in either direction."""
        there = (self.source == one) & (self.target == other)
        return self.where(there | ((self.source == other) & (self.target == one)))

    def pairs(self) -> tuple[Numbers, Numbers, Weights]:
        """Return each pair of nodes that is joined once, the lower number first, with the weight of all its edges."""
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        key = low.astype(np.int64) * self.size + high
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1) != 0)
        weight = np.add.reduceat(self.weight[order], first) if len(first) else np.empty(0)
        return low[order][first], high[order][first], weight


def together(size: int, parts: Iterable[Edges]) -> Edges:
    """Put edges one after the other."""
    every = [Edges.made(size, "wiki", ()), *parts]
    columns = ("source", "target", "kind", "weight", "owner")
    return Edges(size, *(np.concatenate([getattr(part, name) for part in every]) for name in columns))


def coded(kinds: Collection[EdgeKind]) -> list[int]:
    """Return the codes of some kinds."""
    return [CODES[kind] for kind in kinds]
