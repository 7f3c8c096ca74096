"""Which notes a search may return: the named notes and folders, and those of at least some score."""

from typing import Any

from bridge.search.filters import MAX_LOOKED_UP
from tests.features.served import Served

NOTES = {
    "Bread/Rye.md": "# Rye\n\nRye bread keeps for a week.\n",
    "Bread/Wheat.md": "# Wheat\n\nRye is not in it.\n",
    "Garden/Rye grass.md": "# Rye grass\n\nRye in the garden.\n",
    "Oven.md": "# Oven\n\nFor rye and other things: stones, bricks, a door, a chimney and a lot of patience.\n",
}


async def search(served: Served, **arguments: Any) -> tuple[list[str], dict[str, Any]]:
    answer = await served.result("search", query="rye", **arguments)
    return [hit["path"] for hit in answer["hits"]], answer


async def test_only_the_named_notes_and_folders_are_searched(served: Served) -> None:
    everything, _ = await search(served)
    assert len(everything) == 4
    assert set((await search(served, paths=["Bread"]))[0]) == {"Bread/Rye.md", "Bread/Wheat.md"}
    assert set((await search(served, paths=["Bread/", "[[Oven]]"]))[0]) == {"Bread/Rye.md", "Bread/Wheat.md", "Oven.md"}


async def test_a_path_that_does_not_exist_is_noticed(served: Served) -> None:
    found, answer = await search(served, paths=["Wine"])
    assert not found
    assert answer["notices"] == ["There is no note and no folder with notes `Wine`."]
    found, answer = await search(served, paths=["Garden", "Bread/Ryee.md"])
    assert found == ["Garden/Rye grass.md"]
    assert "`Bread/Ryee.md`; the closest is `Bread/Rye.md`" in answer["notices"][0]


async def test_hits_below_a_score_are_dropped_and_not_counted(served: Served) -> None:
    everything, answer = await search(served)
    least = answer["hits"][1]["score"]
    found, answer = await search(served, min_score=least)
    assert found == everything[: len(found)]
    assert 2 <= len(found) == answer["total"] < len(everything)


async def test_few_of_very_many_unknown_names_are_looked_up(served: Served) -> None:
    names = [f"{'*a*b' * 50}{number}" for number in range(2_000)]
    found = (await served.call("search", query="bread", paths=names)).json
    assert len([one for one in found["notices"] if "no note and no folder" in one]) == MAX_LOOKED_UP
    found = (await served.call("find_notes", tags=names)).json
    assert len([one for one in found["notices"] if "There is no tag" in one]) == MAX_LOOKED_UP
