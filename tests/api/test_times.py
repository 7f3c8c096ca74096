"""Moments as callers write them."""

import os
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from bridge.api.hints import When
from bridge.api.moments import DAYS, PERIODS, RANGES, TIMES, day, first_day, iso, moment, period, read_date
from bridge.errors import InvalidArguments


@pytest.fixture(autouse=True)
def _far_from_greenwich() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kolkata"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what puts this process into a time zone."""

    def enter(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield enter
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-31", "2026-01-31T00:00:00+05:30"),
        ("2026-01-31T09:30", "2026-01-31T09:30:00+05:30"),
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00+00:00"),
        (" 2026-01-31 09:30:00-08:00 ", "2026-01-31T09:30:00-08:00"),
    ],
)
def test_a_moment_is_local_unless_it_says_otherwise(written: str, meant: str) -> None:
    assert moment("modified_after", When(written)) == datetime.fromisoformat(meant).timestamp()


@pytest.mark.parametrize(
    "written",
    [
        "",
        "recently",
        "2026-13",
        "2026-13-01",
        "31.1.2026",
        "0001-01-01",
        "9999-12-31T23:59:59-23:00",
        "9999 years",
        "last",
        "week",
        "in 3 days ago",
        "this 3 weeks",
        "on march",
        "marc",
        "smonday",
        "3",
        "0 friday",
    ],
)
def test_what_is_no_moment_is_refused(written: str) -> None:
    with pytest.raises(InvalidArguments, match="modified_after"):
        moment("modified_after", When(written))


SUNDAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "past", "to_come"),
    [
        ("today", "2026-03-01", "2026-03-01"),
        ("Yesterday", "2026-02-28", "2026-02-28"),
        ("tomorrow", "2026-03-02", "2026-03-02"),
        ("3 days", "2026-02-26", "2026-03-04"),
        ("3 days ago", "2026-02-26", "2026-02-26"),
        ("in 2 weeks", "2026-03-15", "2026-03-15"),
        ("last  week", "2026-02-16", "2026-02-16"),
        ("past week", "2026-02-22", "2026-02-22"),
        ("a week ago", "2026-02-22", "2026-02-22"),
        ("next week", "2026-03-02", "2026-03-02"),
        ("in a week", "2026-03-08", "2026-03-08"),
        ("next 2 weeks", "2026-03-15", "2026-03-15"),
        ("this week", "2026-02-23", "2026-02-23"),
        ("last month", "2026-02-01", "2026-02-01"),
        ("next month", "2026-04-01", "2026-04-01"),
        ("next year", "2027-01-01", "2027-01-01"),
        ("next day", "2026-03-02", "2026-03-02"),
        ("this month", "2026-03-01", "2026-03-01"),
        ("this year", "2026-01-01", "2026-01-01"),
        ("a year ago", "2025-03-01", "2025-03-01"),
        ("past 2 months", "2026-01-01", "2026-01-01"),
        ("monday", "2026-02-23", "2026-03-02"),
        ("sun", "2026-03-01", "2026-03-01"),
        ("last sunday", "2026-02-22", "2026-02-22"),
        ("next sunday", "2026-03-08", "2026-03-08"),
        ("on Friday", "2026-02-27", "2026-03-06"),
        ("2026-02", "2026-02-01", "2026-02-01"),
        ("2025", "2025-01-01", "2025-01-01"),
        ("february", "2026-02-01", "2027-02-01"),
        ("march", "2026-03-01", "2026-03-01"),
        ("last march", "2025-03-01", "2025-03-01"),
        ("next March", "2027-03-01", "2027-03-01"),
        ("Dec 2024", "2024-12-01", "2024-12-01"),
        ("2026-w10", "2026-03-02", "2026-03-02"),
    ],
)
def test_days_are_also_named_in_words(written: str, past: str, to_come: str) -> None:
    assert read_date(written, SUNDAY).date().isoformat() == past
    assert first_day("due_after", written, SUNDAY) == to_come


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-02", "2026-02-01 to 2026-02-28"),
        ("2026", "2026-01-01 to 2026-12-31"),
        ("2026-W12", "2026-03-16 to 2026-03-22"),
        ("2026w12", "2026-03-16 to 2026-03-22"),
        ("next week", "2026-03-02 to 2026-03-08"),
        ("march", "2026-03-01 to 2026-03-31"),
        ("next 2 weeks", "2026-03-01 to 2026-03-15"),
        ("2026-Q2", "2026-04-01 to 2026-06-30"),
    ],
)
def test_a_period_is_not_taken_for_a_day(written: str, meant: str) -> None:
    with pytest.raises(InvalidArguments, match=f'`due` must be one day .*; "{written}" is {meant}'):
        day("due", written, SUNDAY)
    first, last = meant.split(" to ")
    assert period("due_on", written, SUNDAY) == f"{first}/{last}"


@pytest.mark.parametrize(("written", "meant"), [("2026-W12-3", "2026-03-18"), ("in 2 weeks", "2026-03-15")])
def test_a_day_may_be_counted(written: str, meant: str) -> None:
    assert day("due", written, SUNDAY) == meant


