"""The graph of notes: who links to whom, what lies near, and what its shape tells."""

from typing import TYPE_CHECKING, Any

from bridge.graph.graph import Edge, Graph, Near
from bridge.graph.kinds import CODES, EdgeKind
from bridge.graph.nodes import Nodes

if TYPE_CHECKING:
    from bridge.graph.table import Table, joined

_LATER = {"Table": "table", "joined": "table"}

__all__ = ["CODES", "Edge", "EdgeKind", "Graph", "Near", "Nodes", "Table", "joined"]


def __getattr__(name: str) -> Any:
    """Load what needs numpy when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"bridge.graph.{_LATER[name]}"), name)
