"""The graph of notes, in igraph."""

from bridge.graph.graph import Edge, Graph, Near

__all__ = ["Edge", "Graph", "Near"]
