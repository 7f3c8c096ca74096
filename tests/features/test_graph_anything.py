"""Graphs that nobody would draw: notes that link to themselves and in circles, hubs, names full of signs."""

import unicodedata
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

pytestmark = pytest.mark.asyncio(loop_scope="module")

CREME = "Crème brûlée"
MANY = 10_000
NOTES = {
    "A.md": "[[B]] [[A]] [[A|again]]\n",
    "B.md": "[[C]]\n",
    "C.md": "[[A]] #shared\n",
    "X.md": "[c](C%23%20%5Bx%5D%5E.md) [[.*]] #shared\n",
    "C# [x]^.md": "[[X]] #shared\n",
    "(a+)+$.md": "[[X]]\n",
    "one/Same.md": "[[two/Same]]\n",
    "two/Same.md": "[[Same]]\n",
    "خبز.md": f"[[{unicodedata.normalize('NFD', CREME)}]]\n",
    f"{CREME}.md": "[[خبز|الخبز]]\n",
    "Hub.md": "\n".join(f"[[n{number % 30}]] [[stub {number}]]" for number in range(MANY)),
    **{f"n{number}.md": "[[Hub]]\n" for number in range(30)},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def odd(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("odd")
    async with serving([write_vault(folder / "Notes", NOTES)], folder / "data", folder / "no models") as served:
        yield served


async def asked(odd: Served, operation: str, **arguments: Any) -> Any:
    answer = await odd.call(operation, **arguments)
    assert answer.status == 200, answer.body
    return answer.json


async def near(odd: Served, path: str, **arguments: Any) -> set[str]:
    return {node["path"] for node in (await asked(odd, "graph_neighbours", path=path, **arguments))["nodes"]}


async def ways(odd: Served, source: str, target: str, **arguments: Any) -> list[list[str]]:
    found = await asked(odd, "graph_path", source=source, target=target, alternatives=10, **arguments)
    return [path["notes"] for path in found["paths"]]


async def test_circles_and_links_to_oneself_have_an_end(odd: Served) -> None:
    assert await near(odd, "A.md", depth=6) == {"B.md", "C.md"}
    assert await ways(odd, "A.md", "C.md") == [["A.md", "C.md"], ["A.md", "B.md", "C.md"]]
    assert await ways(odd, "A.md", "C.md", direction="out") == [["A.md", "B.md", "C.md"]]
    assert await ways(odd, "A.md", "A.md") == [["A.md"]]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C# [x]^.md", {"X.md"}),
        ("(a+)+$.md", {"X.md"}),
        ("one/Same.md", {"two/Same.md"}),
        ("خبز.md", {f"{CREME}.md"}),
        (unicodedata.normalize("NFD", f"{CREME}.md"), {"خبز.md"}),
    ],
)
async def test_any_name_has_its_neighbours(odd: Served, path: str, expected: set[str]) -> None:
    assert await near(odd, path) == expected
    (way,) = await ways(odd, path, *expected)
    assert len(way) == 2


async def test_a_step_along_links_is_told_by_the_link_that_it_follows(odd: Served) -> None:
    for direction in ("out", "any"):
        found = await asked(odd, "graph_path", source="X.md", target="C# [x]^.md", direction=direction)
        (step,) = found["paths"][0]["steps"]
        assert (step["kind"], step["note"]) == ("markdown", "X.md")


@pytest.mark.parametrize("direction", ["any", "out", "in"])
async def test_what_notes_share_leads_both_ways(odd: Served, direction: str) -> None:
    sharing = {"C.md", "X.md", "C# [x]^.md"}
    for path in sharing:
        assert await near(odd, path, kinds=["tag"], direction=direction) == sharing - {path}
    if direction != "in":
        for source, target in (("C.md", "X.md"), ("X.md", "C.md")):
            assert [source, target] in await ways(odd, source, target, kinds=["tag"], direction=direction)


async def test_notes_that_share_are_as_easily_come_by(odd: Served) -> None:
    found = (await asked(odd, "graph_insights", parts=["pagerank"], kinds=["tag"], limit=100))["pagerank"]
    assert {hub["path"] for hub in found} == {"C.md", "X.md", "C# [x]^.md"}
    assert len({hub["pagerank"] for hub in found}) == 1


async def test_ten_thousand_links_of_one_note_are_counted_not_drawn(odd: Served) -> None:
    picture = await asked(odd, "graph_view", path="Hub.md", depth=1, stubs=True)
    assert (len(picture["nodes"]), picture["total"]) == (300, 1 + 30 + MANY)
    assert len(await near(odd, "n1.md", depth=2, limit=500)) == 30
    assert await ways(odd, "n1.md", "n2.md") == [["n1.md", "Hub.md", "n2.md"]]
    told = await asked(odd, "note_links", path="Hub.md")
    assert [len(told[kind]) for kind in ("links", "unresolved", "backlinks")] == [2_000, 2_000, 30]
    assert told["totals"] == {"links": MANY, "backlinks": 30, "unresolved": MANY}
