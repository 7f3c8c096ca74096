import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bridge.errors import DiskFull, NotReady
from bridge.index.hits import NoteHit, PassageHit
from bridge.index.index import Index
from bridge.index.prepare import PASSAGE_FORMAT
from bridge.index.table import LanceTable
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, all_of, embed_all, opened, paths, prepared, vector, words

BREAD = "# Bread\n\nKnead the dough for ten minutes.\n\n## Oven\n\nBake it until the crust is brown.\n"
TEA = "# Tea\n\nPour boiling water over the leaves.\n"


@pytest.fixture
async def index(tmp_path: Path) -> Index:
    return await opened(tmp_path / "index", {"Kitchen/Bread.md": BREAD, "Tea.md": TEA})


async def test_a_written_note_is_found_by_its_words(index: Index) -> None:
    assert await paths(index.passages(words("dough"), 5)) == ["Kitchen/Bread.md"]
    assert await paths(index.search_notes(words("leaves"), 5)) == ["Tea.md"]


async def test_a_note_is_found_by_another_form_of_a_word(index: Index) -> None:
    assert await paths(index.stems(words("kneading"), 5)) == ["Kitchen/Bread.md"]
    assert await paths(index.passages(words("kneading"), 5)) == []


async def test_a_note_that_is_gone_contains_no_word(index: Index) -> None:
    found = index.notes_with(["dough", "leaves"], [VaultPath("Gone.md"), VaultPath("Tea.md")])
    assert found.tolist() == [[False, False], [False, True]]
    assert index.notes_with(["dough", "nothing"], [VaultPath("Gone.md")]).tolist() == [[False], [False]]


async def test_a_hit_gives_the_passage_as_the_note_says_it(index: Index) -> None:
    (hit,) = await index.passages(words("crust"), 1)
    (passage,) = await index.text_of([hit])
    assert (passage.path, passage.heading, passage.lines) == ("Kitchen/Bread.md", "Bread", (1, 7))
    assert passage.text == BREAD.rstrip()
    hits = [PassageHit(VaultPath("Kitchen/Bread.md"), at, 0.0) for at in (0, 7)]
    assert await index.text_of(hits, as_written=True) == [passage]


async def test_the_health_of_an_index_that_was_let_go_is_refused_in_words(index: Index) -> None:
    index.abandon()
    with pytest.raises(NotReady):
        index.health()


async def test_a_changed_note_is_found_by_its_new_words_only(index: Index) -> None:
    await index.write([prepared("Tea.md", "# Tea\n\nSteep the herbs.\n")])
    assert await paths(index.passages(words("herbs"), 5)) == ["Tea.md"]
    assert await paths(index.passages(words("leaves"), 5)) == []
    assert await paths(index.search_notes(words("leaves"), 5)) == []


async def test_a_deleted_note_is_gone_from_every_lane(index: Index) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([], [VaultPath("Tea.md")])
    assert list(index.notes) == ["Kitchen/Bread.md"]
    assert await index.passages(words("leaves", "boiling"), 5) == []
    assert await index.stems(words("leaves"), 5) == []
    assert await index.search_notes(words("leaves"), 5) == []
    assert await index.search_names("Tea", 5) == []
    assert await paths(index.nearest(vector("tea water leaves"), 5)) == ["Kitchen/Bread.md"]
    assert index.vector_of(VaultPath("Tea.md")) is None


async def test_a_renamed_note_is_embedded_by_its_title_only(index: Index) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    renamed = prepared("Drinks/Chai.md", TEA)
    await index.write([renamed], [VaultPath("Tea.md")])
    assert await embed_all(index) == ["Chai"]
    assert await paths(index.passages(words("leaves"), 5)) == ["Drinks/Chai.md"]
    assert (await index.text_of(await index.passages(words("leaves"), 5)))[0].path == "Drinks/Chai.md"


async def test_a_rename_seen_as_delete_then_add_embeds_no_passage(index: Index) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([], [VaultPath("Tea.md")])
    await index.optimise()
    await index.write([prepared("Chai.md", TEA)])
    assert [missing.passage for missing in await index.find_missing_vectors(10)] == [False]


