"""Notes that programs read together: how near that makes them, and what it does to a search."""

import json
import math
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.search.co_reading import (
    HALF_LIFE_S,
    MAX_CO_READ_NOTES,
    MAX_SESSION_NOTES,
    PAUSE_S,
    CoReading,
    co_read_pairs,
)
from bridge.search.model import SearchAnswer, SearchRequest
from bridge.search.pipeline import search
from bridge.search.related import find_related
from bridge.settings.schema import Settings
from bridge.state.call_log import NoteRead
from bridge.types import VaultPath
from tests.search.vaults import opened, write_vault
from tests.vaults import QUERIES, SAMPLE

NOW = 1_000_000_000.0
DEFAULT = Settings().read_together_percent / 100
PLAN, A, B = (VaultPath(f"{name}.md") for name in ("Plan", "A", "B"))


def read(*names: str, reader: str = "agent", ended: float = NOW) -> list[NoteRead]:
    """Return a sitting in which notes were read, a second each."""
    return [NoteRead(ended - len(names) + at + 1, reader, VaultPath(f"{name}.md")) for at, name in enumerate(names)]


def near(*sittings: Iterable[NoteRead]) -> float:
    """Return how near two notes are."""
    return co_read_pairs([one for sitting in sittings for one in sitting], NOW).get(A, {}).get(B, 0.0)


def test_two_notes_read_in_one_sitting_are_near_and_the_fewer_others_the_nearer() -> None:
    assert near(read("A", "B")) == pytest.approx(1 / math.log2(3))
    assert near(read("A", "B", *"CDEFGHIJ")) == pytest.approx(1 / math.log2(11))
    assert near(read("A", "A", "B", "A")) == near(read("A", "B"))


def test_whoever_reads_very_much_reads_nothing_together() -> None:
    others = [f"0 Other {at}" for at in range(MAX_SESSION_NOTES - 2)]
    assert near(read("A", "B", *others)) > 0
    assert near(read("A", "B", *others, "C")) == 0


def test_a_long_pause_or_another_reader_ends_a_sitting() -> None:
    assert near(read("A", ended=NOW - PAUSE_S), read("B")) > 0
    assert near(read("A", ended=NOW - PAUSE_S - 1), read("B")) == 0
    assert near(read("A"), read("B", reader="another")) == 0


def test_what_was_read_together_counts_half_after_a_week_and_nothing_in_the_end() -> None:
    fresh = near(read("A", "B"))
    assert near(read("A", "B", ended=NOW - HALF_LIFE_S)) == pytest.approx(fresh / 2)
    assert near(read("A", "B", ended=NOW - 6 * HALF_LIFE_S)) == 0
    assert near(read("A", "B", ended=NOW + 1e6)) == fresh


def test_sittings_add_up_to_near_and_no_further() -> None:
    sittings = [read("A", "B", reader=f"agent {at}") for at in range(50)]
    assert near(*sittings[:2]) > near(*sittings[:1])
    assert near(*sittings) == 1.0


def test_a_note_keeps_the_nearest_only() -> None:
    sittings = [one for at in range(MAX_CO_READ_NOTES + 5) for one in read("A", f"Other {at}", reader=str(at))]
    found = co_read_pairs([*sittings, *read("A", "B"), *read("A", "B", reader="again")], NOW)
    assert len(found[A]) == MAX_CO_READ_NOTES
    assert found[A][B] == 1.0


FILES = {
    "Plan.md": "A plan to insulate the roof before winter: wool or cork, and who climbs up to insulate it.\n",
    "A.md": "Cork came by boat for the roof, and winter came after it.\n",
    "B.md": "Sheep gave their fleece for the roof, and winter came after them.\n",
    "Other.md": "Nothing of it.\n",
}


async def found(tmp_path: Path, co_reading: CoReading, query: str = "insulate the roof before winter") -> SearchAnswer:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        asked = SearchRequest(query, mode="keyword", explain=True)
        return await search(replace(sources, co_reading=co_reading), asked)


async def test_of_two_notes_that_match_alike_the_one_read_with_the_best_hit_comes_first_and_says_so(
    tmp_path: Path,
) -> None:
    before = await found(tmp_path, CoReading(DEFAULT))
    assert [hit.path for hit in before.hits] == [PLAN, A, B]
    after = await found(tmp_path, CoReading(DEFAULT, {PLAN: {B: 1.0, VaultPath("Other.md"): 1.0}}))
    assert [hit.path for hit in after.hits] == [PLAN, B, A]
    assert after.hits[1].why == ("says “roof”, “winter”", "read together with *Plan* lately")
    assert "lately" not in str(after.hits[2].why)
    assert after.explain is not None
    assert after.explain.lanes[B]["drift"].weight == DEFAULT


async def test_it_can_count_for_nothing(tmp_path: Path) -> None:
    answer = await found(tmp_path, CoReading(0.0, {PLAN: {B: 1.0}}))
    assert [hit.path for hit in answer.hits] == [PLAN, A, B]


async def test_a_note_is_related_to_what_was_read_with_it(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        co_reading = CoReading(DEFAULT, {PLAN: {VaultPath("Other.md"): 1.0}})
        answer = await find_related(replace(sources, co_reading=co_reading), path=PLAN, text=None, limit=5)
    why = {hit.path: hit.why for hit in answer.hits}
    assert why[VaultPath("Other.md")] == ("read together with *Plan* lately",)


async def test_a_note_that_matches_clearly_is_not_overtaken(tmp_path: Path) -> None:
    everything = {path: dict.fromkeys([PLAN, A, B], 1.0) for path in (PLAN, A, B)}
    everything[A] = {}
    for path in (PLAN, B):
        del everything[path][A]
    answer = await found(tmp_path, CoReading(DEFAULT, everything), "cork boat")
    assert answer.hits[0].path == A


async def test_reading_cannot_move_what_the_sample_vault_is_asked_for(tmp_path: Path) -> None:
    """Each expected note stays in its place though all others were read with all first hits, as often as counts."""
    queries = [one for one in json.loads(QUERIES.read_text(encoding="utf-8")) if one["mode"] == "keyword"]
    assert len(queries) > 10
    async with opened(SAMPLE, tmp_path / "index") as sources:
        notes = list(sources.index.notes)
        for asked in queries:
            others = [path for path in notes if path != asked["expect"]]
            co_reading = CoReading(DEFAULT, dict.fromkeys(notes, dict.fromkeys(others, 1.0)))
            request = SearchRequest(asked["query"], mode="keyword", limit=asked["within_top"])
            answer = await search(replace(sources, co_reading=co_reading), request)
            assert asked["expect"] in [hit.path for hit in answer.hits], asked["query"]
