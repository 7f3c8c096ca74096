"""What is left in files: read as if it were in memory, and missed in no silence."""

import asyncio
import errno
import os
import random
from collections.abc import Iterator
from io import BytesIO, FileIO
from pathlib import Path

import numpy as np
import pytest

from bridge.errors import IndexUnusable
from bridge.index.array_file import encode_arrays, read_arrays
from bridge.index.digests import digests_of
from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.index.matrix import VectorRows
from bridge.index.open_file import OpenFile, StoredArray
from bridge.index.rows import PackedPassages, pack_passages
from bridge.types import VaultPath
from tests.index.made import DIMENSIONS, MODEL, embed_all, opened, sentence, vector, words

NOTES = {f"{number}.md": f"# Note {number}\n\n{sentence(number)}" for number in range(60)}
QUERIES = [words(*sentence(number, 3).split()) for number in range(60)]


@pytest.fixture
def _left_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the postings of small files in them, too."""
    monkeypatch.setattr("bridge.index.array_file.MIN_LEFT_BYTES", 0)


async def answers(index: Index) -> list[object]:
    def ask(query: TextQuery) -> Iterator[object]:
        yield index.passages(query, 9)
        yield index.stems(query, 9)
        yield index.search_notes(query, 9)

    found = [await each for query in QUERIES for each in ask(query)]  # type: ignore[misc]
    once = sentence(3, 2).split()
    return [*found, index.document_frequencies(once), *map(index.document_frequency, once)]


@pytest.mark.usefixtures("_left_in_files")
def test_parts_of_an_array_are_those_of_the_array_in_memory(tmp_path: Path) -> None:
    kept, numbers = np.arange(7, dtype="u1"), np.arange(1_000, dtype="<u2")
    layout = (("kept", "u1"), ("numbers", "<u2"))
    (tmp_path / "file").write_bytes(encode_arrays(b"ABCDEFGH", layout, {"kept": kept, "numbers": numbers}))
    arrays = read_arrays(b"ABCDEFGH", layout, tmp_path / "file", ["numbers"])
    assert isinstance(arrays["numbers"], StoredArray)
    assert arrays["kept"].tolist() == kept.tolist()
    for part in (slice(None), slice(3, 900), slice(900, 2_000), slice(5, 5), slice(9, 2), slice(-3, None)):
        assert arrays["numbers"][part].tolist() == numbers[part].tolist()


@pytest.mark.usefixtures("_left_in_files")
async def test_postings_in_files_answer_as_those_in_memory(tmp_path: Path) -> None:
    index = await opened(tmp_path, NOTES)
    before = await answers(index)
    await index.optimise()
    segments = [each for part in index._opened.postings._indexes().values() for each in part.segments]
    assert all(isinstance(segment.documents, StoredArray) for segment in segments)
    assert await answers(index) == before
    await index.write([], [VaultPath("3.md"), VaultPath("4.md")])
    changed = await answers(index)
    assert changed != before
    await index.optimise(at_once=True)
    assert await answers(index) == changed
    await index.close()
    again = await asyncio.to_thread(Index.open, tmp_path)
    assert await answers(again) == changed
    await again.close()


@pytest.mark.usefixtures("_left_in_files")
@pytest.mark.parametrize("damage", ["cut", "empty", "overwritten"])
async def test_a_file_damaged_while_it_is_searched_is_told_and_built_again(tmp_path: Path, damage: str) -> None:
    index = await opened(tmp_path, NOTES)
    await index.optimise()
    before = await answers(index)
    for file in (tmp_path / "postings").glob("*.postings"):
        size = file.stat().st_size
        if damage == "overwritten":
            with file.open("r+b") as opened_file:
                opened_file.write(b"\xff" * size)
        else:
            os.truncate(file, size // 3 if damage == "cut" else 0)
    with pytest.raises(IndexUnusable) as told:
        await answers(index)
    assert index.is_damaged
    await index.close()
    again = await asyncio.to_thread(Index.open, tmp_path, doubt=told.value)
    assert await answers(again) == before
    await again.close()


@pytest.mark.usefixtures("_left_in_files")
async def test_a_search_goes_on_in_files_that_were_deleted(tmp_path: Path) -> None:
    index = await opened(tmp_path, NOTES)
    await index.optimise()
    before = await answers(index)
    for file in (tmp_path / "postings").glob("*.postings"):
        file.unlink()
    assert await answers(index) == before
    index.abandon()


@pytest.mark.parametrize("seed", range(8))
def test_vectors_in_a_file_are_those_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("bridge.index.matrix.BLOCK_ROWS", 8)
    monkeypatch.setattr("bridge.index.matrix.READ_AT_ONCE", 4)
    dice, both = random.Random(seed), (VectorRows(DIMENSIONS), VectorRows(DIMENSIONS, tmp_path))
    known: dict[bytes, str] = {}
    for turn in range(60):
        texts = {f"{turn} {at}".encode().ljust(32): f"word{dice.random()}" for at in range(dice.randrange(6))}
        vectors = np.array([vector(text) for text in texts.values()]).reshape(-1, DIMENSIONS).astype(np.float16)
        gone = dice.sample(sorted(known), min(len(known), dice.randrange(4)))
        for rows in both:
            if turn > 3:
                rows.put([*texts], vectors)
            else:
                rows.extend(digests_of(b"".join(texts)), vectors)
            rows.drop(gone)
        known = {digest: text for digest, text in (known | texts).items() if digest not in gone}
    memory, file = both
    places = memory.of.find(digests_of(b"".join(known)))
    assert places.tolist() == file.of.find(digests_of(b"".join(known))).tolist()
    assert file._file is not None
    expected = np.array([vector(text) for text in known.values()], np.float16)
    assert (file.at(places) == expected).all()
    some = places[::-2].astype(np.int32)
    assert (memory.at(some) == file.at(some)).all()
    assert (memory.pair(some, some[::-1]) == file.pair(some, some[::-1])).all()
    for wanted in (None, [some[:1]], [some]):
        assert (memory.dot(vector("word"), wanted)[some[:1]] == file.dot(vector("word"), wanted)[some[:1]]).all()
    assert (memory.dot(vector("word")) == file.dot(vector("word"))).all()


def test_a_dropped_vector_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.matrix.BLOCK_ROWS", 4)
    monkeypatch.setattr("bridge.index.matrix.READ_AT_ONCE", 4)
    rows = VectorRows(DIMENSIONS, tmp_path)
    names = [bytes([number]) * 32 for number in range(9)]
    rows.put(names, np.stack([vector(f"{number}") for number in range(9)]))
    at = np.array([rows.of.get(names[1])])
    assert rows.at(at).any()
    rows.drop(names[1:2])
    assert not rows.at(at).any()


def test_passages_stay_as_they_were_when_others_are_forgotten(tmp_path: Path) -> None:
    packed = PackedPassages(tmp_path)
    texts = {key: [[at, key, sentence(key + at)] for at in range(key % 40)] for key in range(90)}
    for key, rows in texts.items():
        packed.put(pack_passages([(key, rows)]))
    packed.keep(lambda key: key % 3 == 0)
    assert len(packed) == 30
    assert {key for key in texts if key in packed} == {key for key in texts if key % 3 == 0}
    for key in range(0, 90, 3):
        assert packed.get(key, range(50)) == dict(enumerate(texts[key]))
        assert packed.get(key + 1, range(50)) == {}


class FullDisk(FileIO):
    """A file for which there is room for one write."""

    writes = 0

    def write(self, data: object, /) -> int:
        self.writes += 1
        if self.writes > 1:
            raise OSError(errno.ENOSPC, "full")
        return super().write(data)  # type: ignore[arg-type]


def test_what_the_disk_has_no_room_for_stays_in_memory(tmp_path: Path) -> None:
    file = OpenFile(FullDisk(str(tmp_path / "file"), "w+b"))
    file.write(memoryview(b"first"), 0)
    file.write(memoryview(b"second"), 5)
    found = bytearray(11)
    file.read(memoryview(found), 0)
    assert bytes(found) == b"firstsecond"
    missing = OpenFile.scratch(tmp_path / "no such folder")
    assert isinstance(missing._file, BytesIO)
    missing.write(memoryview(b"there"), 0)
    missing.read(memoryview(found)[:5], 0)
    assert bytes(found[:5]) == b"there"


async def test_nothing_with_a_name_is_added_to_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.matrix.BLOCK_ROWS", 8)
    monkeypatch.setattr("bridge.index.matrix.READ_AT_ONCE", 8)
    index = await opened(tmp_path, NOTES)
    before = {*tmp_path.iterdir()}
    index.use_model(MODEL, DIMENSIONS)
    await embed_all(index)
    await index.text_of(await index.nearest(vector("words"), 9))
    assert {*tmp_path.iterdir()} - before == {tmp_path / f"vectors_{MODEL}.lance"}
    await index.close()
