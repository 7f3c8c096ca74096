"""Search with the real model."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from bridge.index.boilerplate import Boilerplate
from bridge.index.prepare import prepare
from bridge.markdown.documents import read_document
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder
from bridge.models.folder import find_model
from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.related import find_related
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from tests.search.vaults import opened, write_vault

if TYPE_CHECKING:
    import numpy as np

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
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
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


async def test_a_note_that_waits_for_its_vector_is_not_below_others_for_that(sources: Sources, tmp_path: Path) -> None:
    files = {"New/Old bread.md": "How to make croutons of bread that has gone hard: roast the cubes of it.\n"}
    files |= {f"New/{day}.md": f"Day {day} in the mountains.\n" for day in range(20)}
    write_vault(tmp_path / "vault", files)
    vault = Vault(tmp_path / "vault", Rules(exclude=(), max_file_bytes=1_000_000, ignored=()))
    read = [(VaultPath(path), *vault.read(VaultPath(path))) for path in files]
    await sources.index.write([prepare(read_document(path, data), stat, Boilerplate()) for path, data, stat in read])
    answer = await search(sources, SearchRequest("bread gone hard"))
    assert answer.mode_used == "hybrid"
    assert [hit.path for hit in answer.hits][:2] == ["New/Old bread.md", "Storage/Staling.md"]


async def test_a_phrase_holds_for_hits_by_meaning_too(sources: Sources) -> None:
    answer = await search(sources, SearchRequest('bread "cabbage butterflies"'))
    assert [hit.path for hit in answer.hits] == ["Garden/Moths.md"]


async def test_an_english_model_does_not_decide_about_chinese(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("卷心菜"))
    assert [hit.path for hit in answer.hits] == ["菜.md"]
    assert answer.mode_used == "keyword"
    (notice,) = answer.notices
    assert notice.startswith("The model does not read this script, so this is keyword search: `vaultside models ")


async def test_related_notes_are_near_in_meaning(sources: Sources) -> None:
    answer = await find_related(sources, path=VaultPath("Storage/Staling.md"), text=None, limit=1)
    assert [hit.path for hit in answer.hits] == ["Storage/Freezer.md"]
    assert answer.mode_used == "hybrid"


async def test_what_is_near_the_passage_at_a_line_is_near_in_its_meaning(tmp_path: Path, models_dir: Path) -> None:
    loaf, money = "A loaf hardens in the cold. " * 30, "Next year we shall have less money to spend. " * 20
    write_vault(tmp_path / "vault", FILES | {"Both.md": f"# One\n\n{loaf}\n\n# Two\n\n{money}\n"})
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            both = VaultPath("Both.md")
            near = [
                (await find_related(found, path=both, line=line, text=None, limit=1)).hits[0].path for line in (3, 7)
            ]
    finally:
        await embedder.close()
    assert near == ["Storage/Staling.md", "Work/Budget.md"]


async def test_a_word_that_nothing_is_about_finds_nothing_and_says_so(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("quincunx"))
    assert answer.hits == ()
    assert answer.mode_used == "hybrid"
    assert answer.notices == ("None of your notes is about this.",)


async def test_a_misspelt_title_goes_before_what_is_close_in_meaning(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("stailing"))
    assert answer.hits[0].path == "Storage/Staling.md"


async def test_a_date_in_full_finds_the_note_of_that_day_first(tmp_path: Path, models_dir: Path) -> None:
    days = {f"2022-{month:02}-{day:02}": day for month in (3, 4, 5) for day in (12, 13, 14, 31)}
    about = "# {day}\n\nOn {day}, after 2022-04-13 and before 2022-04-14, it rained.\n"
    files = {f"Daily/{day}.md": about.format(day=day) for day in days}
    write_vault(tmp_path / "vault", {**files, "Daily/2022-04-13.md": "Bread was baked.\n"})
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            answer = await search(found, SearchRequest("2022-04-13"))
    finally:
        await embedder.close()
    assert answer.hits[0].path == "Daily/2022-04-13.md"
    assert answer.hits[0].why[0] == "title matches"
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)


async def test_nothing_is_about_it_and_no_word_in_common_makes_it_so(sources: Sources) -> None:
    for query in (
        "purple elephants dancing on the moon",
        "my passport number",
        "Restaurants in Hamburg",
    ):
        answer = await search(sources, SearchRequest(query))
        assert (answer.hits, answer.total, answer.notices) == ((), 0, ("None of your notes is about this.",))
    quoted = await search(sources, SearchRequest('"spending" elephants on the moon'))
    assert [hit.path for hit in quoted.hits] == ["Work/Budget.md"]
    within = await search(sources, SearchRequest("elephants spending on the moon", folder="Work"))
    assert [hit.path for hit in within.hits] == ["Work/Budget.md"]


async def test_what_is_nearest_by_far_counts_for_more_than_a_word_in_common(tmp_path: Path, models_dir: Path) -> None:
    files = {
        "Composer.md": "Merge two files, or extract the selected text into a new file of its own.\n",
        "Filters.md": '`split:","` makes several values out of one; `slice` takes a few of them.\n',
        **{f"{at}.md": f"Day {at}: rain, a walk, a long supper.\n" for at in range(30)},
    }
    write_vault(tmp_path / "vault", files)
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as found:
            answer = await search(found, SearchRequest("move part of my writing to a separate document, split off"))
    finally:
        await embedder.close()
    assert answer.hits[0].path == "Composer.md"


async def test_a_mistyped_word_is_read_by_the_model_as_it_is_meant(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("a dry refirgerator", mode="semantic"))
    assert answer.hits[0].path == "Storage/Staling.md"
    assert answer.notices == ("`refirgerator` is read as `refrigerator`; `+refirgerator` asks for it as typed.",)


async def test_a_question_in_a_language_that_the_model_does_not_read_is_told(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("Wie bleibt das Brot und der Kuchen frisch?"))
    assert any("this is German" in notice and "models install" in notice for notice in answer.notices)
    assert not (await search(sources, SearchRequest("why does bread go hard"))).notices


async def test_what_is_not_embedded_is_told_where_only_meaning_counts(tmp_path: Path, models_dir: Path) -> None:
    write_vault(tmp_path / "vault", FILES)
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index") as found:
            found.index.use_model(embedder.model.spec.id, embedder.model.spec.dimensions)
            waiting = found.index.pending_vectors()
            assert waiting

            async def embed(text: str) -> "np.ndarray":
                vector: np.ndarray = (await embedder.embed([text], query=True)).vectors[0]
                return vector

            answer = await search(replace(found, embed_query=embed), SearchRequest("bread", mode="semantic"))
    finally:
        await embedder.close()
    assert (answer.hits, answer.notices) == (
        (),
        (f"Nothing is found by meaning yet: {waiting} passages are not embedded.", "Nothing was found for this."),
    )


async def test_none_is_about_it_is_said_only_of_what_was_all_looked_at(sources: Sources) -> None:
    filtered = await search(sources, SearchRequest("quincunx", folder="Work"))
    assert (filtered.hits, filtered.notices) == ((), ("No note that passes the filters is about this.",))
    foreign = await search(sources, SearchRequest("Welche Reisen und Ausflüge sind mit der Bahn nach Wien geplant?"))
    assert foreign.hits == ()
    assert "this is German" in foreign.notices[0]
    assert foreign.notices[1:] == ("Nothing was found for this.",)


async def test_none_is_about_it_is_not_said_while_passages_are_not_embedded(sources: Sources, tmp_path: Path) -> None:
    async with opened(tmp_path / "vault", tmp_path / "not embedded") as found:
        assert sources.index.answering_model is not None
        found.index.use_model(sources.index.answering_model, 384)
        waiting = replace(found, embed_query=sources.embed_query)
        assert (await search(waiting, SearchRequest("quincunx"))).notices == ("Nothing was found for this.",)
        within = await search(waiting, SearchRequest("quincunx", folder="Work"))
        assert within.notices == ("Nothing was found among notes that pass the filters.",)


async def test_no_note_is_related_to_one_that_nothing_is_near(sources: Sources) -> None:
    answer = await find_related(sources, path=VaultPath("Work/Budget.md"), text=None, limit=5)
    assert (answer.hits, answer.total, answer.notices) == ((), 0, ("No other note is close to this.",))


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [("budgte", "budget"), ("loavse", "loaves"), ("spendign", "spending"), ("boards", None), ("leaven", None)],
)
async def test_a_word_that_the_model_knows_is_not_mistyped(sources: Sources, typed: str, read_as: str | None) -> None:
    answer = await search(sources, SearchRequest(typed))
    told = [notice for notice in answer.notices if "is read as" in notice]
    assert told == ([f"`{typed}` is read as `{read_as}`; `+{typed}` asks for it as typed."] if read_as else [])


async def test_a_name_is_sought_by_meaning_and_not_read_as_a_common_word(tmp_path: Path, models_dir: Path) -> None:
    write_vault(tmp_path / "vault", {"Parks.md": "The parks are closed.\n", "Trip.md": "We saw the Eiffel Tower.\n"})
    embedder = Embedder(find_model(models_dir, DEFAULT_MODEL), 1, 60)
    try:
        async with opened(tmp_path / "vault", tmp_path / "index", embedder) as sources:
            by_meaning = await search(sources, SearchRequest("Paris"))
            by_words = await search(sources, SearchRequest("Paris", mode="keyword"))
            assert await embedder.known_words(["paris", "obsidain"]) == {"paris"}
    finally:
        await embedder.close()
    assert not any("is read as" in notice for notice in by_meaning.notices)
    assert by_meaning.hits[0].path == "Trip.md"
    assert by_words.notices[0] == "`Paris` is read as `parks`; `+Paris` asks for it as typed."
