"""Search with the real model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.models import DEFAULT_MODEL, Embedder, find
from bridge.retrieval import SearchRequest, Sources, related, search
from bridge.types import VaultPath
from tests.retrieval.vaults import opened, write_vault

pytestmark = pytest.mark.model

FILES = {
    "Storage/Staling.md": "Bread becomes firm and dry fastest in a refrigerator, because its starch crystallises.\n",
    "Storage/Freezer.md": "Frozen loaves keep for months; wrap them well.\n",
    "Garden/Moths.md": "A fine mesh keeps cabbage butterflies from laying eggs on the leaves.\n",
    "Work/Budget.md": "The board approved the spending plan for next year.\n",
    "菜.md": "卷心菜要盖防虫网。\n",
}


@pytest.fixture
async def sources(tmp_path: Path, models_dir: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    embedder = Embedder(find(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            yield found
    finally:
        await embedder.close()


async def test_a_question_in_other_words_finds_its_note(sources: Sources) -> None:
    for mode in ("hybrid", "semantic"):
        answer = await search(sources, SearchRequest("why does a loaf go hard in the fridge", mode=mode))
        assert answer.mode_used == mode
        assert answer.hits[0].path == "Storage/Staling.md"
    assert "close in meaning" in answer.hits[0].why


async def test_a_phrase_holds_for_hits_by_meaning_too(sources: Sources) -> None:
    answer = await search(sources, SearchRequest('bread "cabbage butterflies"'))
    assert [hit.path for hit in answer.hits] == ["Garden/Moths.md"]


async def test_an_english_model_does_not_decide_about_chinese(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("卷心菜"))
    assert [hit.path for hit in answer.hits] == ["菜.md"]
    assert answer.mode_used == "keyword"
    assert answer.notices == ("The model does not read this script, so this is keyword search.",)


async def test_related_notes_are_near_in_meaning(sources: Sources) -> None:
    answer = await related(sources, path=VaultPath("Storage/Staling.md"), text=None, limit=1)
    assert [hit.path for hit in answer.hits] == ["Storage/Freezer.md"]
    assert answer.mode_used == "hybrid"


async def test_what_is_near_the_passage_at_a_line_is_near_in_its_meaning(tmp_path: Path, models_dir: Path) -> None:
    loaf, money = "A loaf hardens in the cold. " * 30, "Next year we shall have less money to spend. " * 20
    write_vault(tmp_path / "vault", FILES | {"Both.md": f"# One\n\n{loaf}\n\n# Two\n\n{money}\n"})
    embedder = Embedder(find(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            both = VaultPath("Both.md")
            near = [(await related(found, path=both, line=line, text=None, limit=1)).hits[0].path for line in (3, 7)]
    finally:
        await embedder.close()
    assert near == ["Storage/Staling.md", "Work/Budget.md"]


async def test_a_word_that_nothing_is_about_finds_nothing_and_says_so(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("quincunx"))
    assert answer.hits == ()
    assert answer.mode_used == "hybrid"
    assert answer.notices == ("No note says this, and none is close to it in meaning.",)


async def test_a_misspelt_title_goes_before_what_is_close_in_meaning(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("stailing"))
    assert answer.hits[0].path == "Storage/Staling.md"


async def test_a_date_in_full_finds_the_note_of_that_day_first(tmp_path: Path, models_dir: Path) -> None:
    days = {f"2022-{month:02}-{day:02}": day for month in (3, 4, 5) for day in (12, 13, 14, 31)}
    about = "# {day}\n\nOn {day}, after 2022-04-13 and before 2022-04-14, it rained.\n"
    files = {f"Daily/{day}.md": about.format(day=day) for day in days}
    write_vault(tmp_path / "vault", {**files, "Daily/2022-04-13.md": "Bread was baked.\n"})
    embedder = Embedder(find(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            answer = await search(found, SearchRequest("2022-04-13"))
    finally:
        await embedder.close()
    assert answer.hits[0].path == "Daily/2022-04-13.md"
    assert answer.hits[0].why[0] == "title matches"
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
