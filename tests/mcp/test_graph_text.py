"""What a model reads of the graph and of missing links: a line an entry, never without end."""

import json
from typing import Any

import pytest

from bridge.api.markup import MAX_ENTRIES
from bridge.api.registry import show
from bridge.mcp.text import text_lines
from bridge.text.budget import cost
from tests.features.results import result_of
from tests.features.served import Served
from tests.mcp.client import connected, text_of

STAR = "Bread/Starters/Sourdough starter.md"
ASKED: dict[str, dict[str, Any]] = {
    "graph_neighbours": {"path": STAR, "depth": 2},
    "graph_path": {"source": "Bread/Science/Staling.md", "target": "Garden/Plants/Garlic.md"},
    "graph_insights": {},
    "graph_view": {},
    "link_report": {},
    "find_prospects": {},
}


@pytest.mark.usefixtures("restored")
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("tool", ASKED)
async def test_an_answer_is_shorter_than_its_json_and_names_notes(sample: Served, tool: str) -> None:
    async with connected(sample, preset="full") as client:
        answer = await client.call_tool(tool, ASKED[tool])
    text, whole = text_of(answer), json.dumps(answer.structured_content, ensure_ascii=False)
    assert cost(text) < min(15_000, 0.8 * cost(whole))
    assert ".md" in text
    assert "{" not in text


def lines(tool: str, answer: dict[str, Any]) -> list[str]:
    return list(text_lines(show(result_of(tool, answer))))


def test_a_neighbour_is_told_with_the_way_to_it() -> None:
    near = {"path": "A.md", "title": "A", "distance": 1, "score": 0.5, "via": None, "kinds": ["wiki", "tag"]}
    far = {**near, "path": "B.md", "distance": 2, "via": "A.md", "kinds": ["embed"]}
    assert lines("graph_neighbours", {"nodes": [near, far], "total": 3}) == [
        "2 of 3 notes around it; `limit` shows more",
        "- 1 step · A.md · wiki, tag",
        "- 2 steps · B.md · embed via A.md",
    ]
    assert lines("graph_neighbours", {"nodes": [], "total": 0}) == ["Nothing is around it."]


def test_a_way_is_told_with_the_sentences_that_lead_on() -> None:
    steps = [
        {"source": "A.md", "target": "B.md", "kind": "wiki", "note": "A.md", "line": 4, "text": "See [[B]]."},
        {"source": "B.md", "target": "C.md", "kind": "embed", "note": "C.md", "line": 1, "text": ""},
        {"source": "C.md", "target": "D.md", "kind": "tag", "note": None, "line": None, "text": "both carry #x"},
    ]
    way = {"notes": ["A.md", "B.md", "C.md", "D.md"], "steps": steps}
    assert lines("graph_path", {"paths": [way]}) == [
        "1. A.md (3 steps)",
        "   → B.md (wiki, A.md:4) — See [[B]].",
        "   ← C.md (embed, C.md:1)",
        "   → D.md (tag) — both carry #x",
    ]
    assert lines("graph_path", {"paths": []}) == ["Nothing joins the two."]


def test_what_stands_out_is_told_part_by_part() -> None:
    hub = {"path": "A.md", "title": "A", "score": 99.6, "pagerank": 2.5, "joined": 4, "community": 0}
    answer = {
        "counts": {"notes": 2, "links": 1, "stubs": 1},
        "totals": {"hubs": 1, "pagerank": 2, "stubs": 1, "bridges": 1, "strong_pairs": 1, "articulations": 0},
        "offset": 0,
        "hubs": [hub],
        "pagerank": [hub, {**hub, "path": "B.md"}],
        "orphans": {"total": 70, "notes": ["B.md"] * 60},
        "stubs": [{"name": "X", "wanted": 4, "notes": ["A.md", "B.md", "C.md", "D.md"]}],
        "bridges": [{"source": "A.md", "target": "B.md", "holds": 2}],
        "strong_pairs": [{"source": "A.md", "target": "B.md", "links": 3}],
        "gaps": [{"source": "A.md", "target": "B.md", "together": 5, "score": 1.0}],
        "articulations": [],
        "communities": None,
    }
    told = lines("graph_insights", answer)
    assert told[:6] == [
        "2 notes, 1 link, 1 name without a note",
        "Hubs:",
        "- A.md · 100 of 100, PageRank 2.5, joined to 4",
        "Where readers come by most, besides the hubs:",
        "- B.md · 100 of 100, PageRank 2.5, joined to 4",
        "No links at all (70):",
    ]
    assert told.count("- B.md") == MAX_ENTRIES
    assert told[6 + MAX_ENTRIES :] == [
        "… and 10 more",
        "Wanted (1):",
        "- [[X]] wanted by 4: A.md, B.md, C.md …",
        "Sole links between parts (1):",
        "- A.md — B.md (holds 2)",
        "Linked both ways most (1):",
        "- A.md — B.md (3 links)",
        "Perhaps to be linked:",
        "- A.md — B.md (linked to together by 5)",
        "`parts`, with `limit` and `offset`, shows more of a part.",
    ]


