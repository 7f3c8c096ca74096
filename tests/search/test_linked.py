"""What links of the first hits add to a search, in a real index with the links of real notes."""

from collections.abc import Mapping
from pathlib import Path

from bridge.search.model import SearchAnswer, SearchRequest
from bridge.search.pipeline import search
from tests.search.vaults import opened, write_vault

PLAN = "A plan to insulate the roof before winter: wool or cork, and who climbs up to insulate it."


async def searched(tmp_path: Path, files: Mapping[str, str], query: str) -> SearchAnswer:
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        return await search(sources, SearchRequest(query, mode="keyword", explain=True))


def order(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


def reasons(answer: SearchAnswer) -> dict[str, tuple[str, ...]]:
    return {hit.path: hit.why for hit in answer.hits}


def walk(answer: SearchAnswer) -> dict[str, float]:
    assert answer.explain is not None
    return {path: lanes["links"].calibrated for path, lanes in answer.explain.lanes.items() if "links" in lanes}


async def test_of_two_notes_that_say_the_same_the_one_that_the_best_hit_links_to_comes_first(tmp_path: Path) -> None:
    files = {
        "Plan.md": f"{PLAN} [[M|see also]].\n",
        "A.md": "Cork came by boat for the roof, and winter came after it.\n",
        "M.md": "Sheep gave their fleece for the roof, and winter came after them.\n",
    }
    answer = await searched(tmp_path, files, "insulate the roof before winter")
    assert order(answer) == ["Plan.md", "M.md", "A.md"]
    assert reasons(answer)["M.md"] == ("says “roof”, “winter”", "linked from *Plan*, which matches")
    assert reasons(answer)["A.md"] == ("says “roof”, “winter”",)


async def test_a_note_that_links_to_the_best_hit_says_so(tmp_path: Path) -> None:
    files = {"Plan.md": f"{PLAN}\n", "M.md": "After [[Plan|that]] came the winter on the roof.\n"}
    answer = await searched(tmp_path, files, "insulate the roof before winter")
    assert reasons(answer)["M.md"][-1] == "links to *Plan*, which matches"


async def test_a_list_of_everything_is_not_nearer_to_the_best_hit_than_what_it_alone_is_linked_with(
    tmp_path: Path,
) -> None:
    others = {f"Other {at}.md": "Nothing of it.\n" for at in range(30)}
    listed = " ".join(f"[[Other {at}|x]]" for at in range(30))
    files = {
        "Plan.md": f"{PLAN} [[M|see also]].\n",
        "All.md": f"All of this before winter, and the roof of it. [[Plan|1]] {listed}\n",
        "M.md": "Sheep gave their fleece for the roof, and winter came after them.\n",
        **others,
    }
    found = walk(await searched(tmp_path, files, "insulate the roof before winter"))
    assert found["All.md"] < found["M.md"] / 4


async def test_a_walk_goes_on_to_what_is_linked_with_what_is_linked(tmp_path: Path) -> None:
    files = {
        "Plan.md": f"{PLAN} [[Between|see also]].\n",
        "Between.md": "Of something else. [[M|see also]]\n",
        "M.md": "Sheep gave their fleece for the roof, and winter came after them.\n",
        "A.md": "Cork came by boat for the roof, and winter came after it.\n",
    }
    answer = await searched(tmp_path, files, "insulate the roof before winter")
    assert order(answer) == ["Plan.md", "M.md", "A.md"]
    assert reasons(answer)["M.md"] == ("says “roof”, “winter”",)
    assert "A.md" not in walk(answer)


async def test_links_bring_no_note_that_nothing_else_speaks_for(tmp_path: Path) -> None:
    files = {"Plan.md": f"{PLAN} [[M|see also]].\n", "M.md": "Sheep gave their fleece.\n"}
    assert order(await searched(tmp_path, files, "insulate the roof before winter")) == ["Plan.md"]
