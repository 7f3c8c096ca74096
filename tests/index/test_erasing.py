import asyncio
from pathlib import Path

import numpy as np
import pytest

from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.table import VECTORS, LanceTable, table_names
from bridge.index.tokens import hash_tokens
from bridge.types import VaultPath
from tests.index.made import (
    DIMENSIONS,
    MODEL,
    embed_all,
    files,
    learn_from,
    opened,
    paths,
    prepared,
    sentence,
    vector,
    words,
)

SECRET = VaultPath("Private/Zanzibarquux plan.md")
TEXT = "# Wolverton\n\ncodeword marzipanskew\n"
OPEN = {f"n{at}.md": f"# Note {at}\n\n{sentence(at, 120)}\n" for at in range(400)}
WORDS = (b"anzibarquux", b"arzipanskew", b"olverton")


def private(path: str) -> bool:
    return path.startswith("Private/")


def everything(folder: Path) -> bytes:
    """Return the bytes of every file and every file's name."""
    return b"\n".join(part for path, content in files(folder.parent).items() for part in (str(path).encode(), content))


def digests(index: Index, path: VaultPath) -> list[bytes]:
    """Return the digests of a note's texts; random bytes, which no file of LanceDB can hold compressed."""
    entry = index._opened.catalogue.entry(path)
    assert entry is not None
    digests = index._opened.digests[entry.key]
    return [digests.title, *(digest for digest in digests.passages if digest)]


async def test_a_note_among_few_is_gone_from_every_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Open.md": "harmless", SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.optimise()
    (folder / "passages.lance/data/left by a crash.lance").write_bytes(b"marzipanskew")
    before = everything(folder)
    assert all(word in before for word in WORDS)
    marks = digests(index, SECRET)
    await index.erase(private)
    after = everything(folder)
    assert [word for word in (*WORDS, *marks, *(mark.hex().encode() for mark in marks)) if word in after] == []
    assert list(index.notes) == ["Open.md"]
    assert await index.find_missing_vectors(10) == []


async def test_no_posting_of_it_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {**OPEN, SECRET: TEXT})
    await index.optimise()
    marks = hash_tokens(["anzibarquux", "marzipanskew", "codeword", "wolverton"])[1:]
    assert all(term.tobytes() in everything(folder) for term in marks)
    (folder / "postings/99.postings").write_bytes(marks.tobytes())
    (folder / "postings/.left by a crash").write_bytes(marks.tobytes())
    await index.erase(private)
    assert [term for term in marks if term.tobytes() in everything(folder)] == []
    postings = index._opened.postings
    kept = [
        term for one in (postings.words, postings.forms, postings.whole) for each in one.segments for term in each.terms
    ]
    assert not {*kept} & {*marks}
    assert "n7.md" in await paths(index.search_notes(words(OPEN["n7.md"].split()[-1]), 500))