@pytest.mark.parametrize("forms", [DAYS, PERIODS, RANGES, TIMES])
def test_what_a_message_offers_is_accepted(forms: str) -> None:
    parsers: dict[str, Callable[[str, When], object]] = {
        DAYS: day,
        PERIODS: first_day,
        RANGES: period,
        TIMES: moment,
    }
    parse = parsers[forms]
    with pytest.raises(InvalidArguments) as refused:
        parse("date", When("P3"))
    assert forms in refused.value.message
    for written in re.findall("`([^`]+)`", forms):
        assert parse("date", When(written)) is not None


@pytest.mark.parametrize(
    ("today", "written", "day_meant"),
    [
        ("2026-03-31", "1 month ago", "2026-02-28"),
        ("2024-02-29", "past year", "2023-02-28"),
        ("2026-01-31", "in 1 month", "2026-02-28"),
        ("2026-12-31", "in a month", "2027-01-31"),
        ("2026-01-15", "3 months ago", "2025-10-15"),
        ("2026-12-31", "in 2 years", "2028-12-31"),
    ],
)
def test_of_a_shorter_month_the_last_day_is_meant(today: str, written: str, day_meant: str) -> None:
    assert read_date(written, datetime.fromisoformat(f"{today}T12:00").astimezone()).date().isoformat() == day_meant


@pytest.mark.parametrize(
    ("place", "written", "day_meant"),
    [
        # It is 23:30 in UTC: another day in the east already.
        ("UTC", "today", "2026-03-28"),
        ("Pacific/Auckland", "today", "2026-03-29"),
        ("America/Los_Angeles", "Tomorrow", "2026-03-29"),
        # The clock is put forward that night: the day before is not 24 hours ago.
        ("Europe/Berlin", "yesterday", "2026-03-28"),
        ("Europe/Berlin", "2026-03-29", "2026-03-29"),
        ("Europe/Berlin", "2026-03-28T23:30:00Z", "2026-03-29"),
        ("America/Los_Angeles", "2026-03-29T01:00+00:00", "2026-03-28"),
        ("Europe/Berlin", " 2026-03-29t23:59 ", "2026-03-29"),
    ],
)
def test_a_day_is_one_of_the_local_calendar(
    zone: Callable[[str], None], place: str, written: str, day_meant: str
) -> None:
    zone(place)
    assert day("date", written, datetime(2026, 3, 28, 23, 30, tzinfo=UTC)) == day_meant


@pytest.mark.parametrize("written", ["", "soon", "2026-02-30", "0001-01-01T00:00:00+23:00"])
def test_what_is_no_day_is_refused(zone: Callable[[str], None], written: str) -> None:
    zone("America/Los_Angeles")
    with pytest.raises(InvalidArguments):
        day("date", written, datetime(2026, 3, 28, tzinfo=UTC))


def test_no_moment_is_none() -> None:
    assert moment("modified_after", None) is None


def test_a_moment_is_written_in_local_time() -> None:
    assert iso(0.0) == "1970-01-01T05:30:00+05:30"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11", "2026-11-01/2026-11-30"),
        ("2028", "2028-01-01/2028-12-31"),
        ("2026-11-05", "2026-11-05/2026-11-05"),
        ("today", "2026-03-01/2026-03-01"),
        ("9999-12-31", "9999-12-31/9999-12-31"),
        ("2026-Q4", "2026-10-01/2026-12-31"),
        ("2028q1", "2028-01-01/2028-03-31"),
        ("this quarter", "2026-01-01/2026-03-31"),
        ("last quarter", "2025-10-01/2025-12-31"),
        ("2026-11-05/2026-12-01", "2026-11-05/2026-12-01"),
        ("2026-11 / next year", "2026-11-01/2027-12-31"),
        ("this week", "2026-02-23/2026-03-01"),
        ("Next  week", "2026-03-02/2026-03-08"),
        ("last week", "2026-02-16/2026-02-22"),
        ("last month", "2026-02-01/2026-02-28"),
        ("next year", "2027-01-01/2027-12-31"),
        ("this day", "2026-03-01/2026-03-01"),
        ("march", "2026-03-01/2026-03-31"),
        ("feb 2028", "2028-02-01/2028-02-29"),
        ("friday", "2026-03-06/2026-03-06"),
        ("in 2 weeks", "2026-03-15/2026-03-15"),
        ("3 days ago", "2026-02-26/2026-02-26"),
        ("next 3 days", "2026-03-01/2026-03-04"),
        ("past week", "2026-02-22/2026-03-01"),
    ],
)
def test_a_period_is_all_its_days(written: str, meant: str) -> None:
    assert period("due_on", written, SUNDAY) == meant


@pytest.mark.parametrize(
    "written",
    ["", "week", "next", "this 3 weeks", "2026-13", "2026-Q5", "2026-12/2026-11", "2026-11/", "2026/2027/2028"],
)
def test_what_is_no_period_is_refused(written: str) -> None:
    with pytest.raises(InvalidArguments, match="due_on"):
        period("due_on", written, SUNDAY)
