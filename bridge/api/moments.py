"""Parses and writes the times and days of callers."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Final

from bridge.api.hints import Period, When
from bridge.errors import InvalidArguments
from bridge.types import Day

TIMES: Final = "`2026-01-31`, `2026-01-31T09:30`, `2026-01`, `today`, `last week`, `3 days ago` or `monday`"
DAYS: Final = "`2026-01-31`, `today`, `tomorrow`, `in 3 days` or `friday`"
PERIODS: Final = "`2026-01-31`, `2026-01`, `2026-W05`, `2026-Q1`, `today`, `this week` or `next month`"
RANGES: Final = f"`2026-01-05/2026-02-10`, {PERIODS}"
"""Examples of accepted forms, for messages."""

_DAYS: Final = {"today": 0, "yesterday": -1, "tomorrow": 1}
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_SPAN: Final = re.compile(
    r"(?:(last|past|next|in|this) )?(?:(\d{1,4}|an?|one) )?(day|week|month|quarter|year)s?( ago)?"
)
_NAMED_PERIOD: Final = re.compile(r"(?:(last|next|this|on) )?([a-z]{3,9})(?: (\d{4}))?")
_PART: Final = re.compile(r"(\d{4})(?:-(\d\d)|-?q([1-4]))?")
_WEEK: Final = re.compile(r"\d{4}-?w\d\d")
_MONTHS_OF: Final = {"month": 1, "quarter": 3, "year": 12}


def moment(name: str, written: When | None) -> float | None:
    """Parse a time as seconds since 1970; a day or calendar period means its first local midnight."""
    if written is None:
        return None
    with refuse_others(name, written, TIMES):
        return read_date(written, datetime.now().astimezone()).astimezone().timestamp()


def day(name: str, written: str, now: datetime | None = None) -> Day:
    """Parse one day; a weekday lies ahead."""
    with refuse_others(name, written, DAYS):
        first, last = read_period(written, now or datetime.now().astimezone())
    if first != last:
        raise InvalidArguments(
            f'`{name}` must be one day such as {DAYS}; "{written[:40]}" is {first.isoformat()} to {last.isoformat()}.'
        )
    return Day(first.isoformat())


def first_day(name: str, written: str, now: datetime | None = None) -> Day:
    """Parse a day, or the first day of a period; weekdays and periods lie ahead."""
    with refuse_others(name, written, PERIODS):
        return Day(read_date(written, now or datetime.now().astimezone(), ahead=True).astimezone().date().isoformat())


def period(name: str, written: str | None, now: datetime | None = None) -> Period | None:
    """Parse a day or period, or two with a slash between, as first and last day; weekdays and periods lie ahead."""
    if written is None:
        return None
    with refuse_others(name, written, RANGES):
        ends = [read_period(end, now or datetime.now().astimezone()) for end in written.split("/", 1)]
        first, last = ends[0][0], ends[-1][1]
        if first > last:
            raise ValueError
    return Period(f"{first.isoformat()}/{last.isoformat()}")


@contextmanager
def refuse_others(name: str, written: str, forms: str) -> Generator[None, None, None]:
    """Say which forms an argument may have where it has none of them."""
    try:
        yield
    except (ValueError, OverflowError, OSError):
        raise InvalidArguments(f'`{name}` must be a date such as {forms}, not "{written[:40]}".') from None


def read_date(written: str, now: datetime, *, ahead: bool = False) -> datetime:
    """Parse a time; without a zone it is local."""
    text = " ".join(written.casefold().split())
    today = now.astimezone().date()
    if text == "now":
        return now
    if text in _DAYS:
        # By the calendar: a day is not always 24 hours long.
        return midnight(today + timedelta(days=_DAYS[text]))
    if found := _PART.fullmatch(text):
        month = int(found[2] or 3 * int(found[3] or 1) - 2)
        return datetime(int(found[1]), month, 1)  # noqa: DTZ001  # local, as all without a zone
    if found := _SPAN.fullmatch(text):
        return midnight(resolve_span(found, today, ahead=ahead))
    if found := _NAMED_PERIOD.fullmatch(text):
        return midnight(resolve_name(found, today, ahead=ahead))
    return datetime.fromisoformat(text.upper())


def read_period(written: str, now: datetime) -> tuple[date, date]:
    day = read_date(written, now, ahead=True).astimezone().date()
    text = " ".join(written.casefold().split())
    unit = "day"
    if _WEEK.fullmatch(text):
        unit = "week"
    elif found := _PART.fullmatch(text):
        unit = "month" if found[2] else "quarter" if found[3] else "year"
    elif found := _SPAN.fullmatch(text):
        word, count = found[1], found[2]
        if word == "past" or (word in {"last", "next"} and count):
            today = now.astimezone().date()
            return min(day, today), max(day, today)
        unit = found[3] if word in {"last", "this", "next"} else "day"
    elif (found := _NAMED_PERIOD.fullmatch(text)) and name_index(found[2], _MONTHS) is not None:
        unit = "month"
    if unit == "day":
        return day, day
    first = start_of_unit(day, unit)
    return first, shift_date(first, 1, unit) - timedelta(days=1)


def start_of_unit(day: date, unit: str) -> date:
    if unit in {"day", "week"}:
        return day - timedelta(days=day.weekday() if unit == "week" else 0)
    return day.replace(month=day.month - (day.month - 1) % _MONTHS_OF[unit], day=1)


def resolve_span(found: re.Match[str], today: date, *, ahead: bool) -> date:
    """Return the day a period away, or the first day of a calendar period: `next week` is a Monday."""
    word, count, unit, ago = found.groups()
    if (ago and word) or (word == "this" and count) or not (word or count):
        raise ValueError
    if word in {"last", "this", "next"} and not count:
        first = start_of_unit(today, unit)
        return first if word == "this" else shift_date(first, 1 if word == "next" else -1, unit)
    later = not ago and (word in {"next", "in"} or (ahead and word is None))
    number = int(count) if (count or "").isdecimal() else 1
    return shift_date(today, number if later else -number, unit)


def shift_date(today: date, number: int, unit: str) -> date:
    """Return the day some days, weeks, months, quarters or years away, clamped to the end of a shorter month."""
    if unit in {"day", "week"}:
        return today + timedelta(days=number * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 + number * _MONTHS_OF[unit]
    year, month = divmod(months, 12)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(days=today.day - 1), following - timedelta(days=1))


def resolve_name(found: re.Match[str], today: date, *, ahead: bool) -> date:
    word, name, year = found.groups()
    ahead = word == "next" or (ahead and word != "last")
    weekday = name_index(name, _WEEKDAYS)
    if weekday is not None and not year:
        away = (weekday - today.weekday()) % 7 if ahead else -((today.weekday() - weekday) % 7)
        return today + timedelta(days=away or {"next": 7, "last": -7}.get(word, 0))
    month = name_index(name, _MONTHS)
    if month is None or word == "on":
        raise ValueError
    first = date(int(year) if year else today.year, month + 1, 1)
    if year or word == "this":
        return first
    here, firsts = today.replace(day=1), [shift_date(first, years, "year") for years in (-1, 0, 1)]
    if ahead:
        return next(each for each in firsts if each > here or (each == here and word != "next"))
    return next(each for each in reversed(firsts) if each < here or (each == here and word != "last"))


def name_index(name: str, names: tuple[str, ...]) -> int | None:
    return next((at for at, known in enumerate(names) if name in {known, known[:3]}), None)


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  # local, as all without a zone


def iso(seconds: float) -> str:
    """Format a time in local ISO 8601, to the second."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
