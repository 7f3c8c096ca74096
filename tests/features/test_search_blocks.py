"""Finding the line of a journal or chat over HTTP."""

from typing import Any

from tests.features.served import Served

NOTES = {
    "Chats/Oven.md": (
        "- User: the oven needs 40 minutes to get hot\n- Assistant: I see.\n- User: the oven needs 55 minutes now\n"
    ),
    "Journal.md": "# Journal\n\n- 08:10 Oven door mended.\n- 09:30 Fed the starter.\n",
}


async def blocks(served: Served, **arguments: Any) -> tuple[list[tuple[str, list[int]]], dict[str, Any]]:
    answer = await served.result("search_blocks", **arguments)
    return [(hit["path"], hit["lines"]) for hit in answer["hits"]], answer


async def test_each_line_is_a_hit(served: Served) -> None:
    found, answer = await blocks(served, query="oven minutes", passage_tokens=1_000)
    assert sorted(found[:2]) == [("Chats/Oven.md", [1, 1]), ("Chats/Oven.md", [3, 3])]
    assert answer["total"] == len(found) >= 3
    assert answer["hits"][0]["passages"][0]["text"].startswith("- User: the oven needs")
    assert answer["hits"][0]["digest"]


async def test_the_latest_comes_first_if_that_is_asked_for(served: Served) -> None:
    found, _ = await blocks(served, query="how many minutes does the oven need", paths=["Chats"], order="latest")
    assert found[0] == ("Chats/Oven.md", [3, 3])


async def test_a_limit_and_a_filter_hold(served: Served) -> None:
    assert len((await blocks(served, query="oven", limit=1))[0]) == 1
    assert {path for path, _ in (await blocks(served, query="oven", paths=["Journal.md"]))[0]} == {"Journal.md"}
    assert {path for path, _ in (await blocks(served, query="oven", folder="Chats"))[0]} == {"Chats/Oven.md"}
    assert (await blocks(served, query="oven", types=["canvas"]))[0] == []
    assert (await served.call("search_blocks", query=" ")).code == "invalid_arguments"
    answer = await served.call("search_blocks", query="oven", mode="semantic")
    assert answer.code == "model_missing"
