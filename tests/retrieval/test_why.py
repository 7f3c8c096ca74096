"""Why a note is here, in words that are true."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.retrieval import SearchRequest, Sources, search
from tests.retrieval.vaults import opened, write_vault

FILES = {
    "Garden/Slugs.md": "They come at night.\n\n## Feeding\n\nYoung cabbages first.\n",
    "Garden/Index.md": "Plants: [[Cress]]. A list of what grows here.\n",
    "Kitchen/Index.md": "---\naliases: [stale bread]\n---\nWhat to cook, and when.\n",
    "Kitchen/Salad.md": "Tomatoes, oil and salt.\n",
    "Cress.md": "Grows on a window sill. Plants want light.\n",
    "2025-01-11.md": "A quiet day.\n",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


async def why(sources: Sources, query: str) -> dict[str, tuple[str, ...]]:
    answer = await search(sources, SearchRequest(query, mode="keyword"))
    return {hit.path: hit.why for hit in answer.hits}


@pytest.mark.parametrize(
    ("query", "path", "reason"),
    [
        ("slugs", "Garden/Slugs.md", "title matches"),
        ("slu", "Garden/Slugs.md", "title matches"),
        ("slgus", "Garden/Slugs.md", "title is spelt alike"),
        ("feding", "Garden/Slugs.md", "heading “Feeding” is spelt alike"),
        ("2025-01-12", "2025-01-11.md", "title matches in part"),
        ("stale bread", "Kitchen/Index.md", "alias “stale bread” matches"),
        ('"stale bread"', "Kitchen/Index.md", "alias “stale bread” matches"),
        ("tomatos", "Kitchen/Salad.md", "says “Tomatoes”"),
        ("tomatoes", "Kitchen/Salad.md", "says “tomatoes”"),
        ("plants", "Cress.md", "says “plants”"),
    ],
)
async def test_the_first_reason_says_what_fits(sources: Sources, query: str, path: str, reason: str) -> None:
    assert (await why(sources, query))[path][0] == reason


async def test_another_hit_of_a_name_that_two_notes_have_is_named_by_its_path(sources: Sources) -> None:
    assert (await why(sources, "plants"))["Cress.md"][1:] == ("named in *Garden/Index.md*, which matches",)


async def test_a_condition_that_no_note_meets_is_no_filter(sources: Sources) -> None:
    answer = await search(sources, SearchRequest('"night at come"', mode="keyword"))
    assert (answer.hits, answer.notices) == ((), ("No note meets all that the query asks for.",))