def test_a_report_says_what_broken_names_mean() -> None:
    answer = {
        "totals": {"broken": 9, "stubs": 0, "unlinked": 1, "ambiguous": 1},
        "offset": 0,
        "unresolved": 1,
        "broken": [{"name": "Rey", "wanted": 1, "notes": ["A.md"], "meant": "Rye.md", "why": "almost its name"}],
        "stubs": [],
        "unlinked": [
            {
                "path": "B.md",
                "said": ["B", "Bee"],
                "mentioned": 2,
                "linked": 0,
                "notes": ["A.md", "C.md"],
                "places": [{"path": "A.md", "line": 3, "text": "B"}, {"path": "C.md", "line": 1, "text": "Bee"}],
            }
        ],
        "ambiguous": [{"name": "I", "notes": ["I.md", "d/I.md"], "links": 1, "sources": ["A.md"]}],
        "accepted": 3,
        "declined": 1,
        "rate": 0.75,
        "next_offset": 1,
    }
    assert lines("link_report", answer) == [
        "1 name that links ask for has no note.",
        "Likely mean a note (9):",
        "- [[Rey]] in A.md → Rye.md (almost its name)",
        "Mentioned without a link (1):",
        "- B.md: 2 notes say “B”, “Bee”: A.md:3, C.md:1",
        "Names of several notes (1):",
        "- I means I.md, d/I.md; 1 link, as in A.md",
        "`offset: 1` shows more.",
        "Of suggested links 3 were accepted and 1 declined.",
    ]


def test_names_worth_a_note_are_told_with_where_they_are_said() -> None:
    one = {"name": "Grace Hopper", "notes": 4, "confidence": 0.7, "examples": ["A.md"]}
    line = "- Grace Hopper (4 notes, 70%): A.md"
    assert lines("find_prospects", {"prospects": [one], "total": 1}) == ["1 name", line]
    assert lines("find_prospects", {"prospects": [one], "total": 9, "next_offset": 6}) == [
        "1 of 9 names; `offset: 6` shows more",
        line,
    ]
    assert lines("find_prospects", {"prospects": [], "total": 9}) == ["0 of 9 names; `offset` is behind the last"]
    assert lines("find_prospects", {"prospects": [], "total": 0}) == [
        "No name that several notes link to lacks a note."
    ]


def test_weeks_and_pictures_are_told_in_words() -> None:
    counts = {"notes": 2, "links": 1, "stubs": 0}
    grown = [{"path": "A.md", "more": 2}, {"path": "B.md", "more": -1}]
    week = {"week": "2026-01-05", "counts": counts, "appeared": ["A.md"], "vanished": [], "grown": grown}
    assert lines("graph_history", {"since": "2026-01-01", "weeks": [week]}) == [
        "2026-01-05: 2 notes, 1 link, 0 names without a note",
        "  appeared: A.md",
        "  joined to more or fewer: A.md +2, B.md -1",
        "Recorded since 2026-01-01, on the days on which a bridge ran.",
    ]
    node = {"path": "A.md", "title": "A", "type": "note", "joined": 1}
    stub = {"path": None, "title": "X", "type": "stub", "joined": 3}
    group = {"number": 0, "name": "rye · bread", "size": 2}
    picture = {"nodes": [node, stub], "edges": [{}], "communities": [group], "folded": False, "total": 2}
    assert lines("graph_view", picture) == [
        "2 of 2 nodes with 1 edge",
        "Communities:",
        "- rye · bread (2 notes)",
        "Largest:",
        "- X (stub) · joined to 3",
        "- A.md · joined to 1",
    ]
