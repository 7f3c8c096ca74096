"""A simple network of numbered nodes, in a form that another process takes at once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge.graph.edges import Edges

if TYPE_CHECKING:
    import igraph


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Some nodes, numbered anew from 0, and the pairs of them that are joined."""

    nodes: NDArray[np.int32]
    """By new number: the number in the graph."""
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self.nodes)

    @property
    def degree(self) -> NDArray[np.int64]:
        """How many others each node is joined to."""
        return np.bincount(np.concatenate([self.first, self.second]), minlength=len(self))

    def opened(self) -> "igraph.Graph":
        """Hand it to igraph; holds up all threads, a million pairs for more than a second."""
        import igraph

        pairs = np.stack([self.first, self.second], axis=1).astype(np.int64)
        return igraph.Graph(n=len(self), edges=np.ascontiguousarray(pairs), directed=False)


def network_of(edges: Edges, nodes: NDArray[np.bool_]) -> Network:
    """Take some nodes and what joins them, without direction and without edges to oneself."""
    kept = np.flatnonzero(nodes).astype(np.int32)
    number = np.full(edges.size, -1, np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    inside = edges.among(nodes)
    first, second, weight = inside.where(inside.source != inside.target).pairs()
    return Network(kept, number[first], number[second], weight)
