"""The graph of notes: who links to whom, what lies near, and what its shape tells."""

from typing import TYPE_CHECKING, Any

from bridge.graph.graph import Edge, Graph, Near
from bridge.graph.kinds import CODES, KINDS, SHARED, WEIGHTS, WRITTEN, EdgeKind
from bridge.graph.nodes import Nodes
from bridge.graph.sharing import by_folder, by_tag, shared_tags
from bridge.graph.wording import names_of

if TYPE_CHECKING:
    from bridge.graph.adjacency import Adjacency
    from bridge.graph.cocitation import gaps
    from bridge.graph.counting import Census, census
    from bridge.graph.edges import Edges, together
    from bridge.graph.layout import laid_out
    from bridge.graph.measure import Measures, measured, pagerank
    from bridge.graph.network import Network, network_of
    from bridge.graph.picture import Picture, around, drawn, folded, members
    from bridge.graph.similar import mutually_nearest
    from bridge.graph.table import Table, stacked
    from bridge.graph.walk import arcs, distances, spread, ways

_LATER = {
    "Adjacency": "adjacency",
    "Census": "counting",
    "Edges": "edges",
    "Measures": "measure",
    "Network": "network",
    "Picture": "picture",
    "Table": "table",
    "arcs": "walk",
    "around": "picture",
    "census": "counting",
    "distances": "walk",
    "drawn": "picture",
    "folded": "picture",
    "gaps": "cocitation",
    "laid_out": "layout",
    "measured": "measure",
    "members": "picture",
    "mutually_nearest": "similar",
    "network_of": "network",
    "pagerank": "measure",
    "spread": "walk",
    "stacked": "table",
    "together": "edges",
    "ways": "walk",
}

__all__ = [
    "CODES",
    "KINDS",
    "SHARED",
    "WEIGHTS",
    "WRITTEN",
    "Adjacency",
    "Census",
    "Edge",
    "EdgeKind",
    "Edges",
    "Graph",
    "Measures",
    "Near",
    "Network",
    "Nodes",
    "Picture",
    "Table",
    "arcs",
    "around",
    "by_folder",
    "by_tag",
    "census",
    "distances",
    "drawn",
    "folded",
    "gaps",
    "laid_out",
    "measured",
    "members",
    "mutually_nearest",
    "names_of",
    "network_of",
    "pagerank",
    "shared_tags",
    "spread",
    "stacked",
    "together",
    "ways",
]


def __getattr__(name: str) -> Any:
    """Load what needs numpy when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"bridge.graph.{_LATER[name]}"), name)
