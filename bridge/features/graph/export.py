"""The graph as a file for other programs."""

import asyncio
import re
from typing import Any, Final, Literal

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.schemas import encode
from bridge.api.where import choose_among
from bridge.engine.analytics import GraphSnapshot
from bridge.errors import InvalidArguments
from bridge.features.graph.snapshots import DEFAULT_KINDS, Kinds, note_title
from bridge.graph.columns import Edges
from bridge.graph.kinds import KINDS
from bridge.records import dataclass
from bridge.text.invisible import one_line
from bridge.types import Among, Exact

MOST_EDGES = 100_000
"""Edges of an export at most: the text of more would not be an answer any more."""

Format = Literal["graphml", "json"]

_NO_XML: Final = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


@dataclass(frozen=True, slots=True)
class ExportedGraph:
    """The graph as text.

    Attributes:
        format: Its format.
        text: GraphML, or JSON with `nodes` and `links` as D3 and NetworkX read it.
        nodes: Number of nodes.
        edges: Number of edges.
    """

    format: Format
    text: Exact
    nodes: int
    edges: int


@operation(
    example={"format": "json", "kinds": ["arrow"]},
    tasks=("export the graph to another program", "graph as GraphML or JSON for Gephi"),
)
async def export_graph(
    call: Call,
    format: Format = "graphml",  # noqa: A002
    kinds: Kinds = DEFAULT_KINDS,
    stubs: bool = True,
    among: Among | None = None,
) -> ExportedGraph:
    """Return the graph as text for other programs, such as Gephi or NetworkX; writes no file.

    Args:
        format: GraphML, or JSON with nodes and links.
        kinds: As in `graph_neighbours`; every note is a node.
        stubs: Include unresolved names as nodes.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    graph_snapshot = await call.vault.graph_snapshot(choose_among(call.vault, among))
    edges = await call.vault.analytics.edges(graph_snapshot, kinds, stubs=stubs)
    if len(edges) > MOST_EDGES:
        raise InvalidArguments(
            f"These are {len(edges):,} edges; {MOST_EDGES:,} can be exported at once.", hint="Ask for fewer `kinds`."
        )
    return await asyncio.to_thread(write_graph, graph_snapshot, edges, format)


Node = tuple[str, dict[str, Any]]
Link = tuple[str, str, dict[str, Any]]


def write_graph(graph_snapshot: GraphSnapshot, edges: Edges, form: Format) -> ExportedGraph:
    nodes, links = nodes_and_links(graph_snapshot, edges)
    text = graphml(nodes, links) if form == "graphml" else node_link(nodes, links)
    return ExportedGraph(form, text, len(nodes), len(links))


def nodes_and_links(graph_snapshot: GraphSnapshot, edges: Edges) -> tuple[list[Node], list[Link]]:
    graph = graph_snapshot.graph
    paths = graph.paths
    names = sorted({*edges.target[graph.stubs[edges.target]].tolist()})
    key = {number: str(path) for number, path in paths.items()}
    key |= {number: f"?{graph.nodes.labels[number][1:]}" for number in names}
    nodes: list[Node] = []
    for number in sorted(paths, key=lambda number: paths[number]):
        path = paths[number]
        note = graph_snapshot.notes.get(path)
        facts = {"type": note.kind, "tags": one_line(" ".join(note.tags))} if note else {}
        nodes.append((path, {"title": one_line(note_title(graph_snapshot, path)), **facts}))
    nodes += [(key[number], {"title": one_line(key[number][1:]), "type": "stub"}) for number in names]
    columns = (edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), edges.weight.tolist())
    links = [
        (key[source], key[target], {"kind": KINDS[kind], "weight": round(weight, 4)})
        for source, target, kind, weight in zip(*columns, strict=True)
    ]
    return nodes, sorted(links, key=lambda link: (link[0], link[1], link[2]["kind"]))


def node_link(nodes: list[Node], links: list[Link]) -> str:
    value = {
        "directed": True,
        "multigraph": True,
        "graph": {},
        "nodes": [{"id": key, **facts} for key, facts in nodes],
        "links": [{"source": one, "target": other, **facts} for one, other, facts in links],
    }
    return encode(value).decode()


def graphml(nodes: list[Node], links: list[Link]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(
            f'<key id="{name}" for="{where}" attr.name="{name}" attr.type="{sort}"/>'
            for name, where, sort in (
                ("title", "node", "string"),
                ("type", "node", "string"),
                ("tags", "node", "string"),
                ("kind", "edge", "string"),
                ("weight", "edge", "double"),
            )
        ),
        '<graph edgedefault="directed">',
    ]
    lines += [f"<node id={xml_name(key)}>{xml_data(facts)}</node>" for key, facts in nodes]
    lines += [
        f"<edge source={xml_name(one)} target={xml_name(other)}>{xml_data(facts)}</edge>" for one, other, facts in links
    ]
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def xml_name(name: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(strip_invalid_xml(name))


def xml_data(facts: dict[str, Any]) -> str:
    from xml.sax.saxutils import escape

    return "".join(
        f'<data key="{name}">{escape(strip_invalid_xml(str(value)))}</data>' for name, value in facts.items()
    )


def strip_invalid_xml(text: str) -> str:
    return re.sub(_NO_XML, "", text)
