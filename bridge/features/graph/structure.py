"""What the shape of the whole graph tells of its notes: what much hangs together with, and what hangs together."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.engine.analytics import GraphMeasures, GraphSnapshot
from bridge.graph.columns import KINDS, WRITTEN_KINDS, EdgeKind, Edges
from bridge.records import Record
from bridge.types import VaultPath

Kinds = tuple[EdgeKind, ...]

GraphMode = Literal["links", "topics"]
"""What is walked along: edges of some kinds, or only those to topics."""

DEFAULT_KINDS: Kinds = WRITTEN_KINDS
"""The kinds that are looked at unless others are asked for: what somebody wrote or drew."""


def require_number(call: Call, graph_snapshot: GraphSnapshot, path: VaultPath) -> int:
    number = graph_snapshot.graph.number(path)
    if number is None:
        raise no_such_note(call.vault, path)
    return number


def note_title(graph_snapshot: GraphSnapshot, path: VaultPath) -> str:
    return graph_snapshot.notes[path].title if path in graph_snapshot.notes else path


def kinds_between(edges: Edges, pairs: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], list[EdgeKind]]:
    wanted = {(min(pair), max(pair)): pair for pair in pairs}
    among = np.zeros(edges.size, np.bool_)
    among[[node for pair in wanted for node in pair]] = True
    found: dict[tuple[int, int], set[int]] = {pair: set() for pair in wanted.values()}
    inside = edges.among(among)
    columns = (inside.source.tolist(), inside.target.tolist(), inside.kind.tolist())
    for source, target, kind in zip(*columns, strict=True):
        pair = wanted.get((min(source, target), max(source, target)))
        if pair is not None:
            found[pair].add(kind)
    return {pair: [KINDS[kind] for kind in sorted(kinds)] for pair, kinds in found.items()}


T = TypeVar("T")
Page = tuple[tuple[T, ...], int]
"""One page of what stands out, and how many there are in all."""

MAX_COMMUNITY_NOTES = 5
"""Notes that stand for a community."""

MIN_COMMUNITY_NOTES = 3
"""Notes from which on a group is a community."""


class Hub(Record):
    """A well-connected note.

    Attributes:
        path: The note.
        title: Its title.
        score: Eigenvector centrality, 0–100; the top hub has 100.
        pagerank: PageRank; 1 is the average note.
        joined: Notes connected to it.
        community: Its community's number.
    """

    path: VaultPath
    title: str
    score: float
    pagerank: float
    joined: int
    community: int


class ViewCommunity(Record):
    """A group of connected notes.

    Attributes:
        number: Its number, the same in `graph_insights` and `graph_view`; 0 is the largest.
        name: The title of its best-connected note, or of the next if a larger one has it.
        size: Its notes, shown or not.
    """

    number: int
    name: str
    size: int


class Community(ViewCommunity):
    """A group of connected notes, with some of them.

    Attributes:
        notes: Its best-connected notes.
    """

    notes: tuple[VaultPath, ...]


class SoleLink(Record):
    """Two notes whose link is the only one between two parts of the graph.

    Attributes:
        source: One note.
        target: The other.
        holds: Notes that would be cut off from the larger part.
    """

    source: VaultPath
    target: VaultPath
    holds: int


class Articulation(Record):
    """A note whose removal splits the graph.

    Attributes:
        path: The note.
        title: Its title.
        holds: Notes that would be cut off from the largest part.
    """

    path: VaultPath
    title: str
    holds: int


def hubs(graph_snapshot: GraphSnapshot, shape: GraphMeasures, page: slice) -> Page[Hub]:
    return describe_hubs(graph_snapshot, shape, np.round(100 * shape.measures.hub, 1), page)


def pagerank(graph_snapshot: GraphSnapshot, shape: GraphMeasures, page: slice) -> Page[Hub]:
    """Return the notes where a reader who follows links is most often."""
    return describe_hubs(graph_snapshot, shape, np.round(shape.rank[shape.network.nodes], 12), page)


def describe_hubs(
    graph_snapshot: GraphSnapshot, shape: GraphMeasures, worth: NDArray[np.float64], page: slice
) -> Page[Hub]:
    """Describe the notes of the network that are worth most; those without neighbours are left out."""
    network, degree = shape.network, shape.network.degree
    order = np.lexsort((network.nodes, -degree, -worth))
    places = order[degree[order] > 0]
    average = len(network) / max(float(shape.rank[network.nodes].sum()), 1e-12)
    found = tuple(
        Hub(
            path=path_at(graph_snapshot, shape, at),
            title=note_title(graph_snapshot, path_at(graph_snapshot, shape, at)),
            score=round(100 * float(shape.measures.hub[at]), 1),
            pagerank=round(float(shape.rank[network.nodes[at]]) * average, 2),
            joined=int(degree[at]),
            community=int(shape.measures.community[at]),
        )
        for at in places[page].tolist()
    )
    return found, len(places)


def communities(graph_snapshot: GraphSnapshot, shape: GraphMeasures, page: slice) -> Page[Community]:
    groups = community_members(shape, page.stop)
    groups = {number: groups[number] for number in list(groups)[page]}
    called = name_communities(graph_snapshot, shape, groups)
    degree = shape.network.degree
    found = tuple(
        Community(
            number,
            called[number],
            len(members),
            tuple(
                path_at(graph_snapshot, shape, at)
                for at in sorted(members, key=lambda at: (-int(degree[at]), at))[:MAX_COMMUNITY_NOTES]
            ),
        )
        for number, members in groups.items()
    )
    return found, int((np.bincount(shape.measures.community) >= MIN_COMMUNITY_NOTES).sum())


def community_members(shape: GraphMeasures, limit: int) -> dict[int, list[int]]:
    community = shape.measures.community
    sizes = np.bincount(community)
    large = [number for number in range(min(limit, len(sizes))) if sizes[number] >= MIN_COMMUNITY_NOTES]
    order = np.argsort(community, kind="stable")
    starts = np.searchsorted(community[order], large)
    return {number: order[at : at + sizes[number]].tolist() for number, at in zip(large, starts.tolist(), strict=True)}


def name_communities(
    graph_snapshot: GraphSnapshot, shape: GraphMeasures, groups: Mapping[int, Sequence[int]]
) -> dict[int, str]:
    """Call each community by the title of its most joined note, or the next whose title no larger one has."""
    degree = shape.network.degree
    names: dict[int, str] = {}
    for number, members in groups.items():
        best = sorted(members, key=lambda at: (-int(degree[at]), at))[: len(names) + 1]
        titles = [note_title(graph_snapshot, path_at(graph_snapshot, shape, at)) for at in best]
        taken = {*names.values()}
        names[number] = next((title for title in titles if title not in taken), titles[0])
    return names


def path_at(graph_snapshot: GraphSnapshot, shape: GraphMeasures, at: int) -> VaultPath:
    return graph_snapshot.graph.paths[int(shape.network.nodes[at])]


def bridges(graph_snapshot: GraphSnapshot, shape: GraphMeasures, page: slice) -> Page[SoleLink]:
    cuts = shape.measures.cuts.edges
    pairs = [
        (path_at(graph_snapshot, shape, one), path_at(graph_snapshot, shape, other), held)
        for one, other, held in cuts[page]
    ]
    return tuple(SoleLink(*pair) for pair in pairs), len(cuts)


def articulations(graph_snapshot: GraphSnapshot, shape: GraphMeasures, page: slice) -> Page[Articulation]:
    cuts = shape.measures.cuts.nodes
    found = [(path_at(graph_snapshot, shape, at), held) for at, held in cuts[page]]
    return tuple(Articulation(path, note_title(graph_snapshot, path), held) for path, held in found), len(cuts)
