"""Text views of the graph of notes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bridge.api.markup import Column, Element, Line, Section, Segment, Table, aside, notice, path_of
from bridge.features.graph.history import GraphHistory
from bridge.features.graph.operations import GraphInsights, GraphPaths, GraphStep, Neighbours
from bridge.features.graph.view import GraphView
from bridge.features.links.public import NoteCount
from bridge.state.graph_days import LinkCounts
from bridge.text.budget import fit_words
from bridge.text.counts import count_of
from bridge.text.invisible import inline, quote_path

MAX_SENTENCE = 160
"""Most characters that a model reads of a step's sentence."""

PATH = Column("path", role="path")
PATH_ALONE = (Column("path", role="path", value=str),)
NOTES = Column("notes", ": {}", role="path", most=3)
PAIR = (Column("source", role="path"), Column("target", " — {}", role="path"))

NEIGHBOURS = (
    Column("distance", lambda steps: f"- {count_of(steps, 'step')}"),
    Column("score", "", pipe=True),
    PATH,
    Column("kinds"),
    Column("via", " via {}", role="path"),
)


def neighbours_view(found: Neighbours) -> Iterable[Element]:
    if found.nodes:
        yield _node_count(len(found.nodes), found.total, "notes around it")
    else:
        yield notice("Nothing is around it.")
    yield Table(NEIGHBOURS, found.nodes)


def paths_view(found: GraphPaths) -> Iterable[Element]:
    for number, path in enumerate(found.paths, start=1):
        yield Line(f"{number}. ", path_of(path.notes[0]), f" ({count_of(len(path.steps), 'step')})")
        yield from map(_step, path.steps)
    if not found.paths:
        yield notice("Nothing joins the two.")


def _step(one: GraphStep) -> Line:
    place = f":{one.line}" if one.line else ""
    where = f", {quote_path(one.note)}{place}" if one.note else ""
    sentence = f" — {inline(one.text)}" if one.text else ""
    arrow = "←" if one.note == one.target else "→"
    return Line(
        Segment(f"   {arrow} ", "muted"),
        path_of(one.target),
        Segment(f" ({one.kind}{where})", "muted"),
        Segment(sentence, short=fit_words(sentence, MAX_SENTENCE)),
    )


HUB = (
    PATH,
    Column("title", ""),
    Column("score", " · {:.0f} of 100"),
    Column("pagerank", ", PageRank {}", pipe=True),
    Column("joined", ", joined to {}"),
    Column("community", "", pipe=True),
)

INSIGHT_PARTS: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "hubs": ("Hubs", HUB),
    "pagerank": ("Where readers come by most", HUB),
    "orphans": ("No links at all", PATH_ALONE),
    "dead_ends": ("Linked to, link nowhere", PATH_ALONE),
    "sources": ("Link, not linked to", PATH_ALONE),
    "stubs": ("Wanted", (Column("name", "[[{}]]"), Column("wanted", " wanted by {}"), NOTES)),
    "communities": (
        "Communities",
        (
            Column("number", pipe=True),
            Column("name", " “{}”"),
            Column("size", lambda size: f", {count_of(size, 'note')}"),
            NOTES,
        ),
    ),
    "bridges": ("Sole links between parts", (*PAIR, Column("holds", " (holds {})"))),
    "articulations": ("Hold the graph together", (PATH, Column("title", ""), Column("holds", " holds {}"))),
    "strong_pairs": ("Linked both ways most", (*PAIR, Column("links", lambda links: f" ({count_of(links, 'link')})"))),
    "gaps": (
        "Perhaps to be linked",
        (*PAIR, Column("together", " (linked to together by {})"), Column("score", "", pipe=True)),
    ),
}


def insights_view(found: GraphInsights) -> Iterable[Element]:
    """Show the insights, part by part; a note listed as a hub is not repeated for its PageRank."""
    yield _counts(found.counts)
    hubs = {one.path for one in found.hubs or ()}
    more = False
    for name, (title, columns) in INSIGHT_PARTS.items():
        if (part := getattr(found, name)) is None:
            continue
        rows: Sequence[Any] = part.notes if isinstance(part, NoteCount) else part
        total = part.total if isinstance(part, NoteCount) else getattr(found.totals, name, None) or 0
        more = more or found.offset + len(rows) < total
        others = [one for one in rows if name != "pagerank" or one.path not in hubs]
        besides = ", besides the hubs" if len(others) < len(rows) else ""
        # Of a ranking of all connected notes the count says nothing.
        yield Section(f"{title}{besides}", Table(columns, others), None if columns is HUB else total)
    if found.dismissed:
        yield notice(f"{found.dismissed} more notes without links are dismissed.")
    if more:
        yield notice("`parts`, with `limit` and `offset`, shows more of a part.")


COMMUNITIES = (Column("name"), Column("size", lambda size: f" ({count_of(size, 'note')})"))

NODES = (
    Column("node", role="path", value=lambda node: node.path or inline(node.title)),
    Column("title", ""),
    Column("type", lambda kind: "" if kind == "note" else f" ({kind})"),
    Column("joined", " · joined to {}"),
    Column("community", "", pipe=True),
)

NODES_SHOWN = 200
"""Most nodes of a graph view that are listed; all of them, with coordinates, are for programs that draw."""


def picture_view(graph: GraphView) -> Iterable[Element]:
    """Show a graph view as text, the largest nodes first."""
    yield _node_count(len(graph.nodes), graph.total, f"nodes with {count_of(len(graph.edges), 'edge')}")
    if graph.communities:
        yield Section("Communities", Table(COMMUNITIES, graph.communities))
    largest = sorted(graph.nodes, key=lambda node: -node.joined)[:NODES_SHOWN]
    if largest:
        yield Section("Largest", Table(NODES, largest))
    yield notice(aside("JSON has the positions and the edges."))


def graph_history_view(history: GraphHistory) -> Iterable[Element]:
    for week in history.weeks:
        yield Line(Segment(week.week, "title"), f": {_counts(week.counts)}")
        for name, paths in (("appeared", week.appeared), ("vanished", week.vanished)):
            if paths:
                yield Line(f"  {name}: ", Segment(", ".join(map(quote_path, paths)), "path"))
        if week.grown:
            grown = (f"{quote_path(one.path)} {one.more:+}" for one in week.grown)
            yield Line("  joined to more or fewer: ", Segment(", ".join(grown), "path"))
    yield notice(f"Recorded since {history.since}, on the days on which a bridge ran.")


def _node_count(shown: int, total: int, what: str) -> Line:
    return notice(f"{shown:,} of {total:,} {what}" + ("; `limit` shows more" if shown < total else ""))


def _counts(found: LinkCounts) -> str:
    stubs = count_of(found.stubs, "name")
    return f"{count_of(found.notes, 'note')}, {count_of(found.links, 'link')}, {stubs} without a note"
