"""Blocks of notes: which line of a journal or chat answers, and in which order."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.errors import ModelMissing
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder
from bridge.models.folder import find_model
from bridge.search.block_search import search_blocks
from bridge.search.model import SearchAnswer, SearchRequest, Sources
from bridge.types import VaultPath
from tests.search.vaults import opened, write_vault

FILES = {
    "Chats/Starter.md": (
        "## 2026-03-01\n\n"
        "- User: how warm should the sourdough starter stand?\n"
        "- Assistant: A sourdough starter should stand at 26 degrees, warm but out of the sun.\n"
        "- User: thanks, and the sourdough starter smells of acetone\n"
        "- Assistant: Then it is hungry.\n"
        "- User: I feed the dog at seven\n\n"
        "## 2026-03-09\n\n"
        "- User: the oven is set to 230 degrees for the rye loaf\n"
        "- Assistant: Good.\n"
        "- User: from now on the oven is set to 250 degrees for the rye loaf\n"
    ),
    "Garden.md": (
        "# Garden\n\nBeans climb the fence.\n\nThe starter of the mower is broken.\n\n```\nrye = 3\n\nloaf = 4\n```\n"
    ),
    "同一.md": "# 同一\n\n- 酸面团每天喂两次\n- 花园里有豆子\n",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


def places(answer: SearchAnswer) -> list[tuple[str, tuple[int, int]]]:
    return [(hit.path, hit.lines) for hit in answer.hits]


async def test_several_lines_of_a_note_are_hits_and_what_is_answered_comes_first(sources: Sources) -> None:
    answer = await search_blocks(sources, SearchRequest("sourdough starter", paths=(VaultPath("Chats"),)))
    assert places(answer)[0] == ("Chats/Starter.md", (3, 3))
    assert {("Chats/Starter.md", (4, 4)), ("Chats/Starter.md", (5, 5))} <= {*places(answer)}
    assert ("Chats/Starter.md", (7, 7)) not in places(answer)
    assert answer.mode_used == "keyword"
    first = answer.hits[0]
    assert "==sourdough starter==" in first.snippet
    assert first.why == ("says “sourdough”, “starter”",)
    assert all(0 < hit.score <= 1 for hit in answer.hits)


async def test_the_later_of_similar_lines_comes_first_if_that_is_asked_for(sources: Sources) -> None:
    request = SearchRequest("how hot is the oven set for the rye loaf", paths=(VaultPath("Chats"),))
    older, newer = ("Chats/Starter.md", (11, 11)), ("Chats/Starter.md", (13, 13))
    found = places(await search_blocks(sources, request))
    assert found.index(older) < found.index(newer)
    latest = places(
        await search_blocks(
            sources, SearchRequest("how hot is the oven set for the rye loaf", paths=request.paths, order="latest")
        )
    )
    assert latest.index(newer) < latest.index(older)
    assert {*latest} == {*found}


async def test_fences_and_paragraphs_are_blocks_and_headings_are_not(sources: Sources) -> None:
    found = places(await search_blocks(sources, SearchRequest("rye loaf", paths=(VaultPath("Garden.md"),))))
    assert found == [("Garden.md", (7, 11))]
    found = places(await search_blocks(sources, SearchRequest("starter", paths=(VaultPath("Garden.md"),))))
    assert found == [("Garden.md", (5, 5))]


async def test_scripts_without_spaces_are_found(sources: Sources) -> None:
    assert places(await search_blocks(sources, SearchRequest("酸面团")))[0] == ("同一.md", (3, 3))


async def test_whole_blocks_fit_the_budget(sources: Sources) -> None:
    request = SearchRequest("sourdough starter", paths=(VaultPath("Chats"),), passage_tokens=20)
    hits = (await search_blocks(sources, request)).hits
    assert [one.text for one in hits[0].passages] == ["- User: how warm should the sourdough starter stand?"]
    assert not hits[1].passages


async def test_nothing_is_made_up(sources: Sources) -> None:
    assert not (await search_blocks(sources, SearchRequest("zeppelin"))).hits
    assert not (await search_blocks(sources, SearchRequest("starter", paths=(VaultPath("Nowhere"),)))).hits
    answer = await search_blocks(sources, SearchRequest("path:Chats"))
    assert answer.notices[-1].startswith("There is nothing to look for")
    with pytest.raises(ModelMissing):
        await search_blocks(sources, SearchRequest("starter", mode="semantic"))


@pytest.mark.model
async def test_lines_are_found_by_meaning(tmp_path: Path, models_dir: Path) -> None:
    write_vault(tmp_path / "vault", FILES)
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as sources:
            found = places(
                await search_blocks(sources, SearchRequest("how hot must I bake", paths=(VaultPath("Chats"),)))
            )
            assert (await search_blocks(sources, SearchRequest("acetone"))).mode_used == "hybrid"
            assert not places(await search_blocks(sources, SearchRequest("how hot must I bake", mode="keyword")))
            assert {lines for _, lines in found[:3]} & {(11, 11), (13, 13)}
    finally:
        await embedder.close()


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("invoice", "a.md"),
        ("cat", "a.md"),
        ("eau", "c.md"),
        ("酵母每天喂几次？", "d.md"),
        ("หัวเชื้อต้องให้อาหารวันละกี่ครั้ง", "e.md"),
    ],
)
async def test_a_block_is_found_by_parts_and_forms_of_its_words(tmp_path: Path, query: str, path: str) -> None:
    notes = {"a.md": "- pay the invoices\n- feed the cats\n", "c.md": "Il boit de l'eau.\n"}
    notes |= {"d.md": "酵母每天喂两次。\n", "e.md": "หัวเชื้อต้องให้อาหารวันละสองครั้ง\n"}
    write_vault(tmp_path / "vault", notes)
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        answer = await search_blocks(sources, SearchRequest(query, mode="keyword"))
    assert [hit.path for hit in answer.hits] == [path]