async def test_two_notes_may_take_each_others_names(index: Index, tmp_path: Path) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([prepared("Tea.md", BREAD), prepared("Kitchen/Bread.md", TEA)])
    assert await paths(index.passages(words("dough"), 5)) == ["Tea.md"]
    assert await paths(index.passages(words("leaves"), 5)) == ["Kitchen/Bread.md"]
    assert await embed_all(index) == []
    assert (await index.nearest(vector("pour boiling water over the leaves"), 1))[0].path == "Kitchen/Bread.md"
    before = dict(index.notes)
    index.abandon()
    assert dict((await opened(tmp_path / "index")).notes) == before


async def test_a_note_may_leave_its_text_to_another(index: Index, tmp_path: Path) -> None:
    for names in (["Tea.md", "Chai.md"], ["Chai.md", "Tea.md"]):
        await index.write([prepared("Tea.md", TEA)], [VaultPath("Chai.md")])
        texts = {"Tea.md": "# New\n\nsomething else\n", "Chai.md": TEA}
        await index.write([prepared(name, texts[name]) for name in names])
        assert await paths(index.passages(words("leaves"), 5)) == ["Chai.md"]
        assert await paths(index.passages(words("something"), 5)) == ["Tea.md"]
    index.abandon()
    again = await opened(tmp_path / "index")
    assert sorted(again.notes) == ["Chai.md", "Kitchen/Bread.md", "Tea.md"]
    assert await paths(again.passages(words("leaves"), 5)) == ["Chai.md"]
    assert await paths(again.passages(words("something"), 5)) == ["Tea.md"]


