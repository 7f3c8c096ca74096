"""The terms, segments and scores of the inverted indexes."""

import asyncio
import math
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.index.documents import IndexDocument, build_segments
from bridge.index.inverted_index import InvertedIndex, TermQuery
from bridge.index.segment import FREQUENCIES, IndexSegment
from bridge.index.tokens import WORDS, TermFinder, hash_tokens, query_tokens
from bridge.types import VaultPath
from tests.holding import while_a_thread_runs
from tests.index.made import damage_file, opened, paths, prepared, sentence, words

NONE = np.empty(0, np.uint64)


@given(st.lists(st.text(max_size=20) | st.sampled_from(["C++", "e-mail's", "会议", "ไทย", "नमस्ते", "🌱"])).map(" ".join))
def test_terms_are_those_that_a_query_asks_for(text: str) -> None:
    vocabulary = TermFinder(WORDS)
    vocabulary.find(["before", *text.split()[::2]])
    found = vocabulary.find(["before", text, "after"])
    first, last = found.counts[:1].sum(), found.counts[:2].sum()
    terms = {*found.terms[found.places[first:last]].tolist()}
    assert {*hash_tokens(query_tokens(text)).tolist()} <= terms
    assert {*hash_tokens(query_tokens(text, exact=True)).tolist()} <= terms


def indexed(texts: dict[int, str]) -> InvertedIndex:
    index = InvertedIndex()
    documents = [IndexDocument(number, 0, 7, text) for number, text in texts.items()]
    for segment in build_segments(documents, TermFinder(WORDS)):
        index.add(segment)
    return index


def asked(should: str = "", must: str = "") -> TermQuery:
    required = [hash_tokens(query_tokens(word)) for word in must.split()]
    return TermQuery(hash_tokens(query_tokens(should)), required)


def test_a_vocabulary_that_is_full_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.tokens.MAX_PIECES", 10)
    vocabulary = TermFinder(WORDS)
    for turn in range(9):
        text = sentence(turn, 6)
        found = vocabulary.find([text])
        assert {*found.terms[found.places]} == {*hash_tokens(text.split())}


@given(st.lists(st.text(max_size=50), min_size=1))
def test_tokens_have_the_same_hash_alone_as_among_many(tokens: list[str]) -> None:
    many = hash_tokens([*tokens, *map(str, range(100))])[: len(tokens)]
    assert [*many] == [hash_tokens([token])[0] for token in tokens]


def test_scores_are_those_of_bm25() -> None:
    texts = {1: "rye bread rye", 2: "wheat bread and more words", 3: "salt"}
    average = sum(len(text.split()) for text in texts.values()) / 3
    hits = indexed(texts).search(asked("rye bread"), 9, None)
    for number, _, score in hits:
        own = texts[number].split()
        expected = 0.0
        for word in ("rye", "bread"):
            containing = sum(word in text.split() for text in texts.values())
            weight = math.log(1 + (3 - containing + 0.5) / (containing + 0.5))
            norm = 1.2 * (0.25 + 0.75 * len(own) / average)
            expected += weight * 2.2 * own.count(word) / (own.count(word) + norm)
        assert score == pytest.approx(expected, rel=1e-5)
    assert [number for number, _, _ in hits] == [1, 2]


def test_what_a_thread_counts_is_not_kept_beyond_a_change() -> None:
    index, (segment,) = indexed({1: "rye bread"}), indexed({2: "rye loaf"}).segments

    class Interrupted(list[Any]):
        """Terms; another thread adds a document after they were looked up, before they are counted."""

        def __iter__(self) -> Iterator[Any]:
            yield from super().__iter__()
            if self not in looked_up:
                looked_up.append(self)
            elif segment not in index.segments:
                index.add(segment)

    looked_up: list[Any] = []
    assert index.find_numbers(Interrupted([hash_tokens(["rye"])]), None).tolist() == [1]
    assert index.segments[1:] == (segment,)
    assert index.find_numbers([hash_tokens(["rye"])], None).tolist() == [1, 2]


def test_who_counts_in_a_thread_is_not_disturbed_by_who_writes() -> None:
    index, terms = indexed({0: "rye bread"}), hash_tokens(["rye", "salt"])
    turns = 400

    def write() -> None:
        for number in range(1, turns):
            (segment,) = build_segments([IndexDocument(number, 0, 7, "rye and salt")], TermFinder(WORDS))
            index.add(segment)
            if len(index.segments) > 3:
                index.replace(index.segments, index.merge(index.segments))

    for _ in while_a_thread_runs(write):
        rye, salt = index.document_frequencies(terms, None)
        assert 0 < rye == salt + 1
        assert index.search(asked("rye"), 3, None)
    assert index.document_frequencies(terms, None) == [turns, turns - 1]


def test_what_is_merged_answers_as_before(tmp_path: Path) -> None:
    texts = {number: sentence(number % 40, 30) for number in range(300)}
    together, parts = indexed(texts), InvertedIndex()
    dice = random.Random(3)
    for start in range(0, 300, 10):
        for segment in indexed({number: texts[number] for number in range(start, start + 10)}).segments:
            parts.add(segment)
    dropped = dice.sample(range(300), 80)
    for number in dropped:
        together.drop(number)
        parts.drop(number)
    query = asked(texts[7])
    before = together.search(query, 50, None)
    assert not {number for number, _, _ in before} & {*dropped}
    assert parts.search(query, 50, None) == before
    (group,) = parts.due(everything=True)
    merged = parts.merge(group)
    late = before[0][0]
    parts.drop(late)
    parts.replace(group, merged)
    together.drop(late)
    assert len(parts.segments) == 1
    after = parts.search(query, 50, None)
    assert after == together.search(query, 50, None)
    assert late not in {number for number, _, _ in after}
    assert parts.due(everything=True) != []
    (tmp_path / "segment").write_bytes(merged.encode())
    assert IndexSegment.load(tmp_path / "segment").encode() == merged.encode()


