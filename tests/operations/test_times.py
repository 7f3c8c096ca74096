"""Moments as callers write them."""

import os
import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from bridge.errors import InvalidArguments
from bridge.operations.hints import When
from bridge.operations.times import iso, moment


@pytest.fixture(autouse=True)
def _far_from_greenwich() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kolkata"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
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
    "written", ["", "yesterday", "2026-13-01", "31.1.2026", "0001-01-01", "9999-12-31T23:59:59-23:00"]
)
def test_what_is_no_moment_is_refused(written: str) -> None:
    with pytest.raises(InvalidArguments, match="modified_after"):
        moment("modified_after", When(written))


def test_no_moment_is_none() -> None:
    assert moment("modified_after", None) is None


def test_a_moment_is_written_in_local_time() -> None:
    assert iso(0.0) == "1970-01-01T05:30:00+05:30"
