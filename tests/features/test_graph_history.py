"""How a graph grew, told from the days that were kept."""

from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime, timedelta

import pytest
import pytest_asyncio

from bridge.features.graph.history import monday
from bridge.state.graph_days import LinkCounts
from bridge.types import VaultPath
from tests.features.days import noon_of
from tests.features.graphs import drawn
from tests.features.served import Served

__all__ = ["drawn"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

TODAY = datetime.now().astimezone().date()
NOTES = ("Index.md", "Bread/Rye.md", "Bread/Spelt.md", "Beans.md", "Board.canvas", "Lone.md")


@pytest.fixture(scope="module", autouse=True)
def _same_day() -> Iterator[None]:
    """Stay in the day that the tests take for today, from before the vault is opened."""
    with noon_of(TODAY):
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def grown(drawn: Served) -> AsyncIterator[Served]:
    """A vault with a past: three weeks ago, and two days of one week after that."""
    store = drawn.bridge.find(None).store
    notes = [VaultPath(path) for path in NOTES]
    before = monday(TODAY) - timedelta(weeks=3)
    old, passing = VaultPath("Old.md"), VaultPath("Passing.md")
    for day, joined in (
        (before, {old: 4, notes[0]: 1}),
        (before + timedelta(weeks=1), {old: 4, notes[0]: 3, passing: 1}),
        (before + timedelta(weeks=1, days=1), {old: 5, notes[0]: 2}),
    ):
        store.graph_days.save(day.isoformat(), LinkCounts(len(joined), 7, 0), joined)
    yield drawn


async def test_each_week_tells_what_changed_in_it(grown: Served) -> None:
    answer = await grown.call("graph_history")
    assert answer.status == 200, answer.body
    latest, middle, first = answer.json["weeks"]
    start = monday(TODAY)
    assert answer.json["since"] == (start - timedelta(weeks=3)).isoformat()
    weeks = [date.fromisoformat(week["week"]) for week in (latest, middle, first)]
    assert weeks == [start, start - timedelta(weeks=2), start - timedelta(weeks=3)]
    # What came and went within a week is told as neither.
    assert middle == {
        "week": weeks[1].isoformat(),
        "counts": {"notes": 2, "links": 7, "stubs": 0},
        "appeared": [],
        "vanished": [],
        "grown": [{"path": "Index.md", "more": 1}, {"path": "Old.md", "more": 1}],
    }
    assert latest["counts"] == {"notes": 6, "links": 7, "stubs": 4}
    assert set(latest["appeared"]) == {*NOTES[1:]}
    assert latest["appeared"][0] == "Beans.md"
    assert latest["vanished"] == ["Old.md"]


async def test_a_look_back_can_be_short_and_brief(grown: Served) -> None:
    (week,) = (await grown.call("graph_history", weeks=1, limit=2)).json["weeks"]
    assert (len(week["appeared"]), week["week"]) == (2, monday(TODAY).isoformat())


async def test_denied_notes_are_not_kept(grown: Served) -> None:
    assert b"Secret" not in (await grown.call("graph_history", weeks=52, limit=100)).body


@pytest.mark.parametrize("weeks", [0, 53])
async def test_what_is_out_of_range_is_refused(grown: Served, weeks: int) -> None:
    assert (await grown.call("graph_history", weeks=weeks)).code == "invalid_arguments"
