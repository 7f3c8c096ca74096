"""Pictures of a graph that is easy to see."""

from typing import Any

import pytest

from tests.features.graphs import drawn
from tests.features.served import Served

__all__ = ["drawn"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def view(drawn: Served, **arguments: Any) -> Any:
    answer = await drawn.call("graph_view", **arguments)
    assert answer.status == 200, answer.body
    return answer.json


def titles(picture: Any) -> set[str]:
    return {node["title"] for node in picture["nodes"]}


def edges(picture: Any) -> set[tuple[str, str, tuple[str, ...]]]:
    title = {node["id"]: node["title"] for node in picture["nodes"]}
    return {(title[edge["source"]], title[edge["target"]], tuple(edge["kinds"])) for edge in picture["edges"]}


async def test_all_notes_are_drawn_with_what_joins_them(drawn: Served) -> None:
    picture = await view(drawn)
    assert titles(picture) == {"Index", "Rye", "Spelt", "Beans", "Board", "Lone"}
    assert (picture["total"], picture["folded"]) == (6, False)
    assert edges(picture) == {
        ("Index", "Rye", ("wiki",)),
        ("Index", "Beans", ("markdown",)),
        ("Rye", "Spelt", ("wiki", "embed", "property")),
        ("Spelt", "Beans", ("wiki",)),
        ("Board", "Beans", ("canvas",)),
        ("Board", "Lone", ("canvas",)),
        ("Beans", "Lone", ("arrow",)),
    }
    sizes = {node["title"]: node["size"] for node in picture["nodes"]}
    assert max(sizes, key=lambda name: sizes[name]) == "Beans"
    assert sizes["Beans"] == 10


async def test_the_picture_stays_put(drawn: Served) -> None:
    first = {node["path"]: (node["x"], node["y"]) for node in (await view(drawn))["nodes"]}
    again = {node["path"]: (node["x"], node["y"]) for node in (await view(drawn))["nodes"]}
    assert first == again
    assert len(set(first.values())) == 6


async def test_a_picture_around_a_note(drawn: Served) -> None:
    assert titles(await view(drawn, path="Index.md", depth=1)) == {"Index", "Rye", "Beans"}
    few = await view(drawn, path="Index.md", depth=2, limit=2)
    assert (len(few["nodes"]), few["total"]) == (2, 6)
    assert few["nodes"][0]["path"] in {"Index.md", "Rye.md", "Beans.md"}
    assert "Index" in titles(few)


async def test_names_without_a_note_are_drawn_when_asked_for(drawn: Served) -> None:
    picture = await view(drawn, path="Index.md", depth=1, stubs=True)
    stubs = [node for node in picture["nodes"] if node["type"] == "stub"]
    assert [(node["title"], node["path"], node["joined"]) for node in stubs] == [("Nowhere", None, 2)]
    assert ("Index", "Nowhere", ("wiki",)) in edges(picture)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"folder": "Bread"}, {"Rye", "Spelt"}),
        ({"folder": "bread"}, {"Rye", "Spelt"}),
        ({"tags": ["rare"]}, {"Rye", "Spelt", "Lone"}),
        ({"types": ["canvas"]}, {"Board"}),
        ({"modified_before": "2000-01-01"}, set()),
        ({"modified_after": "2000-01-01", "folder": "Bread"}, {"Rye", "Spelt"}),
        ({"folder": "Bread", "stubs": True}, {"Rye", "Spelt", "Nowhere"}),
        ({"community": 999}, set()),
        ({"notes": ["Index.md", "Lone.md"]}, {"Index", "Lone"}),
        ({"notes": ["Bread/Rye.md", "Lone.md"], "folder": "Bread"}, {"Rye"}),
    ],
)
async def test_filters_choose_what_is_drawn(drawn: Served, filters: dict[str, Any], expected: set[str]) -> None:
    picture = await view(drawn, **filters)
    assert titles(picture) == expected
    assert picture["total"] == len(expected)


@pytest.mark.parametrize("operation", ["graph_view", "find_prospects", "link_report"])
async def test_a_folder_that_is_not_there_is_refused(drawn: Served, operation: str) -> None:
    answer = await drawn.call(operation, folder="Bred")
    assert (answer.status, answer.code) == (404, "folder_not_found")
    message = "There is no folder `Bred` with notes; the closest is `Bread`."
    assert answer.json["error"]["message"] == message
    assert (await drawn.call(operation, folder="bread")).json == (await drawn.call(operation, folder="Bread")).json


async def test_communities_stand_for_their_notes_when_folded(drawn: Served) -> None:
    open_, folded = await view(drawn, fold=False), await view(drawn, fold=True)
    assert folded["folded"]
    assert {node["type"] for node in folded["nodes"]} == {"community"}
    sizes = {group["number"]: group["size"] for group in open_["communities"]}
    assert {node["id"]: node["joined"] for node in folded["nodes"]} == sizes
    assert all(node["title"] for node in folded["nodes"])


async def test_tags_are_told_when_asked_for(drawn: Served) -> None:
    tags = {node["title"]: node["tags"] for node in (await view(drawn, tagged=True))["nodes"]}
    assert (tags["Rye"], tags["Beans"]) == (["rare"], [])
    assert all(node["tags"] is None for node in (await view(drawn))["nodes"])


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 10_001}, {"depth": 0}, {"modified_after": "soon"}])
async def test_what_does_not_fit_is_refused(drawn: Served, wrong: dict[str, Any]) -> None:
    assert (await drawn.call("graph_view", **wrong)).code == "invalid_arguments"


async def test_a_missing_or_denied_note_is_refused(drawn: Served) -> None:
    for path in ("Nowhere.md", "Secret/Plan.md"):
        assert (await drawn.call("graph_view", path=path)).code == "note_not_found"
        assert (await drawn.call("graph_view", notes=[path])).code == "note_not_found"
    assert b"Secret" not in (await drawn.call("graph_view", stubs=True)).body
