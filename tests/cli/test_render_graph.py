"""Answers about the graph as a person sees them in a pipe."""

from typing import Any

import pytest

from bridge.cli import render
from tests.features.results import drawn, result_of

STEP = {"source": "a.md", "target": "b.md", "kind": "wiki", "note": "b.md", "line": 3, "text": "See [[a]]."}
WEEK = {
    "week": "2026-01-05", "counts": {"notes": 3, "links": 1200, "stubs": 0}, "appeared": ["b.md"], "vanished": ["c.md"],
    "grown": [{"path": "a.md", "more": -2}],
}  # fmt: skip
NODE = {"path": "b.md", "title": "B", "distance": 1, "score": 0.5, "via": None, "kinds": ["wiki", "tag"]}
DRAWN = {
    "id": 4,
    "path": None,
    "title": "Gone",
    "type": "stub",
    "x": 0,
    "y": 1,
    "size": 1,
    "joined": 2,
    "community": None,
}


@pytest.mark.parametrize(
    ("operation", "result", "out", "err"),
    [
        (
            "graph_path",
            {"paths": [{"notes": ["a.md", "b.md"], "steps": [STEP]}]},
            "1. a.md (1 step)\n   ← b.md (wiki, b.md:3) — See [[a]].\n",
            "",
        ),
        ("graph_path", {"paths": []}, "", "Nothing joins the two.\n"),
        (
            "graph_neighbours",
            {"nodes": [NODE], "total": 9},
            "b.md\t1\t0.5\twiki tag\t\n",
            "Columns: path, distance, score, kinds, via\n1 of 9 notes around it; `--limit` shows more\n",
        ),
        (
            "graph_insights",
            {
                "counts": {"notes": 1000, "links": 2, "stubs": 1},
                "totals": {"stubs": 4},
                "offset": 0,
                "gaps": [],
                "stubs": [{"name": "Gone\x1b", "wanted": 2, "notes": ["a.md", "b.md"]}],
            },
            "Gone\tWanted\t2\ta.md | b.md\n",
            (
                "Columns: name, section, wanted, notes\n1,000 notes, 2 links, 1 name without a note\n"
                "`--parts`, with `--limit` and `--offset`, shows more of a part.\n"
            ),
        ),
        (
            "graph_insights",
            {
                "counts": {"notes": 0, "links": 0, "stubs": 0},
                "totals": {},
                "offset": 0,
                "orphans": {"total": 7, "notes": ["a.md"]},
            },
            "a.md\tNo links at all\n",
            (
                "0 notes, 0 links, 0 names without a note\n"
                "`--parts`, with `--limit` and `--offset`, shows more of a part.\n"
            ),
        ),
        (
            "graph_view",
            {"nodes": [DRAWN], "edges": [], "communities": [], "folded": False, "total": 1},
            "Gone\tLargest\tGone\tstub\t2\t\n",
            (
                "Columns: node, section, title, type, joined, community\n"
                "1 of 1 nodes with 0 edges\nJSON has the positions and the edges.\n"
            ),
        ),
        (
            "graph_history",
            {"since": "2026-01-02", "weeks": [WEEK]},
            (
                "2026-01-05: 3 notes, 1,200 links, 0 names without a note\n"
                "  appeared: b.md\n  vanished: c.md\n  joined to more or fewer: a.md -2\n"
            ),
            "Recorded since 2026-01-02, on the days on which a bridge ran.\n",
        ),
    ],
)
def test_answers_about_the_graph_are_read_at_a_glance(
    operation: str, result: dict[str, Any], out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    render.show(operation, drawn(result_of(operation, result)))
    assert capsys.readouterr() == (out, err)
