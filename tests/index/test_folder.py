import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.errors import DiskFull, IndexUnusable, NotReady, ReadOnly
from bridge.index.boilerplate import Boilerplate
from bridge.index.index import Index
from bridge.index.table import INDEX_VERSION
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, all_of, embed_all, learn_from, opened, paths, prepared, sentence, words

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def shell(command: str, folder: Path) -> None:
    subprocess.run(["sh", "-c", command], cwd=folder, check=True)


async def stored(folder: Path) -> Path:
    index = await opened(folder, {"A.md": "alpha text", "B.md": "beta text"})
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.optimise()
    await index.close()
    return folder


async def test_an_index_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    (folder / "index.json").write_text('{"version": 999}')
    before = sorted(path.name for path in folder.rglob("*"))
    with pytest.raises(IndexUnusable, match="newer version"):
        Index.open(folder)
    assert sorted(path.name for path in folder.rglob("*")) == before


async def test_an_index_of_an_older_version_is_set_aside(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    (folder / "index.json").write_text('{"version": 0}')
    index = await opened(folder)
    assert len(index.notes) == 0
    assert index.health().set_aside == f"format 0 instead of {INDEX_VERSION}"
    assert (tmp_path / "index.broken").is_dir()
    assert index.answering_model is None


async def test_the_vectors_of_the_version_before_are_kept(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    content = json.loads((folder / "index.json").read_text())
    (folder / "index.json").write_text(json.dumps(content | {"version": INDEX_VERSION - 1}))
    index = await opened(folder)
    assert len(index.notes) == 0
    assert index.answering_model == MODEL
    await index.write([prepared("A.md", "alpha text"), prepared("B.md", "beta text")])
    index.use_model(MODEL, DIMENSIONS)
    assert index.pending_vectors() == 0


@pytest.mark.process
@pytest.mark.parametrize(
    "hurt",
    [
        "rm -r notes.lance/_versions",
        "rm -r passages.lance/data",
        "rm -r notes.lance",
        "find . -name '*.manifest' -exec truncate -s 10 {} +",
        "find passages.lance/data -name '*.lance' -exec truncate -s 100 {} +",
        "find notes.lance/data -name '*.lance' -exec sh -c 'echo rubbish > $1' _ {} ';'",
        "echo rubbish > index.json",
        "rm index.json",
        "find vectors_*/data -name '*.lance' -exec truncate -s 100 {} +",
    ],
)
async def test_a_hurt_index_is_built_again(tmp_path: Path, hurt: str) -> None:
    folder = await stored(tmp_path / "index")
    shell(hurt, folder)
    index = await opened(folder)
    missing = [each for each in ("A.md", "B.md") if each not in index.notes]
    await index.write(all_of({"A.md": "alpha text", "B.md": "beta text"}))
    assert missing == ["A.md", "B.md"] or hurt.startswith("find vectors")
    assert await paths(index.passages(words("alpha"), 5)) == ["A.md"]
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    assert index.pending_vectors() == 0
    await index.optimise()
    await index.close()
    again = await opened(folder)
    assert again.health().set_aside is None
    assert sorted(again.notes) == ["A.md", "B.md"]


async def test_an_index_in_doubt_that_is_sound_is_kept(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    index = await asyncio.to_thread(Index.open, folder, doubt=OSError("too many open files"))
    assert (sorted(index.notes), index.health().set_aside) == (["A.md", "B.md"], None)
    assert await paths(index.passages(words("alpha"), 5)) == ["A.md"]


async def test_rows_that_only_a_search_reads_are_read_when_in_doubt(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    for file in folder.glob("passages.lance/data/*.lance"):
        content = file.read_bytes()
        assert b"alpha text" in content
        file.write_bytes(content.replace(b"alpha text", b"\xff\xfe\xfd\xfc\xfb text"))
    # As after a crash: the checksums of the newest files are not stored yet.
    (folder / "checksums.json").unlink()
    trusting = await opened(folder)
    assert (len(trusting.notes), trusting.is_damaged) == (2, False)
    await trusting.close()
    doubting = await asyncio.to_thread(Index.open, folder, doubt=ValueError("a search failed"))
    assert (len(doubting.notes), doubting.health().set_aside) == (0, "RuntimeError")


@pytest.mark.parametrize("table", ["notes", "passages"])
async def test_a_changed_bit_is_noticed_before_anything_is_read(tmp_path: Path, table: str) -> None:
    folder = await stored(tmp_path / "index")
    for file in folder.glob(f"{table}.lance/data/*.lance"):
        content = bytearray(file.read_bytes())
        content[content.index(b"alpha text")] ^= 2
        file.write_bytes(content)
    index = await opened(folder)
    assert len(index.notes) == 0
    assert f"`{table}.lance/data/" in str(index.health().set_aside)
    await index.write(all_of({"A.md": "alpha text", "B.md": "beta text"}))
    index.use_model(MODEL, DIMENSIONS)
    assert (index.answering_model, index.pending_vectors()) == (MODEL, 0)
    await index.close()
    assert (await opened(folder)).health().set_aside is None


async def test_an_index_that_was_closed_answers_nothing(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"A.md": "alpha"})
    await index.close()
    with pytest.raises(NotReady):
        await index.passages(words("alpha"), 5)
    assert not index.is_damaged


@pytest.mark.process
@pytest.mark.parametrize(
    "hurt",
    [
        "find postings -type f -exec truncate -s 5 {} +",
        "find postings -name '*.postings' -exec truncate -s -8 {} +",
        "for file in postings/*.postings; do printf X | dd of=$file bs=1 seek=60 conv=notrunc; done",
        "rm postings/1.postings",
        "echo rubbish > postings/contents.json",
        """echo '{"words": 7}' > postings/contents.json""",
    ],
)
async def test_hurt_postings_are_built_again(tmp_path: Path, hurt: str) -> None:
    folder = await stored(tmp_path / "index")
    shell(hurt, folder)
    index = await opened(folder)
    assert sorted(index.notes) == ["A.md", "B.md"]
    assert await found_everywhere(index) == [["A.md"], ["A.md"], ["B.md"]]
    assert index.health().rebuilds > 0
    await index.optimise()
    await index.close()
    again = await opened(folder)
    assert await found_everywhere(again) == [["A.md"], ["A.md"], ["B.md"]]
    assert again.health().rebuilds == 0


async def found_everywhere(index: Index) -> list[list[str]]:
    """Search in each of the inverted indexes."""
    answers = (index.passages(words("alpha"), 5), index.stems(words("alpha"), 5), index.search_notes(words("beta"), 5))
    return [await paths(answer) for answer in answers]


@pytest.mark.process
async def test_postings_that_are_missing_are_built_without_a_word(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    shell("rm -r postings", folder)
    index = await opened(folder)
    assert await found_everywhere(index) == [["A.md"], ["A.md"], ["B.md"]]
    assert (index.health().rebuilds, index.health().set_aside) == (0, None)


async def test_postings_of_another_state_of_the_tables_are_not_believed(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    shutil.copytree(folder, tmp_path / "before")
    index = await opened(folder)
    await index.write([prepared("A.md", "gamma text"), prepared("C.md", "alpha too")], [VaultPath("B.md")])
    await index.optimise()
    await index.close()
    for postings, tables in ((tmp_path / "before", folder), (folder, tmp_path / "before")):
        mixed = tmp_path / f"{tables.name} mixed"
        shutil.copytree(tables, mixed)
        shutil.rmtree(mixed / "postings")
        shutil.copytree(postings / "postings", mixed / "postings")
        index = await opened(mixed)
        texts = {path: [passage.text for passage in index.passages_of(path)] for path in index.notes}
        for word in ("alpha", "beta", "gamma", "text"):
            saying = sorted(path for path, own in texts.items() if word in own[0])
            for retriever in (index.passages, index.stems, index.search_notes):
                assert sorted(await paths(retriever(words(word), 9))) == saying
        await index.close()


async def test_numbers_that_stand_for_other_notes_now_are_noticed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, text in ((first, "alpha"), (second, "beta")):
        index = await opened(folder, {"A.md": text})
        await index.optimise()
        await index.close()
    shutil.rmtree(second / "postings")
    shutil.copytree(first / "postings", second / "postings")
    index = await opened(second)
    for retriever in (index.passages, index.stems, index.search_notes):
        assert await paths(retriever(words("beta"), 5)) == ["A.md"]
        assert await paths(retriever(words("alpha"), 5)) == []


async def test_a_deleted_folder_is_made_again(tmp_path: Path) -> None:
    index = await opened(tmp_path / "deep" / "index", {"A.md": "alpha"})
    assert list(index.notes) == ["A.md"]
    assert index.health().set_aside is None


async def test_the_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "index.json").stat().st_mode & 0o777 == 0o600


async def test_what_was_learnt_of_boilerplate_is_kept(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    assert index.boilerplate == Boilerplate()
    learnt = learn_from(["Navigation line\nown\n"] * 40)
    await index.use_boilerplate(learnt)
    assert "Navigation line" in index.boilerplate
    await index.use_boilerplate(learnt)
    assert index.boilerplate.version == 2
    await index.close()
    assert (await opened(tmp_path / "index")).boilerplate == index.boilerplate


@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Path]:
    if not ROOT:
        pytest.skip("mounting a small disk needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("this machine does not let root mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.process
async def test_a_full_disk_is_told_and_loses_nothing_stored(tmpfs: Path) -> None:
    index = await opened(tmpfs / "index")

    async def fill() -> None:
        for turn in range(200):
            await index.write([prepared(f"n{turn}.md", f"number{turn} " + sentence(turn, 3000))])

    with pytest.raises(DiskFull):
        await fill()
    written = len(index.notes)
    assert written
    assert await paths(index.passages(words("number0"), 5)) == ["n0.md"]
    await index.close()
    shell("mount -o remount,size=64m .", tmpfs)
    again = await opened(tmpfs / "index")
    assert len(again.notes) == written
    await again.write([prepared("after.md", "room again")])
    assert await paths(again.passages(words("room"), 5)) == ["after.md"]
    await again.close()


@pytest.mark.process
async def test_a_disk_that_cannot_be_written_is_refused(tmpfs: Path) -> None:
    folder = await stored(tmpfs / "index")
    shell("mount -o remount,ro .", tmpfs)
    with pytest.raises(ReadOnly):
        await opened(folder)
    with pytest.raises(ReadOnly):
        await opened(tmpfs / "another")


@pytest.mark.process
async def test_a_disk_that_becomes_read_only_is_told(tmpfs: Path) -> None:
    index = await opened(tmpfs / "index", {"A.md": "alpha"})
    shell("mount -o remount,ro .", tmpfs)
    with pytest.raises(ReadOnly):
        await index.write(all_of({"B.md": "beta"}))
    assert await paths(index.passages(words("alpha"), 5)) == ["A.md"]
    assert list(index.notes) == ["A.md"]


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
async def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    folder.chmod(0o500)
    with pytest.raises(ReadOnly):
        Index.open(folder)


async def test_the_answering_model_is_remembered_in_the_folder(tmp_path: Path) -> None:
    folder = await stored(tmp_path / "index")
    assert json.loads((folder / "index.json").read_text()) == {
        "version": INDEX_VERSION,
        "answering": MODEL,
        "embedded": True,
    }
