"""Why a note is here, in words that are true."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from tests.search.vaults import opened, write_vault

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
        ("slgus", "Garden/Slugs.md", "title matches"),
        ("feding", "Garden/Slugs.md", "heading “Feeding” matches"),
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
    found = await why(sources, "a list of plants that grow")
    assert next(iter(found)) == "Garden/Index.md"
    assert found["Cress.md"][1:] == ("named in *Garden/Index.md*, which matches",)


async def test_no_two_hits_speak_for_each_other(tmp_path: Path) -> None:
    files = {
        "Tabs.md": "Drag one beside another; the [[Sidebar]] shows them, too.\n",
        "Sidebar.md": "Open or closed, it shows [[Tabs]] beside the text.\n",
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        said = await why(found, "beside")
    assert len(said) == 2
    first, second = said
    assert first.removesuffix(".md") in str(said[second])
    assert second.removesuffix(".md") not in str(said[first])


async def test_a_word_that_nearly_every_note_says_is_no_reason(tmp_path: Path) -> None:
    files = {f"{at}.md": f"Words between words, number {at}.\n" for at in range(60)}
    write_vault(tmp_path / "vault", files | {"Kitchen.md": "Words between loaves of bread.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert (await why(found, "words between bread"))["Kitchen.md"][0] == "says “bread”"
        assert set((await why(found, "words between")).values()) == {("says “words”, “between”",)}


@pytest.mark.parametrize(
    ("query", "text", "reason"),
    [
        ("my notes", "Ich bin nicht hier. Was auch immer das ist, notes sind nicht das Wort dafür.", "says “notes”"),
        ("large", r"So $\large x$, and \large again. A large one.", "says “large”"),
    ],
)
async def test_neither_a_stop_word_nor_a_command_is_a_match(tmp_path: Path, query: str, text: str, reason: str) -> None:
    write_vault(tmp_path / "vault", {"A.md": text, "B.md": "Nicht, auch, das, ist, und, der, die.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await search(found, SearchRequest(query, mode="keyword", limit=1))
    assert answer.hits[0].why[0] == reason
    assert answer.hits[0].snippet.count("==") == 2


async def test_a_condition_that_no_note_meets_is_no_filter(sources: Sources) -> None:
    answer = await search(sources, SearchRequest('"night at come"', mode="keyword"))
    assert (answer.hits, answer.notices) == ((), ("No note meets all that the query asks for.",))
