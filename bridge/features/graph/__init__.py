"""The graph of notes: neighbours, paths, measures, pictures and history."""

from bridge.api.feature import Feature
from bridge.features.graph import export, history, operations, view

FEATURE = Feature(
    "graph",
    operations=(
        operations.graph_neighbours,
        operations.graph_path,
        operations.graph_insights,
        view.graph_view,
        history.graph_history,
        export.export_graph,
    ),
)
