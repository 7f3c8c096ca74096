"""What lies around a note in the graph, and how one note leads to another."""

import asyncio
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, get_args

import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.api.page import Page
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.where import choose_among
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.graph import structure
from bridge.features.graph.structure import (
    DEFAULT_KINDS,
    Articulation,
    Community,
    GraphMode,
    Hub,
    Kinds,
    SoleLink,
    kinds_between,
    note_title,
    require_number,
)
from bridge.features.links.public import Gap, NoteCount, StrongPair, Stub
from bridge.features.links.public import census as link_census
from bridge.features.properties.public import find_templates
from bridge.features.topics.public import read_topic_edges
from bridge.graph.columns import CODES, KINDS, SHARED_KINDS, WEIGHTS, EdgeKind, Edges
from bridge.graph.graph import Adjacency, census
from bridge.graph.pairs import shared_tags
from bridge.graph.walk import arcs, distances, simple_paths, spread
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.state.dismissals import Dismissal
from bridge.state.graph_days import LinkCounts
from bridge.text.fold import fold_case
from bridge.text.sentence import sentence_at
from bridge.types import Among, Direction, VaultPath


class GraphStep(Record):
    """A step from one note to the next.

    Attributes:
        source: Its start.
        target: Its end.
        kind: Its edge kind, the most telling of several.
        note: The note with the link: `target` if followed backwards; null for an unwritten edge.
        line: Line of the link.
        text: The sentence around it, an arrow's label, or what both notes share.
    """

    source: VaultPath
    target: VaultPath
    kind: EdgeKind
    note: VaultPath | None
    line: int | None
    text: str


Pair = tuple[int, int]


def describe_steps(
    vault: OpenVault, graph_snapshot: GraphSnapshot, edges: Edges, found: Iterable[Sequence[int]]
) -> Mapping[Pair, GraphStep]:
    """Describe each step of some ways once; reads the notes that are quoted."""
    texts: dict[VaultPath, Note | None] = {}
    pairs = dict.fromkeys(pair for way in found for pair in itertools.pairwise(way))
    return {pair: describe_step(vault, graph_snapshot, edges, pair, texts) for pair in pairs}


def describe_step(
    vault: OpenVault,
    graph_snapshot: GraphSnapshot,
    edges: Edges,
    pair: Pair,
    texts: dict[VaultPath, Note | None],
) -> GraphStep:
    """Describe what joins two notes: what somebody wrote goes first, in the direction of the step if it can be."""
    one, other = pair
    joining = edges.between(one, other)
    columns = (joining.kind.tolist(), joining.source.tolist(), joining.owner.tolist(), joining.weight.tolist())
    shared = {CODES[kind] for kind in SHARED_KINDS}
    kind, source, owner, weight = min(
        zip(*columns, strict=True), key=lambda row: (row[0] in shared, row[1] != one, row[0])
    )
    paths = graph_snapshot.graph.paths
    ends = paths[one], paths[other]
    match KINDS[kind]:
        case "tag":
            tags = shared_tags(graph_snapshot.notes[ends[0]].tags, graph_snapshot.notes[ends[1]].tags)
            rarest = min((count_tagged(graph_snapshot, tag), tag) for tag in tags)
            return GraphStep(*ends, "tag", None, None, f"both carry #{rarest[1]}, as {rarest[0]} notes do")
        case "folder":
            return GraphStep(
                *ends, "folder", None, None, f"both are in {ends[0].rpartition('/')[0] or 'the top folder'}"
            )
        case "similar":
            return GraphStep(*ends, "similar", None, None, f"close in meaning ({weight / WEIGHTS['similar']:.2f})")
        case written:
            goal = paths[other if source == one else one]
            place = quote_sentence(vault, graph_snapshot, paths[owner], goal, written, texts)
            return GraphStep(*ends, written, paths[owner], *place)


def count_tagged(graph_snapshot: GraphSnapshot, tag: str) -> int:
    folded = fold_case(tag)
    return sum(any(folded == fold_case(other) for other in note.tags) for note in graph_snapshot.notes.values())


