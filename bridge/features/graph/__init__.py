"""The graph of notes: neighbours, paths, measures, pictures and history."""

from pathlib import Path

from bridge.api.feature import App, Feature
from bridge.features.graph import history, operations, view, views

FEATURE = Feature(
    "graph",
    operations=(
        operations.graph_neighbours,
        operations.graph_path,
        operations.graph_insights,
        view.graph_view,
        history.graph_history,
    ),
    tasks=(history.record_graph_daily,),
    views=(views.neighbours_view, views.paths_view, views.insights_view, views.picture_view, views.graph_history_view),
    apps={view.GraphView: App("graph", "The graph of notes", Path(__file__).with_name("graph.js"))},
)
