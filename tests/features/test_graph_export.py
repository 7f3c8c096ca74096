"""The graph as other programs read it."""

import io
import json

import networkx as nx
import pytest

from bridge.features.graph.export import graphml, node_link
from tests.features.graphs import drawn
from tests.features.served import Served

__all__ = ["drawn"]


@pytest.mark.asyncio(loop_scope="module")
async def test_networkx_reads_the_same_graph_from_both_forms(drawn: Served) -> None:
    as_json = (await drawn.call("export_graph", format="json")).json
    as_xml = (await drawn.call("export_graph", format="graphml")).json
    one = nx.node_link_graph(json.loads(as_json["text"]), edges="links")
    other = nx.read_graphml(io.BytesIO(as_xml["text"].encode()), force_multigraph=True)
    assert dict(one.nodes(data=True)) == dict(other.nodes(data=True))
    assert sorted(one.edges(data="kind")) == sorted(other.edges(data="kind"))
    assert (as_json["nodes"], as_json["edges"]) == (len(one), one.number_of_edges())
    assert ("Beans.md", "Lone.md", "arrow") in one.edges(data="kind")
    assert one.nodes["Bread/Rye.md"] == {"title": "Rye", "type": "note", "tags": "rare"}
    assert one.nodes["?.*"] == {"title": ".*", "type": "stub"}
    assert not any("Secret" in node for node in one)


def test_names_that_xml_cannot_hold_are_cleaned() -> None:
    nodes = [('a&<"\x01.md', {"title": "a]]>\ud800b"}), ("b", {"title": ""})]
    read = nx.read_graphml(io.BytesIO(graphml(nodes, [(nodes[0][0], "b", {"kind": "wiki", "weight": 1.0})]).encode()))
    assert list(read.nodes) == ['a&<".md', "b"]
    assert list(read.edges(data="weight")) == [('a&<".md', "b", 1.0)]
    assert json.loads(node_link(nodes, []))["nodes"][1] == {"id": "b", "title": ""}
