"""Operators of a query, asked of a served vault."""

from typing import Any

import pytest

from tests.features.served import Served

NOTES = {
    "Kimchi.md": "---\naliases: [fermented cabbage]\n---\n# Kimchi\n\n## Salting\n\nIt ferments for days.\n",
    "Bread.md": "# Bread\n\n## Ferment\n\nFermentation makes it rise. Salt and rye.\n",
    "Fern.md": "A plant, salted by the sea.\n",
    "Rye.md": "Rye alone.\n",
}


async def search(served: Served, query: str) -> tuple[set[str], list[str]]:
    answer: dict[str, Any] = (await served.call("search", query=query, limit=20)).json
    return {hit["path"] for hit in answer["hits"]}, answer.get("notices", [])


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("ferm*", {"Kimchi.md", "Bread.md"}),
        ("FERM*", {"Kimchi.md", "Bread.md"}),
        ("salt* -ferm*", {"Fern.md"}),
        ("salt AND rye", {"Bread.md"}),
        ("salt +rye", {"Bread.md", "Rye.md"}),
        ("rye AND NOT salt", {"Rye.md"}),
        ("title:ki", {"Kimchi.md"}),
        ("alias:cabbage", {"Kimchi.md"}),
        ("heading:ferment", {"Bread.md"}),
        ("rye title:bread", {"Bread.md"}),
        ("xylo*", set()),
    ],
)
async def test_operators_choose_the_notes(served: Served, query: str, paths: set[str]) -> None:
    assert (await search(served, query))[0] == paths


async def test_a_beginning_says_which_words_it_is_read_as(served: Served) -> None:
    _, notices = await search(served, "ferm*")
    assert "`ferm*` is read as ferment, fermentation, fermented and 1 more." in notices
    assert "No word begins with `xylo`." in (await search(served, "xylo*"))[1]


async def test_a_name_that_nothing_has_is_said(served: Served) -> None:
    assert "No heading contains `nowhere`." in (await search(served, "heading:nowhere"))[1]
