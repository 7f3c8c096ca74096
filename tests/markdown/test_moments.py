"""Moment.js formats, compared with what Moment.js 2.29 writes in English."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidArguments
from bridge.markdown.moment_format import format_moment

WHEN = datetime(2026, 1, 5, 0, 7, 9, 45_678, tzinfo=timezone(-timedelta(hours=3, minutes=30)))


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("YYYY-MM-DD", "2026-01-05"),
        ("YY Y YYYYY YYYYYY", "26 2026 02026 +002026"),
        ("y yy yyy yyyy yo", "2026 2026 2026 2026 2026th"),
        ("Daily", "5ami1/5/20262026"),
        ("Q Qo", "1 1st"),
        ("M Mo MM MMM MMMM", "1 1st 01 Jan January"),
        ("D Do DD DDD DDDo DDDD", "5 5th 05 5 5th 005"),
        ("d do dd ddd dddd e E", "1 1st Mo Mon Monday 1 1"),
        ("w wo ww gg gggg ggggg", "2 2nd 02 26 2026 02026"),
        ("W Wo WW GG GGGG GGGGG", "2 2nd 02 26 2026 02026"),
        ("H HH h hh k kk", "0 00 12 12 24 24"),
        ("m mm s ss S SS SSS SSSSSSSSS", "7 07 9 09 0 04 045 045000000"),
        ("a A Hmm Hmmss hmm hmmss", "am AM 007 00709 1207 120709"),
        ("Z ZZ", "-03:30 -0330"),
        ("X x", "1767584229 1767584229045"),
        ("LT LTS", "12:07 AM 12:07:09 AM"),
        ("L LL LLL", "01/05/2026 January 5, 2026 January 5, 2026 12:07 AM"),
        ("LLLL", "Monday, January 5, 2026 12:07 AM"),
        ("l ll lll", "1/5/2026 Jan 5, 2026 Jan 5, 2026 12:07 AM"),
        ("llll", "Mon, Jan 5, 2026 12:07 AM"),
        ("[Week] ww [of] gggg", "Week 02 of 2026"),
        ("[a]b[c", "ab[c"),
        ("[] [[]", " ["),
        (r"\D \[D] \\", "D [5] "),
        ("YYYY年MM月DD日 🥖", "2026年01月05日 🥖"),
        ("b-f/j\n", "b-f/j"),
        ("", ""),
    ],
)
def test_every_token_is_written_as_moment_writes_it(pattern: str, written: str) -> None:
    assert format_moment(pattern, WHEN) == written


@pytest.mark.parametrize("pattern", ["z", "zz", "NNNN", "YYYY [N] N"])
def test_eras_and_zones_by_name_are_refused(pattern: str) -> None:
    with pytest.raises(InvalidArguments, match="not supported"):
        format_moment(pattern, WHEN)


@pytest.mark.parametrize(
    ("day", "iso", "english"),
    [
        ("2023-12-31", "2023-52", "2024-01"),
        ("2024-01-01", "2024-01", "2024-01"),
        ("2021-01-01", "2020-53", "2021-01"),
        ("2022-12-31", "2022-52", "2022-53"),
        ("2024-12-30", "2025-01", "2025-01"),
    ],
)
def test_weeks_at_the_turn_of_the_year(day: str, iso: str, english: str) -> None:
    assert format_moment("GGGG-WW gggg-ww", datetime.fromisoformat(day)) == f"{iso} {english}"


@pytest.mark.parametrize(
    ("day", "written"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (30, "30th"),
    ],
)
def test_ordinals(day: int, written: str) -> None:
    assert format_moment("Do", datetime(2026, 1, day)) == written  # noqa: DTZ001


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1)))  # noqa: DTZ001
def test_any_day_is_the_calendar_s(when: datetime) -> None:
    assert format_moment("YYYY-MM-DD HH:mm:ss dddd D MMMM DDDD GGGG WW", when) == (
        f"{when:%Y-%m-%d %H:%M:%S %A} {when.day} {when:%B %j %G %V}"
    )