async def test_a_note_among_many_is_gone_with_all_earlier_versions(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {**OPEN, SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index, at_once=1000)
    await index.optimise()
    marks = digests(index, SECRET)
    # An earlier wording, whose vector is kept in case it comes back, and a newer one.
    await index.write([prepared(SECRET, "# Wolverton\n\ncodeword reworded\n")])
    await embed_all(index)
    marks += digests(index, SECRET)
    await index.optimise()
    async with index._tidying.lock:
        assert [mark.hex() for mark in marks if mark not in everything(folder)] == []
        assert max((await versions(folder)).values()) > 1

    found = await paths(index.nearest(vector(OPEN["n7.md"]), 3))
    await index.erase(private)
    after = everything(folder)
    assert [mark for mark in marks if mark in after or mark.hex().encode() in after] == []
    assert set((await versions(folder)).values()) == {1}
    # Everybody else is as before, without a text to embed.
    assert await index.find_missing_vectors(10) == []
    assert await paths(index.nearest(vector(OPEN["n7.md"]), 3)) == found
    for retriever in (index.passages, index.stems, index.search_notes):
        word = OPEN["n7.md"].split()[-1]
        assert "n7.md" in await paths(retriever(words(word), 500))
    assert index.health().unindexed_rows == 0
    await index.close()
    again = await opened(folder)
    again.use_model(MODEL, DIMENSIONS)
    assert again.notes.keys() == OPEN.keys()
    assert await again.find_missing_vectors(10) == []


async def test_what_was_being_written_when_the_bridge_was_killed_is_gone_at_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    await (await opened(folder, {"Open.md": "harmless"})).close()
    (folder / "passages.lance/data/.tmpQ8rWkx").write_bytes(b"marzipanskew")
    index = await opened(folder, {"Open.md": "harmless"})
    assert b"marzipanskew" not in everything(folder)
    await index.close()


async def versions(folder: Path) -> dict[str, int]:
    """Count the versions of each table that another program could open."""
    import lancedb

    database = await lancedb.connect_async(str(folder))
    counts = {}
    for name in await table_names(database):
        counts[name] = len(await (await database.open_table(name)).list_versions())
    return counts


async def test_texts_that_no_model_survives_and_other_models_are_cleaned_too(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Open.md": "harmless", SECRET: TEXT})
    for key in ("first-model", "second-model", MODEL):
        index.use_model(key, DIMENSIONS)
        await index.quarantine(
            [each.digest for each in await index.find_missing_vectors(10) if "codeword" in each.text]
        )
        await embed_all(index)
        await index.vectors.optimise()
    index.use_model("second-model", DIMENSIONS)
    await embed_all(index)
    await index.close()
    index = await opened(folder)
    marks = digests(index, SECRET)
    assert all(mark in everything(folder) for mark in marks)
    await index.erase(private)
    assert [mark for mark in marks if mark in everything(folder)] == []
    tables = [name for name in await table_names(index._opened.database) if name.startswith(VECTORS)]
    assert len(tables) > 1
    for key in ("second-model", MODEL):
        index.use_model(key, DIMENSIONS)
        assert await index.find_missing_vectors(10) == []


async def test_a_text_that_an_open_note_says_too_keeps_its_vector(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Open.md": "the same words", "Private/b.md": "the same words"})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.erase(private)
    assert await index.find_missing_vectors(10) == []
    assert await paths(index.nearest(vector("the same words"), 5)) == ["Open.md"]


async def test_hidden_notes_are_found_by_nothing_at_once(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Open.md": "harmless marzipan", SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    passages = await index.passages(words("marzipanskew"), 5)
    assert await index.text_of(passages)
    index.hide(private)
    assert list(index.notes) == ["Open.md"]
    for retriever in (index.passages, index.stems, index.search_notes):
        assert await retriever(words("marzipanskew"), 5) == []
    assert await index.search_names("Zanzibarquux", 5) == []
    assert await paths(index.nearest(vector(TEXT), 5)) == ["Open.md"]
    assert await index.text_of(passages) == []
    assert index.passages_of(SECRET) == ()
    assert not index.is_embedded(SECRET)
    assert index.vector_of(SECRET) is None


async def test_a_write_under_way_brings_nothing_back(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Open.md": "harmless"})
    writing = asyncio.create_task(index.write([prepared(SECRET, TEXT)]))
    await asyncio.sleep(0)
    await index.erase(private)
    await writing
    assert list(index.notes) == ["Open.md"]
    assert [word for word in WORDS if word in everything(folder)] == []


async def test_a_vector_that_comes_too_late_is_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"Open.md": "harmless", SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    batch = await index.find_missing_vectors(10)
    marks = digests(index, SECRET)
    await index.erase(private)
    await index.add_vectors([each.digest for each in batch], np.stack([vector(each.text) for each in batch]))
    await index.quarantine([each.digest for each in batch])
    assert [mark for mark in marks if mark in everything(folder)] == []
    assert await index.find_missing_vectors(10) == []


async def test_embedding_goes_on_beside_erasing(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {**OPEN, SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    erasing = asyncio.create_task(index.erase(private))
    await embed_all(index, at_once=16)
    await erasing
    assert await index.find_missing_vectors(10) == []
    await index.close()
    again = await opened(tmp_path / "index")
    again.use_model(MODEL, DIMENSIONS)
    assert await again.find_missing_vectors(10) == []


async def test_searching_goes_on_beside_erasing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await opened(tmp_path / "index", {**OPEN, SECRET: TEXT})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index, at_once=1000)
    # It begins to erase from the disk when some searches were answered, however slow these are.
    has_searched, renew = asyncio.Event(), LanceTable.renew

    async def renew_later(table: LanceTable) -> None:
        await has_searched.wait()
        await renew(table)

    monkeypatch.setattr(LanceTable, "renew", renew_later)
    erasing = asyncio.create_task(index.erase(private))
    word, searched = OPEN["n7.md"].split()[-1], 0
    while not erasing.done():
        for retriever in (index.passages, index.stems, index.search_notes):
            assert "n7.md" in await paths(retriever(words(word, "marzipanskew"), 500))
        assert [passage.path for passage in await index.text_of([PassageHit(VaultPath("n7.md"), 0, 0.0)])] == ["n7.md"]
        searched += 1
        if searched > 3:
            has_searched.set()
        # Everything above is answered from memory.
        await asyncio.sleep(0)
    await erasing
    assert searched > 3
    assert index.health().rebuilds == 0
    assert not index.is_damaged


async def test_an_index_that_was_set_aside_goes_too(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {SECRET: TEXT})
    await index.close()
    (folder / "index.json").write_text("{}")
    index = await opened(folder)
    assert b"arzipanskew" in everything(folder)
    await index.erase(private)
    assert b"arzipanskew" not in everything(folder)


async def test_of_which_rules_nothing_is_kept_is_remembered(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    assert index.folder.cleansed_globs == frozenset()
    index.folder.keep_cleansed({"Private/**", "b"})
    await index.close()
    assert (await opened(tmp_path / "index")).folder.cleansed_globs == {"Private/**", "b"}
    (tmp_path / "index/rules.json").write_text('{"cleansed": 7}')
    assert Index.open(tmp_path / "index").folder.cleansed_globs == frozenset()


@pytest.mark.parametrize(("left", "kept"), [(8, True), (7, False)])
def test_lines_that_recur_no_more_are_unlearnt(left: int, kept: bool) -> None:
    private_notes = ["## Secret ritual\n"] * 20
    learnt = learn_from([f"## Weather\n{sentence(at)}\n" for at in range(30)] + private_notes)
    assert "## Secret ritual" in learnt
    open_notes = ["## Weather\n"] * 30 + ["## Secret ritual\n"] * left
    narrowed = learnt.among(open_notes)
    assert ("## Secret ritual" in narrowed, "## Weather" in narrowed, narrowed.version) == (kept, True, 1)
