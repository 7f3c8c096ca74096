"""The graph as a picture, and as a file for other programs."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import folder_of
from bridge.api.registry import operation
from bridge.api.where import FilterArguments, NoteFilter, choose_among
from bridge.engine.analytics import GraphMeasures, GraphSnapshot
from bridge.features.graph.structure import (
    DEFAULT_KINDS,
    MIN_COMMUNITY_NOTES,
    GraphMode,
    Kinds,
    ViewCommunity,
    community_members,
    name_communities,
    note_title,
    require_number,
)
from bridge.features.topics.public import read_topic_edges
from bridge.graph.columns import KINDS, EdgeKind, Edges
from bridge.graph.measure import Picture, community_by_node, draw_communities, draw_nodes, select_around
from bridge.records import Record
from bridge.search.filters import filter_notes
from bridge.search.model import SearchRequest
from bridge.types import VaultPath

MAX_NODES_AROUND = 300

MAX_NODES = 10_000

MAX_UNFOLDED_NODES = 2_000
"""Nodes from which on a picture of all shows communities in their place."""

MAX_COLOURED_NOTES = 20_000
"""Notes of a vault up to which a picture around a note tells communities, which are found for all of them at once."""

MAX_EDGES = 50_000

MAX_NODE_SIZE = 10.0
"""The size of the node that is joined to most."""

MAX_NAMED_COMMUNITIES = 300


class ViewNode(Record):
    """A node of the drawing.

    Attributes:
        id: Its id in edges.
        path: The note; null for an unresolved name or a community.
        title: Its title or name.
        type: Its type.
        x: Horizontal position.
        y: Vertical position.
        size: Size, 1–10, by its connections.
        joined: Its connections in the whole graph; for a community, its notes.
        community: Its community's number, if any.
        tags: Its tags, if requested.
        note_type: The type that its property `type` names, if any.
    """

    id: int
    path: VaultPath | None
    title: str
    type: Literal["note", "canvas", "excalidraw", "pdf", "stub", "community"]
    x: float
    y: float
    size: float
    joined: int
    community: int | None
    tags: tuple[str, ...] | None = None
    note_type: str = ""


class ViewEdge(Record):
    """An edge of the drawing.

    Attributes:
        source: One node's `id`.
        target: The other's; a one-way link points here.
        kinds: Its edge kinds.
        weight: Strength.
    """

    source: int
    target: int
    kinds: tuple[EdgeKind, ...]
    weight: float


class GraphView(Record):
    """A drawing of the graph.

    Attributes:
        nodes: Drawn nodes.
        edges: Drawn edges.
        communities: Drawn communities, largest first.
        folded: Whether nodes represent communities.
        total: Nodes that match the filters, drawn or not.
    """

    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    communities: tuple[ViewCommunity, ...]
    folded: bool
    total: int


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "depth": 1, "limit": 5},
    tasks=("draw the graph", "map of the notes", "picture of the links around a note"),
)
async def graph_view(
    call: Call,
    path: VaultPath | None = None,
    depth: Annotated[int, Meta(ge=1, le=6)] = 2,
    kinds: Kinds = DEFAULT_KINDS,
    stubs: bool = False,
    criteria: FilterArguments = NoteFilter(),
    community: Annotated[int, Meta(ge=0)] | None = None,
    notes: Annotated[tuple[VaultPath, ...], Meta(max_length=MAX_NODES_AROUND)] = (),
    tagged: bool = False,
    fold: bool | None = None,
    limit: Annotated[int, Meta(ge=1, le=MAX_NODES)] | None = None,
    mode: GraphMode = "links",
) -> GraphView:
    """Draw the graph around a note, or all of it. The same notes keep their places.

    Args:
        path: The centre; by default, all notes are drawn.
        depth: Maximum steps from the centre.
        kinds: As in `graph_neighbours`.
        stubs: Include unresolved names.
        community: Only notes of this community.
        notes: Only these notes, such as those of a `graph_path`.
        tagged: Include tags.
        fold: Draw communities instead of notes; automatic from 2,000 nodes.
        limit: Maximum nodes, best-connected first; by default and at most 300 around a note, 10,000 for all.
        mode: `topics` draws only notes with topics and their topics, as in `graph_neighbours`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    topics: Edges | None = None
    if mode == "topics":
        graph_snapshot, topics = await read_topic_edges(call.vault)
    else:
        graph_snapshot = await call.vault.graph_snapshot(
            choose_among(call.vault, criteria.among, (path, criteria.folder, *notes))
        )
    start = None if path is None else require_number(call, graph_snapshot, path)
    request = replace(criteria.request(), folder=folder_of(graph_snapshot.notes, criteria.folder))
    analytics = call.vault.analytics
    edges = await analytics.edges(graph_snapshot, kinds, stubs=stubs) if topics is None else topics
    coloured = start is None or community is not None or len(graph_snapshot.graph) <= MAX_COLOURED_NOTES
    shape = await analytics.shape(graph_snapshot, kinds) if coloured else None
    only = tuple(require_number(call, graph_snapshot, note) for note in notes) or None
    if topics is not None and only is None and start is None:
        only = tuple({*topics.source.tolist(), *topics.target.tolist()})
    chosen = ViewSelection(request, start, depth, community, only, fold=fold, limit=limit)
    picture, folds = await asyncio.to_thread(build_picture, graph_snapshot, edges, shape, chosen)
    labels = [graph_snapshot.graph.nodes.labels[number] for number in picture.speaker.tolist()]
    name = "around" if start is not None else "folded" if folds else "some" if only is not None else "whole"
    places = await analytics.places(graph_snapshot, name, picture.network, labels)
    return await asyncio.to_thread(build_graph_view, graph_snapshot, picture, shape, places, folds=folds, tagged=tagged)


