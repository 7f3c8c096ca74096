"""Fifty thousand names without a note: every answer about them is right and has an end."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES, STUBS = 500, 50_000
A_NOTE = STUBS // NOTES


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stubborn(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """Serve notes that link to a hundred names each that nobody else knows, and to one that all know."""
    folder = tmp_path_factory.mktemp("stubs")
    wanted = {
        f"{number}.md": " ".join(f"[[Unwritten {number}-{name}]]" for name in range(A_NOTE)) + " [[Everybody's]]\n"
        for number in range(NOTES)
    }
    async with serving([write_vault(folder / "Notes", wanted)], folder / "data", folder / "no models") as served:
        yield served


async def test_the_most_wanted_comes_first_and_the_rest_is_counted(stubborn: Served) -> None:
    told = (await stubborn.call("graph_insights", limit=5)).json
    assert told["counts"] == {"notes": NOTES, "links": 0, "stubs": STUBS + 1}
    assert told["stubs"][0] == {"name": "Everybody's", "wanted": NOTES, "notes": told["stubs"][0]["notes"]}
    assert len(told["stubs"]) == 5
    assert (told["hubs"], told["sources"]["total"]) == ([], NOTES)


async def test_a_picture_draws_as_many_as_it_may(stubborn: Served) -> None:
    whole = (await stubborn.call("graph_view", stubs=True, fold=False)).json
    assert (len(whole["nodes"]), whole["total"]) == (10_000, NOTES + STUBS + 1)
    assert "Everybody's" in {node["title"] for node in whole["nodes"]}
    around = (await stubborn.call("graph_view", path="7.md", stubs=True)).json
    assert (len(around["nodes"]), around["total"]) == (300, NOTES + A_NOTE + 1)


async def test_a_report_has_an_end(stubborn: Served) -> None:
    told = (await stubborn.call("link_report", limit=3)).json
    assert told["unresolved"] == STUBS + 1
    assert told["stubs"][0]["name"] == "Everybody's"
    assert len(told["stubs"]) == 3
    found = (await stubborn.call("find_prospects", limit=4)).json["prospects"]
    assert found[0]["name"] == "Everybody's"
    assert len(found) <= 4


async def test_a_note_tells_its_own(stubborn: Served) -> None:
    told = (await stubborn.call("note_links", path="7.md")).json
    assert len(told["unresolved"]) == A_NOTE + 1
