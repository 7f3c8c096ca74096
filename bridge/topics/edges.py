"""The graph of topics: links from notes to their topics, and what folders say."""

from collections.abc import Mapping

from bridge.graph.columns import Edges, concat_edges
from bridge.graph.pairs import pairs_by_folder
from bridge.topics.suggest import TopicSources
from bridge.types import VaultPath


def topic_edges(sources: TopicSources) -> Edges:
    """Return the links of notes to their topics, as edges of the kind `property`, and those of folders as `folder`."""
    graph = sources.graph
    numbers: Mapping[VaultPath, int] = {path: number for number, path in graph.paths.items()}
    linked = [
        (numbers[path], numbers[topic], 1.0)
        for path, topics in sorted(sources.assignments.by_note.items())
        for topic in sorted(topics)
        if path in numbers and topic in numbers and path != topic
    ]
    named = [
        (number, numbers[topic], 1.0)
        for path, number in numbers.items()
        for topic in sorted(sources.folders.topics(path))
        if topic in numbers
    ]
    folders = {number: path.rpartition("/")[0] for path, number in numbers.items()}
    beside = pairs_by_folder({number: folder for number, folder in folders.items() if sources.folders.joins(folder)})
    return concat_edges(
        graph.size, [Edges.made(graph.size, "property", linked), Edges.made(graph.size, "folder", [*named, *beside])]
    )