class ViewSelection(Record):
    """What to draw."""

    request: SearchRequest
    start: int | None
    depth: int
    community: int | None
    only: tuple[int, ...] | None
    fold: bool | None
    limit: int | None


def build_picture(
    graph_snapshot: GraphSnapshot, edges: Edges, shape: GraphMeasures | None, chosen: ViewSelection
) -> tuple[Picture, bool]:
    graph = graph_snapshot.graph
    passing = graph.present.copy()
    paths = filter_notes(graph_snapshot.notes, chosen.request)
    if paths is not None:
        passing[:] = False
        passing[[number for path in paths if (number := graph.number(path)) is not None]] = True
    none = np.full(edges.size, -1, np.int32)
    community = none if shape is None else community_by_node(edges.size, shape.network, shape.measures.community)
    if chosen.community is not None:
        passing &= community == chosen.community
    # A name that no note has passes with the notes that want it.
    passing[edges.target[graph.stubs[edges.target] & passing[edges.source]]] = True
    if chosen.only is not None:
        some = np.zeros_like(passing)
        some[list(chosen.only)] = True
        passing &= some
    if chosen.start is not None:
        most = min(chosen.limit or MAX_NODES_AROUND, MAX_NODES_AROUND)
        marks, total = select_around(edges, chosen.start, chosen.depth, passing, most)
        return draw_nodes(edges, marks, community, total, most), False
    total = int(passing.sum())
    most = chosen.limit or MAX_NODES
    if total > MAX_UNFOLDED_NODES if chosen.fold is None else chosen.fold:
        return draw_communities(edges, passing, community, MIN_COMMUNITY_NOTES, most), True
    return draw_nodes(edges, passing, community, total, most), False


def build_graph_view(
    graph_snapshot: GraphSnapshot,
    picture: Picture,
    shape: GraphMeasures | None,
    places: Sequence[tuple[float, float]],
    *,
    folds: bool,
    tagged: bool,
) -> GraphView:
    groups = {} if shape is None else community_members(shape, MAX_NAMED_COMMUNITIES)
    present = {*picture.community.tolist()}
    groups = {number: inside for number, inside in groups.items() if number in present}
    names = {} if shape is None else name_communities(graph_snapshot, shape, groups)
    most = max(picture.joined.tolist(), default=0)
    rows = zip(
        picture.network.nodes.tolist(),
        picture.speaker.tolist(),
        picture.joined.tolist(),
        picture.community.tolist(),
        places,
        strict=True,
    )
    nodes = []
    for number, speaker, joined, community, (x, y) in rows:
        path = graph_snapshot.graph.paths.get(speaker)
        size = round(1 + (MAX_NODE_SIZE - 1) * (joined / most) ** 0.5, 2) if most else 1.0
        group = None if community < 0 else community
        if folds:
            node = ViewNode(number, None, names.get(number, ""), "community", x, y, size, joined, group)
        elif path is None:
            name = graph_snapshot.graph.nodes.labels[speaker].lstrip("\0")
            node = ViewNode(number, None, name, "stub", x, y, size, joined, group)
        else:
            note = graph_snapshot.notes.get(path)
            kind, tags, note_type = (note.kind, note.tags, note.note_type) if note else ("note", (), "")
            title, own_tags = note_title(graph_snapshot, path), tags if tagged else None
            node = ViewNode(number, path, title, kind, x, y, size, joined, group, own_tags, note_type)
        nodes.append(node)
    return GraphView(
        nodes=tuple(nodes),
        edges=view_edges(picture.edges),
        communities=tuple(ViewCommunity(number, names[number], len(inside)) for number, inside in groups.items()),
        folded=folds,
        total=picture.total,
    )


def view_edges(edges: Edges) -> tuple[ViewEdge, ...]:
    found: dict[tuple[int, int], tuple[int, int, set[int], float]] = {}
    columns = (edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), edges.weight.tolist())
    for source, target, kind, weight in zip(*columns, strict=True):
        pair = (source, target) if source < target else (target, source)
        first, last, kinds, sum_ = found.get(pair, (source, target, set(), 0.0))
        found[pair] = first, last, kinds | {kind}, sum_ + weight
    strongest = sorted(found.values(), key=lambda edge: -edge[3])[:MAX_EDGES]
    return tuple(
        ViewEdge(source, target, tuple(KINDS[kind] for kind in sorted(kinds)), round(weight, 2))
        for source, target, kinds, weight in strongest
    )