async def test_a_renamed_empty_note_is_found_by_its_new_title_only(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Quiet.md": "", "Calm.md": ""})
    await index.write([prepared("Loud.md", "")], [VaultPath("Quiet.md")])
    assert await paths(index.passages(words("loud"), 5)) == ["Loud.md"]
    assert await paths(index.passages(words("quiet"), 5)) == []
    index.use_model(MODEL, DIMENSIONS)
    assert sorted(await embed_all(index)) == ["Calm", "Loud"]


async def test_the_notes_can_be_walked_while_others_are_written(index: Index) -> None:
    walk = iter(index.notes.items())
    next(walk)
    await index.write([prepared("New.md", "fresh")], [VaultPath("Tea.md")])
    assert [path for path, _ in walk] == ["Tea.md"]


async def test_a_copy_of_a_note_is_found_beside_it(index: Index) -> None:
    await index.write([prepared("Copy of tea.md", TEA)])
    assert sorted(await paths(index.passages(words("leaves"), 5))) == ["Copy of tea.md", "Tea.md"]


async def test_a_touched_note_keeps_its_passages_and_vectors(index: Index) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([prepared("Tea.md", TEA, mtime_ns=2 * 10**18)])
    assert await index.find_missing_vectors(10) == []
    assert index.notes[VaultPath("Tea.md")].mtime == 2e9


@pytest.mark.parametrize(
    ("recipe", "kept"),
    [(f"{PASSAGE_FORMAT}.0.0", True), (f"{PASSAGE_FORMAT}.0.1", False), (f"{PASSAGE_FORMAT + 1}.0.0", False)],
)
async def test_a_note_read_again_for_other_facts_keeps_passages_that_were_cut_elsewhere(
    recipe: str, *, kept: bool, tmp_path: Path
) -> None:
    now, other = prepared("Tea.md", TEA), prepared("Tea.md", BREAD)
    before = replace(other, note=replace(now.note, recipe=recipe, passages=len(other.chunks)))
    index = await opened(tmp_path / "index")
    await index.write([before])
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.write([now])
    due = await index.find_missing_vectors(10)
    await index.close()
    index = await opened(tmp_path / "index")
    texts = [passage.text for passage in index.passages_of(VaultPath("Tea.md"))]
    assert (due == [], "Knead" in texts[0], await paths(index.passages(words("crust"), 5)) != []) == (kept,) * 3
    assert index.notes[VaultPath("Tea.md")].recipe == now.note.recipe


async def test_a_reopened_index_knows_everything(index: Index, tmp_path: Path) -> None:
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    before = dict(index.notes)
    nearest = await index.nearest(vector("tea water"), 5)
    await index.close()
    again = await opened(tmp_path / "index")
    assert dict(again.notes) == before
    assert again.answering_model == MODEL
    again.use_model(MODEL, DIMENSIONS)
    assert await again.find_missing_vectors(10) == []
    assert [(hit.path, hit.ordinal) for hit in await again.nearest(vector("tea water"), 5)] == [
        (hit.path, hit.ordinal) for hit in nearest
    ]
    assert await paths(again.passages(words("dough"), 5)) == ["Kitchen/Bread.md"]
    assert (await again.search_names("tea", 1))[0].path == "Tea.md"


async def test_properties_links_and_headings_come_back_whole(tmp_path: Path) -> None:
    text = '---\ntags: [a, b/c]\naliases: [Other]\nrating: 4\nnested: {x: [1, "two"]}\n---\n'
    text += "# H\n\n[[Tea#x|y]] ![[p.png]]\n\n[r]: Tea.md\n"
    index = await opened(tmp_path / "index", {"Note.md": text})
    note = index.notes[VaultPath("Note.md")]
    await index.close()
    again = (await opened(tmp_path / "index")).notes[VaultPath("Note.md")]
    assert again == note
    assert (again.tags, again.aliases) == (("a", "b/c"), ("Other",))
    assert again.properties == {"tags": ["a", "b/c"], "aliases": ["Other"], "rating": 4, "nested": {"x": [1, "two"]}}
    assert [(link.target, link.shown, link.embed) for link in again.links] == [
        ("Tea#x", "y", False),
        ("p.png", None, True),
    ]
    assert again.targets == (("Tea#x", "wiki"), ("p.png", "embed"))
    assert again.asides
    assert [heading.text for heading in again.headings] == ["H"]


async def test_an_empty_note_is_found_by_its_title(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Quiet place.md": "", "Blank.md": "---\na: 1\n---\n  \n"})
    assert await paths(index.passages(words("quiet"), 5)) == ["Quiet place.md"]
    index.use_model(MODEL, DIMENSIONS)
    assert sorted(await embed_all(index)) == ["Blank", "Quiet place"]
    assert (await index.nearest(vector("Quiet place"), 1))[0].path == "Quiet place.md"


async def test_only_allowed_notes_are_found(tmp_path: Path) -> None:
    notes = {f"n{at}.md": f"# N{at}\n\nshared word number{at}\n" for at in range(700)}
    index = await opened(tmp_path / "index", notes)
    few = [VaultPath("n3.md"), VaultPath("n699.md"), VaultPath("absent.md")]
    many = [VaultPath(f"n{at}.md") for at in range(0, 700, 2)]
    rare = [VaultPath(f"n{at}.md") for at in range(450, 700)]
    for retriever in (index.passages, index.stems, index.search_notes):
        assert sorted(await paths(retriever(words("shared"), 10, few))) == ["n3.md", "n699.md"]
        assert await retriever(words("shared"), 10, []) == []
        found = await paths(retriever(words("shared"), 300, many))
        assert len(found) == 300
        assert set(found) <= set(many)
        assert len(await paths(retriever(words("shared"), 500, rare))) == 250
    assert {hit.path for hit in await index.search_names("n3", 10, few)} == {"n3.md"}


async def test_the_newest_notes_are_embedded_first(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Old.md": "ancient text", "New.md": "fresh text"})
    index.use_model(MODEL, DIMENSIONS)
    assert [missing.text for missing in await index.find_missing_vectors(2)] == ["New", "fresh text"]
    await index.write([prepared("Newest.md", "just now", mtime_ns=3 * 10**18)])
    assert [missing.text for missing in await index.find_missing_vectors(2)] == ["Newest", "just now"]
    assert [missing.passage for missing in await index.find_missing_vectors(2)] == [False, True]


async def test_a_quarantined_text_is_never_asked_for_again(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "poison here", "B.md": "harmless"})
    index.use_model(MODEL, DIMENSIONS)
    await index.quarantine([m.digest for m in await index.find_missing_vectors(10) if m.text == "poison here"])
    assert "poison here" not in [missing.text for missing in await index.find_missing_vectors(10)]
    assert index.is_embedded(VaultPath("A.md"))
    assert not index.is_embedded(VaultPath("B.md"))
    await embed_all(index)
    assert index.pending_vectors() == 0
    await index.close()
    again = await opened(tmp_path / "index")
    again.use_model(MODEL, DIMENSIONS)
    assert await again.find_missing_vectors(10) == []


async def test_a_vector_that_is_no_number_is_quarantined(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "text"})
    index.use_model(MODEL, DIMENSIONS)
    batch = await index.find_missing_vectors(10)
    broken = vector("x") * float("nan")
    await index.add_vectors([each.digest for each in batch], [broken] * len(batch))  # type: ignore[arg-type]
    assert await index.find_missing_vectors(10) == []
    assert await index.nearest(vector("text"), 5) == []


async def test_passages_are_listed_with_what_is_embedded(index: Index) -> None:
    index.use_model(MODEL, DIMENSIONS)
    assert [passage.embedded for passage in index.passages_of(VaultPath("Tea.md"))] == [False]
    await embed_all(index)
    assert [passage.embedded for passage in index.passages_of(VaultPath("Tea.md"))] == [True]
    assert index.passages_of(VaultPath("Nothing.md")) == ()


async def test_a_cancelled_caller_leaves_memory_and_disk_agreeing(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    task = asyncio.create_task(index.write(all_of({"A.md": "alpha", "B.md": "beta"})))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await index.write(all_of({"C.md": "gamma"}))
    in_memory = set(index.notes)
    await index.close()
    assert set((await opened(tmp_path / "index")).notes) == in_memory == {"A.md", "B.md", "C.md"}


async def test_many_writers_and_searchers_at_once_see_whole_notes(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {f"n{at}.md": "common start" for at in range(20)})

    async def edit(at: int) -> None:
        for turn in range(4):
            await index.write([prepared(f"n{at}.md", f"common turn{turn} of{at}")])
            assert await paths(index.passages(words(must=[f"of{at}", f"turn{turn}"]), 5)) == [f"n{at}.md"]

    async def look() -> None:
        for _ in range(20):
            found = [hit.path for hit in await index.passages(words("common"), 40)]
            assert len(found) == len(set(found)) == 20

    await asyncio.gather(*(edit(at) for at in range(20)), look(), index.optimise(), index.optimise())


async def test_hits_say_where_and_how_well(index: Index) -> None:
    (passage,) = await index.passages(words("leaves"), 5)
    (note,) = await index.search_notes(words("leaves"), 5)
    assert passage == PassageHit(VaultPath("Tea.md"), 0, passage.score)
    assert note == NoteHit(VaultPath("Tea.md"), note.score)
    assert min(passage.score, note.score) > 0


@pytest.mark.parametrize("part", ["_notes", "_passages"])
async def test_a_note_of_which_half_was_stored_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    index = await opened(tmp_path / "index", {"Tea.md": TEA})
    full = index._opened.notes if part == "_notes" else index._opened.passages
    real = LanceTable.add

    async def add(self: LanceTable, rows: Any) -> None:
        if self is full:
            raise OSError(errno.ENOSPC, "No space left on device")
        await real(self, rows)

    with monkeypatch.context() as patch:
        patch.setattr(LanceTable, "add", add)
        with pytest.raises(DiskFull):
            await index.write([prepared("Tea.md", "# Tea\n\nSteep the herbs.\n"), prepared("New.md", "herbs")])
    for _ in range(2):
        assert await paths(index.passages(words("leaves"), 5)) == ["Tea.md"]
        assert await paths(index.search_notes(words("leaves"), 5)) == ["Tea.md"]
        assert (await index.search_notes(words("herbs"), 5), await index.passages(words("herbs"), 5)) == ([], [])
        await index.close()
        index = await opened(tmp_path / "index")


async def test_types_are_counted_after_many_writes_and_not_amid_them(index: Index) -> None:
    with index.bulk():
        for number in range(3):
            await index.write([prepared(f"Plan {number}.md", "---\ntype: plan\n---\n")])
            assert not index.count_types()
    assert index.count_types() == {"plan": 3}
