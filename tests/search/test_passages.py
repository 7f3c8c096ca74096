"""Whole passages within a number of tokens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.search.model import SearchHit, SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.text.budget import estimate_tokens
from tests.search.vaults import opened, write_vault

FILLER = "Nothing of it is said in these words, which only take up room between the one and the other part. " * 8
FILES = {
    "Roof.md": (
        f"# Roof\n\n## Wool\n\nThe insulation of the roof is **wool** <!-- no --> from sheep.\n\n"
        f"## Rain\n\n{FILLER}\n\n"
        f"## Cork\n\nInsulation of the roof with cork costs more.\n"
    ),
    "Wall.md": "# Wall\n\nInsulation of a wall, not of the roof.\n",
    "Garden.md": "# Garden\n\nBeans and peas.\n",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


async def found(sources: Sources, room: int) -> dict[str, SearchHit]:
    answer = await search(sources, SearchRequest("roof insulation", mode="keyword", passage_tokens=room))
    return {hit.path: hit for hit in answer.hits}


async def test_passages_are_whole_and_several_of_a_note_where_they_match(sources: Sources) -> None:
    hits = await found(sources, 2_000)
    first, second = hits["Roof.md"].passages
    assert [(one.heading, one.lines) for one in (first, second)] == [("Roof > Wool", (1, 5)), ("Roof > Cork", (11, 13))]
    assert first.text == "# Roof\n\n## Wool\n\nThe insulation of the roof is **wool**   from sheep."
    assert [one.text for one in hits["Wall.md"].passages] == ["# Wall\n\nInsulation of a wall, not of the roof."]


async def test_each_note_has_one_before_any_has_two(sources: Sources) -> None:
    hits = await found(sources, 32)
    assert {path: len(hit.passages) for path, hit in hits.items()} == {"Roof.md": 1, "Wall.md": 1}
    assert sum(estimate_tokens(one.text) for hit in hits.values() for one in hit.passages) <= 32


async def test_the_best_passage_is_there_however_little_room_there_is(sources: Sources) -> None:
    hits = await found(sources, 1)
    assert sorted(len(hit.passages) for hit in hits.values()) == [0, 1]
    assert next(iter(hits.values())).passages


async def test_without_room_there_is_the_snippet_alone(sources: Sources) -> None:
    hits = await found(sources, 0)
    assert hits
    assert not any(hit.passages for hit in hits.values())
