"""Counts of a snapshot: its links, unresolved names and degrees."""

import numpy as np
from numpy.typing import NDArray

from bridge.graph.graph import Graph
from bridge.graph.kinds import WRITTEN
from bridge.graph.layout import degrees
from bridge.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """Counts of the written links; arrays are by node number."""

    notes: int
    links: int
    """Pairs of notes joined by a link or an arrow."""
    stubs: int
    """Names that notes link to and that no note has."""
    links_out: NDArray[np.bool_]
    linked_to: NDArray[np.bool_]
    joined: NDArray[np.int64]
    """How many other notes each note is joined to."""


def census(graph: Graph) -> Census:
    """Count a graph's links; takes 0.3 s for a million links."""
    edges = graph.edges_of(WRITTEN, stubs=True)
    named = graph.stubs[edges.target]
    links = edges.where(~named)
    joined = degrees(links)
    return Census(
        notes=len(graph),
        links=int(joined.sum()) // 2,
        stubs=len(np.unique(edges.target[named])),
        links_out=np.bincount(edges.source, minlength=edges.size) > 0,
        linked_to=np.bincount(edges.target, minlength=edges.size) > 0,
        joined=joined,
    )
