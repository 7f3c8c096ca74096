"""Graphs of given links, without a vault."""

from collections.abc import Iterable
from typing import NamedTuple

from bridge.graph.columns import CODES, EdgeKind, LinkColumns, Nodes
from bridge.graph.graph import Graph
from bridge.types import VaultPath


class Edge(NamedTuple):
    """A link between two notes."""

    source: VaultPath
    target: VaultPath
    kind: EdgeKind = "wiki"


def build_graph(notes: Iterable[VaultPath], edges: Iterable[Edge]) -> Graph:
    """Build a graph; edges to or from unknown notes and from a note to itself are left out."""
    nodes, paths = Nodes(), tuple(notes)
    for path in paths:
        nodes.of(path)
    ends = ((nodes.of(edge.source), nodes.of(edge.target), CODES[edge.kind]) for edge in edges)
    return Graph(nodes, paths, LinkColumns.of((source, source, target, kind, 1, -1) for source, target, kind in ends))
