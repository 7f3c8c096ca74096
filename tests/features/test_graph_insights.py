"""What stands out in a graph that is easy to see."""

from typing import Any

import pytest

from tests.features.graphs import drawn
from tests.features.served import Served

__all__ = ["drawn"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def insights(drawn: Served, **arguments: Any) -> Any:
    answer = await drawn.call("graph_insights", **arguments)
    assert answer.status == 200, answer.body
    return answer.json


async def test_everything_is_told_unless_parts_are_asked_for(drawn: Served) -> None:
    assert (await insights(drawn)).keys() == {
        "counts", "totals", "offset", "hubs", "pagerank", "orphans", "dead_ends", "sources", "stubs", "communities",
        "bridges", "articulations", "strong_pairs", "gaps",
    }  # fmt: skip
    assert (await insights(drawn, parts=["gaps"])).keys() == {"counts", "totals", "offset", "gaps"}


async def test_links_and_names_without_a_note_are_counted(drawn: Served) -> None:
    found = await insights(drawn, parts=["stubs", "orphans", "dead_ends", "sources"])
    assert found["counts"] == {"notes": 6, "links": 7, "stubs": 4}
    assert found["stubs"] == [
        {"name": "Nowhere", "wanted": 2, "notes": ["Bread/Rye.md", "Index.md"]},
        {"name": "C++ [draft]", "wanted": 1, "notes": ["Beans.md"]},
        {"name": ".*", "wanted": 1, "notes": ["Beans.md"]},
        {"name": "Deep/Nowhere", "wanted": 1, "notes": ["Beans.md"]},
    ]
    # Lone.md is on the canvas, and nobody writes in it.
    assert found["dead_ends"] == {"total": 1, "notes": ["Lone.md"]}
    assert found["sources"]["total"] == 2
    assert set(found["sources"]["notes"]) == {"Index.md", "Board.canvas"}
    assert found["orphans"] == {"total": 0, "notes": []}


async def test_hubs_are_scored_to_a_hundred(drawn: Served) -> None:
    hubs = (await insights(drawn, parts=["hubs"], limit=2))["hubs"]
    # Three links to one note weigh more than one to each of two.
    assert (hubs[0]["path"], hubs[0]["score"], hubs[0]["joined"]) == ("Bread/Spelt.md", 100.0, 2)
    assert hubs[1]["score"] < 100
    every = (await insights(drawn, parts=["hubs"], limit=10))["hubs"]
    assert sum(hub["pagerank"] for hub in every) / 6 == pytest.approx(1, abs=0.02)
    ranked = (await insights(drawn, parts=["pagerank"], limit=10))["pagerank"]
    assert ranked[0]["path"] == "Lone.md"
    assert [hub["pagerank"] for hub in ranked] == sorted((hub["pagerank"] for hub in every), reverse=True)


async def test_a_community_is_called_by_its_best_connected_note(drawn: Served) -> None:
    found = await insights(drawn, parts=["hubs", "communities"], limit=10)
    hubs = {hub["path"]: hub for hub in found["hubs"]}
    for group in found["communities"]:
        joined = [hubs[path]["joined"] for path in group["notes"]]
        assert (group["name"], joined[0]) == (hubs[group["notes"][0]]["title"], max(joined))
    view = await drawn.call("graph_view", stubs=False)
    assert {(each["number"], each["name"]) for each in view.json["communities"]} == {
        (each["number"], each["name"]) for each in found["communities"]
    }
    assert found["communities"]


async def test_without_links_nothing_stands_out(drawn: Served) -> None:
    found = await insights(drawn, kinds=["similar"], parts=["hubs", "communities", "bridges", "articulations", "gaps"])
    assert set(found["totals"].values()) == {0, None}
    assert {name: held for name, held in found.items() if isinstance(held, list)} == {
        "hubs": [],
        "communities": [],
        "bridges": [],
        "articulations": [],
        "gaps": [],
    }


async def test_each_part_has_pages(drawn: Served) -> None:
    parts = ["hubs", "pagerank", "stubs", "orphans", "sources", "strong_pairs", "bridges", "articulations", "gaps"]
    whole = await insights(drawn, parts=parts, limit=100)
    pages = [await insights(drawn, parts=parts, limit=1, offset=offset) for offset in range(7)]
    assert all((page["offset"], page["totals"]) == (at, whole["totals"]) for at, page in enumerate(pages))
    for part in parts:
        found = whole[part]["notes"] if isinstance(whole[part], dict) else whole[part]
        paged = [page[part]["notes"] if isinstance(page[part], dict) else page[part] for page in pages]
        assert [one for page in paged for one in page] == found
        assert whole["totals"].get(part) in {len(found), None}


async def test_denied_notes_and_their_wishes_are_not_told(drawn: Served) -> None:
    answer = await drawn.call("graph_insights", limit=100)
    assert b"Secret" not in answer.body
    assert b"Unheard" not in answer.body


@pytest.mark.parametrize("wrong", [{"parts": ["friends"]}, {"limit": 0}, {"limit": 101}, {"kinds": ["friends"]}])
async def test_what_does_not_fit_is_refused(drawn: Served, wrong: dict[str, Any]) -> None:
    assert (await drawn.call("graph_insights", **wrong)).code == "invalid_arguments"