def quote_sentence(
    vault: OpenVault,
    graph_snapshot: GraphSnapshot,
    owner: VaultPath,
    goal: VaultPath,
    kind: EdgeKind,
    texts: dict[VaultPath, Note | None],
) -> tuple[int | None, str]:
    """Return the line and the sentence in which a note names another; what changed since is told by the index."""
    if kind == "arrow":
        arrows = (
            arrow
            for arrow in graph_snapshot.notes[owner].arrows
            if goal == vault.names.resolve(arrow[1], owner, "canvas").path
        )
        return None, next((label for *_, label in arrows), "")
    if owner not in texts:
        try:
            texts[owner] = open_note(vault, owner)
        except BridgeError:
            texts[owner] = None
    note = texts[owner]
    for link in note.links if note else graph_snapshot.notes[owner].links:
        if link.kind == kind and vault.names.resolve(link.target, owner, link.kind).path == goal:
            return link.line, sentence_at(note.text, link.span) if note else link.shown or link.target
    return None, ""


class Neighbour(Record):
    """A note near another in the graph.

    Attributes:
        path: The note.
        title: Its title.
        distance: Steps from the start.
        score: 0–1: the share of a walk from the start that arrives; much-linked notes pass on little.
        via: The previous note on the strongest way; null for direct neighbours.
        kinds: How it is joined to the previous note.
    """

    path: VaultPath
    title: str
    distance: int
    score: float
    via: VaultPath | None
    kinds: tuple[EdgeKind, ...]


class Neighbours(Record):
    """The notes around a note.

    Attributes:
        nodes: By distance, then score.
        total: Count before `limit`.
    """

    nodes: tuple[Neighbour, ...]
    total: int


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "depth": 2, "limit": 5},
    tasks=(
        "what is two links away from a note",
        "notes around a note",
        "notes a few links away",
        "neighbourhood of a note",
    ),
)
async def graph_neighbours(
    call: Call,
    path: VaultPath,
    depth: Annotated[int, Meta(ge=1, le=6)] = 1,
    direction: Direction = "any",
    kinds: Kinds = DEFAULT_KINDS,
    decay: Annotated[float, Meta(ge=0.01, le=1)] = 0.5,
    limit: Annotated[int, Meta(ge=1, le=500)] = 50,
    mode: GraphMode = "links",
) -> Neighbours:
    """Find the notes around a note along links, arrows, shared rare tags or nearness in meaning.

    Args:
        path: The start.
        depth: Maximum steps.
        direction: Follow links forwards (`out`), backwards (`in`) or both ways.
        kinds: Edge kinds; `tag` joins notes by a tag on at most ten, `folder` those of a small folder, `similar` mutual
            nearest neighbours in meaning.
        decay: Share of the score that each step passes on.
        limit: Maximum notes.
        mode: `topics` walks only along topics of notes and folders named like topics, whatever the `kinds`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    if mode == "topics":
        graph_snapshot, edges = await read_topic_edges(call.vault)
    else:
        graph_snapshot = await call.vault.graph_snapshot(choose_among(call.vault, None, (path,)))
        edges = await call.vault.analytics.edges(graph_snapshot, kinds)
    start = require_number(call, graph_snapshot, path)
    return await asyncio.to_thread(collect_neighbours, graph_snapshot, edges, start, direction, depth, decay, limit)


def collect_neighbours(
    graph_snapshot: GraphSnapshot,
    edges: Edges,
    start: int,
    direction: Direction,
    depth: int,
    decay: float,
    limit: int,
) -> Neighbours:
    reach = spread(edges, start, direction, depth, decay)
    met = np.flatnonzero(reach.distance > 0)
    score, paths = np.round(reach.arrived, 4), graph_snapshot.graph.paths
    ranked = met[np.lexsort((-score[met], reach.distance[met]))]
    if len(ranked) > limit:
        # Of those that tie at the end, the order of paths decides, not the order in which notes were indexed.
        last = ranked[limit - 1]
        tied = (reach.distance[ranked] == reach.distance[last]) & (score[ranked] == score[last])
        ranked = ranked[: np.flatnonzero(tied)[-1] + 1]
    best = sorted(ranked.tolist(), key=lambda node: (reach.distance[node], -score[node], paths[node]))[:limit]
    steps = [(int(reach.via[node]), node) for node in best]
    joined = kinds_between(edges, steps)
    return Neighbours(
        nodes=tuple(
            Neighbour(
                path=paths[node],
                title=note_title(graph_snapshot, paths[node]),
                distance=int(reach.distance[node]),
                score=float(score[node]),
                via=None if via == start else paths[via],
                kinds=tuple(joined[via, node]),
            )
            for via, node in steps
        ),
        total=len(met),
    )


class GraphPath(Record):
    """A path between two notes.

    Attributes:
        notes: Its notes, both ends included.
        steps: What leads from each to the next.
    """

    notes: tuple[VaultPath, ...]
    steps: tuple[GraphStep, ...]


class GraphPaths(Record):
    """Paths between two notes.

    Attributes:
        paths: Shortest first; empty if the notes are not connected.
    """

    paths: tuple[GraphPath, ...]


@operation(
    example={"source": "Bread/Science/Staling.md", "target": "Garden/Plants/Garlic.md", "alternatives": 2},
    tasks=("how two notes are connected", "path between two notes", "chain of links from one note to another"),
)
async def graph_path(
    call: Call,
    source: VaultPath,
    target: VaultPath,
    kinds: Kinds = DEFAULT_KINDS,
    direction: Literal["any", "out"] = "any",
    alternatives: Annotated[int, Meta(ge=1, le=10)] = 3,
) -> GraphPaths:
    """Find how one note leads to another: the shortest paths, each step with the sentence that links.

    Args:
        source: The start.
        target: The end.
        kinds: As in `graph_neighbours`.
        direction: Follow links both ways, or only forwards.
        alternatives: Maximum paths, each at most three steps longer than the shortest.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    graph_snapshot = await call.vault.graph_snapshot(choose_among(call.vault, None, (source, target)))
    ends = require_number(call, graph_snapshot, source), require_number(call, graph_snapshot, target)
    edges = await call.vault.analytics.edges(graph_snapshot, kinds)

    def find() -> GraphPaths:
        found = shortest_paths(edges, *ends, direction, alternatives)
        steps = describe_steps(call.vault, graph_snapshot, edges, found)
        paths = graph_snapshot.graph.paths
        return GraphPaths(
            tuple(
                GraphPath(tuple(paths[node] for node in way), tuple(steps[pair] for pair in itertools.pairwise(way)))
                for way in found
            )
        )

    return await asyncio.to_thread(find)