def test_large_segments_are_merged_beside_a_small_one() -> None:
    parts = InvertedIndex()
    for start, stop in ((0, 1), (1, 31), (31, 71), (71, 121)):
        for segment in indexed({number: sentence(number, 5) for number in range(start, stop)}).segments:
            parts.add(segment)
    (group,) = parts.due()
    assert sorted(map(len, group)) == [30, 40, 50]
    parts.replace(group, parts.merge(group))
    assert sorted(map(len, parts.segments)) == [1, 120]
    assert parts.due() == []


def test_documents_that_equal_the_last_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.inverted_index.MAX_EQUAL_HITS", 90)
    index = indexed(dict.fromkeys(range(100, 0, -1), "the same words") | {101: "same"})
    for limit, found in ((2, 92), (5, 95), (100, 101)):
        assert [number for number, _, _ in index.search(asked("same"), limit, None)] == [101, *range(1, found)]
    assert [number for number, _, _ in index.search(asked("same"), 1, None)] == [101]
    assert [number for number, _, _ in index.search(asked("same"), 9, {40, 7, 1000})] == [7, 40]
    assert index.search(asked("absent"), 9, None) == []
    assert InvertedIndex().search(asked("same"), 9, None) == []


def test_high_frequencies_are_kept_within_a_few_per_cent() -> None:
    for count in (1, 127, 128, 129, 1_000, 30_000):
        (segment,) = indexed({1: "again " * count}).segments
        assert FREQUENCIES[segment.frequencies[:][0]] == pytest.approx(count, rel=0.03)
        assert segment.lengths.tolist() == [count]


async def test_many_small_writes_are_merged_and_all_found(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index")
    for turn in range(40):
        await index.write([prepared(f"n{turn}.md", f"turn{turn} of many"), prepared("Same.md", f"same{turn} of many")])
    for each in (index._opened.postings.words, index._opened.postings.whole):
        assert len(each.segments) < 12
    assert sorted(await paths(index.passages(words("many"), 99))) == sorted(index.notes)
    assert await paths(index.search_notes(words("same39"), 9)) == ["Same.md"]
    assert await paths(index.search_notes(words("same38"), 9)) == []
    await index.close()
    again = await opened(tmp_path / "index")
    assert sorted(await paths(again.passages(words("many"), 99))) == sorted(again.notes)


async def test_searches_beside_writes_and_compaction_find_each_note_once(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {f"n{at}.md": f"common {sentence(at)}" for at in range(50)})

    async def write() -> None:
        for turn in range(30):
            await index.write([prepared(f"n{turn}.md", f"common turn{turn} {sentence(turn)}")])
            if turn % 10 == 5:
                await index.optimise(at_once=True)

    writing = asyncio.create_task(write())
    while not writing.done():
        hits = await index.search_notes(words("common"), 99)
        assert sorted(hit.path for hit in hits) == sorted(index.notes)
        await asyncio.sleep(0)
    await writing
    assert await paths(index.search_notes(words("turn29"), 9)) == ["n29.md"]


async def test_a_moved_note_is_found_by_its_new_name_only(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Rye.md": "some words"})
    await index.optimise()
    await index.write([prepared("Wheat.md", "some words")], [VaultPath("Rye.md")])
    for _ in range(2):
        assert await paths(index.passages(words("words"), 9)) == ["Wheat.md"]
        assert await paths(index.search_notes(words("wheat"), 9)) == ["Wheat.md"]
        assert await paths(index.search_notes(words("rye"), 9)) == []
        await index.close()
        index = await opened(tmp_path / "index")


async def test_a_closed_index_opens_without_indexing_its_text_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await opened(tmp_path / "index", {"A.md": "# A\n\nBarley.\n"})
    await index.close()

    def build(*_: object) -> None:
        raise AssertionError("The text is indexed again.")

    monkeypatch.setattr("bridge.index.postings.index_documents", build)
    again = await opened(tmp_path / "index")
    assert await paths(again.passages(words("barley"), 9)) == ["A.md"]
    assert again.health().rebuilds == 0


@pytest.mark.parametrize(("damage", "rebuilds"), [("flip", 3), ("other", 0)])
async def test_postings_are_built_again_and_those_of_another_version_are_no_damage(
    damage: str, rebuilds: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index = await opened(tmp_path / "index", {"A.md": "# A\n\nBarley.\n"})
    await index.close()
    for file in (tmp_path / "index/postings").glob("*.postings"):
        damage_file(file, damage)
    again = await opened(tmp_path / "index")
    assert await paths(again.passages(words("barley"), 9)) == ["A.md"]
    assert (again.health().rebuilds, len(caplog.records)) == (rebuilds, rebuilds)


async def test_closing_does_not_bring_a_deleted_index_back(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await opened(folder, {"A.md": "# A\n\nBarley.\n"})
    shutil.rmtree(folder)
    await index.close()
    assert not folder.exists()
