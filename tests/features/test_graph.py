"""Around a note, and from one note to another."""

from typing import Any

import pytest

from tests.features.graphs import drawn
from tests.features.served import Served

__all__ = ["drawn"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def asked(drawn: Served, operation: str, **arguments: Any) -> Any:
    answer = await drawn.call(operation, **arguments)
    assert answer.status == 200, answer.body
    return answer.json


async def near(drawn: Served, **arguments: Any) -> dict[str, int]:
    nodes = (await asked(drawn, "graph_neighbours", **arguments))["nodes"]
    return {node["path"]: node["distance"] for node in nodes}


async def test_neighbours_come_step_by_step(drawn: Served) -> None:
    assert await near(drawn, path="Index.md") == {"Bread/Rye.md": 1, "Beans.md": 1}
    assert await near(drawn, path="Index.md", depth=2) == {
        "Bread/Rye.md": 1,
        "Beans.md": 1,
        "Bread/Spelt.md": 2,
        "Board.canvas": 2,
        "Lone.md": 2,
    }
    assert await near(drawn, path="Bread/Spelt.md", direction="out") == {"Beans.md": 1}
    assert await near(drawn, path="Bread/Spelt.md", direction="in") == {"Bread/Rye.md": 1}


async def test_a_neighbour_says_how_it_is_joined_and_through_whom(drawn: Served) -> None:
    answer = await asked(drawn, "graph_neighbours", path="Index.md", depth=2, direction="out", decay=0.5, limit=3)
    assert answer == {
        "nodes": [
            {"path": "Beans.md", "title": "Beans", "distance": 1, "score": 0.25, "via": None, "kinds": ["markdown"]},
            {"path": "Bread/Rye.md", "title": "Rye", "distance": 1, "score": 0.25, "via": None, "kinds": ["wiki"]},
            {
                "path": "Bread/Spelt.md",
                "title": "Spelt",
                "distance": 2,
                "score": 0.125,
                "via": "Bread/Rye.md",
                "kinds": ["wiki", "embed", "property"],
            },
        ],
        "total": 4,
    }


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["embed"], {"Bread/Spelt.md"}),
        (["property"], {"Bread/Spelt.md"}),
        (["wiki"], {"Bread/Spelt.md", "Index.md"}),
        (["tag"], {"Bread/Spelt.md", "Lone.md"}),
        (["folder"], {"Bread/Spelt.md"}),
        (["canvas", "arrow"], set()),
        ([], set()),
        # Without a model nothing is close in meaning.
        (["similar"], set()),
    ],
)
async def test_only_the_kinds_that_are_asked_for_count(drawn: Served, kinds: list[str], expected: set[str]) -> None:
    assert (await near(drawn, path="Bread/Rye.md", kinds=kinds)).keys() == expected


async def test_a_way_is_told_with_the_sentences_that_link(drawn: Served) -> None:
    answer = await asked(drawn, "graph_path", source="Lone.md", target="Bread/Spelt.md", alternatives=1)
    assert answer["paths"] == [
        {
            "notes": ["Lone.md", "Beans.md", "Bread/Spelt.md"],
            "steps": [
                {
                    "source": "Lone.md",
                    "target": "Beans.md",
                    "kind": "arrow",
                    "note": "Board.canvas",
                    "line": None,
                    "text": "feeds",
                },
                {
                    "source": "Beans.md",
                    "target": "Bread/Spelt.md",
                    "kind": "wiki",
                    "note": "Bread/Spelt.md",
                    "line": 3,
                    "text": "> Sown with [[Beans]].",
                },
            ],
        }
    ]


async def test_alternatives_are_longer_ways(drawn: Served) -> None:
    answer = await asked(drawn, "graph_path", source="Index.md", target="Bread/Spelt.md", alternatives=5)
    assert [path["notes"][1:-1] for path in answer["paths"]] == [["Beans.md"], ["Bread/Rye.md"]] or [
        path["notes"][1:-1] for path in answer["paths"]
    ] == [["Bread/Rye.md"], ["Beans.md"]]


async def test_a_way_may_have_to_follow_the_links(drawn: Served) -> None:
    back = {"source": "Bread/Spelt.md", "target": "Index.md"}
    assert (await asked(drawn, "graph_path", **back, direction="out"))["paths"] == []
    assert [len(path["steps"]) for path in (await asked(drawn, "graph_path", **back))["paths"]] == [2, 2]


async def test_what_nobody_wrote_is_said_in_words(drawn: Served) -> None:
    ends = {"source": "Lone.md", "target": "Bread/Rye.md", "alternatives": 1}
    (path,) = (await asked(drawn, "graph_path", **ends, kinds=["tag"]))["paths"]
    assert path["steps"][0]["text"] == "both carry #rare, as 3 notes do"
    assert path["steps"][0]["note"] is None
    ends["source"] = "Bread/Spelt.md"
    (path,) = (await asked(drawn, "graph_path", **ends, kinds=["folder"]))["paths"]
    assert path["steps"][0]["text"] == "both are in Bread"


async def test_a_note_leads_to_itself_without_a_step(drawn: Served) -> None:
    answer = await asked(drawn, "graph_path", source="Lone.md", target="Lone.md")
    assert answer["paths"] == [{"notes": ["Lone.md"], "steps": []}]


@pytest.mark.parametrize("path", ["Nowhere.md", "Secret/Plan.md"])
async def test_a_missing_or_denied_note_is_refused(drawn: Served, path: str) -> None:
    for operation, arguments in (
        ("graph_neighbours", {"path": path}),
        ("graph_path", {"source": path, "target": "Beans.md"}),
        ("graph_path", {"source": "Beans.md", "target": path}),
    ):
        answer = await drawn.call(operation, **arguments)
        assert (answer.code, path not in answer.json["error"]["closest"]) == ("note_not_found", True)


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": 7}, {"decay": 0}, {"kinds": ["friend"]}, {"limit": 501}])
async def test_what_is_out_of_range_is_refused(drawn: Served, wrong: dict[str, Any]) -> None:
    assert (await drawn.call("graph_neighbours", path="Beans.md", **wrong)).code == "invalid_arguments"


async def test_denied_notes_are_nowhere(drawn: Served) -> None:
    answer = await drawn.call("graph_neighbours", path="Beans.md", depth=6, kinds=["wiki", "tag", "folder"])
    assert b"Secret" not in answer.body


async def test_links_are_told_with_their_sentences_when_asked_for(drawn: Served) -> None:
    told = await asked(drawn, "note_links", path="Beans.md", context=True)
    assert [(link["path"], link["line"], link["context"]) for link in told["backlinks"]] == [
        ("Board.canvas", 1, "Beans"),
        ("Bread/Spelt.md", 3, "> Sown with [[Beans]]."),
        ("Index.md", 1, "Then [beans](Beans.md)!"),
    ]
    assert told["unresolved"][0]["context"] == "[[C++ [draft]]] [[.*]]"
    plain = await asked(drawn, "note_links", path="Beans.md")
    assert {link["context"] for link in plain["backlinks"]} == {None}