def shortest_paths(
    edges: Edges, start: int, goal: int, direction: Literal["any", "out"], most: int
) -> list[tuple[int, ...]]:
    """Find the shortest ways; of equally long ones first those through notes with few links, which say more."""
    begin, end = (edges.source, edges.target) if direction == "any" else arcs(edges, direction)[:2]
    beside = Adjacency.of(edges.size, begin, end)
    onward = distances(edges, goal, "in" if direction == "out" else "any")

    def next_to(node: int) -> list[int]:
        near = beside.around(node) if direction == "any" else beside.along(node, outward=True)
        return sorted(near, key=lambda other: int(beside.start[other + 1] - beside.start[other]))

    return simple_paths(next_to, onward, start, goal, most)


Part = Literal[
    "hubs",
    "pagerank",
    "orphans",
    "dead_ends",
    "sources",
    "stubs",
    "communities",
    "bridges",
    "articulations",
    "strong_pairs",
    "gaps",
]


class PartTotals(Record):
    """Counts of the requested parts; orphans, dead ends and sources include their own.

    Attributes:
        hubs: Connected notes.
        pagerank: The same notes.
        stubs: Unresolved names.
        communities: Groups of at least three notes.
        bridges: Sole links between two parts.
        articulations: Notes whose removal splits the graph.
        strong_pairs: Mutually linked pairs.
    """

    hubs: int | None = None
    pagerank: int | None = None
    stubs: int | None = None
    communities: int | None = None
    bridges: int | None = None
    articulations: int | None = None
    strong_pairs: int | None = None


