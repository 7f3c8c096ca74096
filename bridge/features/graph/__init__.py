"""The graph of notes: neighbours, paths, measures, pictures and history."""

from bridge.api.feature import Feature
from bridge.features.graph import export, history, operations, view, views

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
    tasks=(history.record_graph_daily,),
    views={
        operations.Neighbours: views.neighbours_view,
        operations.GraphPaths: views.paths_view,
        operations.GraphInsights: views.insights_view,
        view.GraphView: views.picture_view,
        history.GraphHistory: views.graph_history_view,
        export.ExportedGraph: views.exported_graph_view,
    },
)