class GraphInsights(Record):
    """The structure of the graph; only requested parts are present.

    Attributes:
        counts: Totals of the graph.
        totals: Counts of each part.
        offset: The `offset` of this page.
        hubs: Notes connected to well-connected notes, greatest first.
        pagerank: Notes most visited by following links (PageRank); often hubs too.
        orphans: Notes without links in either direction.
        dead_ends: Notes with backlinks but no links.
        sources: Notes with links but no backlinks.
        stubs: Unresolved names, most linked first.
        communities: Groups with more links inside than between (Leiden), largest first.
        bridges: Pairs with the only link between two parts, most cut-off notes first.
        articulations: Notes whose removal splits the graph, most cut-off notes first.
        strong_pairs: Mutually linked pairs, most links first.
        gaps: Pairs that other notes link to together but that do not link to each other.
        dismissed: How many more orphans were dismissed; absent if none.
    """

    counts: LinkCounts
    totals: PartTotals
    offset: int
    hubs: tuple[Hub, ...] | None = None
    pagerank: tuple[Hub, ...] | None = None
    orphans: NoteCount | None = None
    dead_ends: NoteCount | None = None
    sources: NoteCount | None = None
    stubs: tuple[Stub, ...] | None = None
    communities: tuple[Community, ...] | None = None
    bridges: tuple[SoleLink, ...] | None = None
    articulations: tuple[Articulation, ...] | None = None
    strong_pairs: tuple[StrongPair, ...] | None = None
    gaps: tuple[Gap, ...] | None = None
    dismissed: int | None = None


@operation(
    example={"parts": ["hubs", "orphans", "gaps"], "limit": 3},
    tasks=(
        "orphans, hubs and dead ends",
        "notes without any links",
        "communities and clusters of notes",
        "most linked notes",
        "overview of the structure of the graph",
    ),
)
async def graph_insights(
    call: Call,
    parts: tuple[Part, ...] = (),
    kinds: Kinds = DEFAULT_KINDS,
    page: Annotated[Page, Spread(bounds={"limit": Meta(le=100)})] = Page(5),
    among: Among | None = None,
) -> GraphInsights:
    """Report the structure of the graph: hubs, orphans, dead ends, wanted notes, communities, bridges, missing links.

    Args:
        parts: Only these parts; all by default.
        kinds: As in `graph_neighbours`; orphans, dead ends, sources, stubs and strong pairs always use written links.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    graph_snapshot = await call.vault.graph_snapshot(choose_among(call.vault, among))
    wanted: tuple[Part, ...] = parts or get_args(Part)
    counted = await asyncio.to_thread(census, graph_snapshot.graph)
    templates = await asyncio.to_thread(find_templates, call.vault, graph_snapshot.notes)
    shown = slice(page.offset, page.end)
    stubs = await asyncio.to_thread(link_census.stubs, graph_snapshot, shown, templates)
    found: dict[str, object] = {}
    totals: dict[str, int] = {}
    for part in dict.fromkeys(wanted):
        match part:
            case "orphans" | "dead_ends" | "sources":
                paths = await asyncio.to_thread(link_census.notes_without_links, graph_snapshot, counted, part)
                if part == "orphans":
                    rows = await dismissed_rows(call, "orphan")
                    every = [path for path in paths if path not in templates]
                    paths = [path for path in every if Dismissal("orphan", frozenset((path,))) not in rows]
                    found["dismissed"] = len(every) - len(paths) or None
                found[part] = NoteCount(len(paths), page.cut(paths))
            case "stubs":
                found[part], totals[part] = stubs
            case "strong_pairs":
                found[part], totals[part] = await asyncio.to_thread(link_census.strong_pairs, graph_snapshot, shown)
            case "gaps":
                found[part] = link_census.gaps(
                    graph_snapshot, (await call.vault.analytics.gaps(graph_snapshot, kinds, page.end))[page.offset :]
                )
            case "hubs" | "pagerank" | "communities" | "bridges" | "articulations":
                shape = await call.vault.analytics.shape(graph_snapshot, kinds)
                found[part], totals[part] = await asyncio.to_thread(
                    getattr(structure, part), graph_snapshot, shape, shown
                )
    counts = replace(link_census.link_counts(counted), stubs=stubs[1])
    return GraphInsights(counts, PartTotals(**totals), page.offset, **found)  # type: ignore[arg-type]  # by the names of its fields
