"""Reads the days that a text says, in whatever notation."""

import re
from collections.abc import Iterable
from datetime import date
from itertools import chain
from typing import Final

from rapidfuzz.distance import Prefix

from bridge.text.fold import fold_word
from bridge.text.word_lists import words_by_language

DAY: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
"""A day or a month as terms have it."""

MONTH_CHARS: Final = len("2002-09")
MAX_MONTH: Final = 12

_MONTHS: Final = {name: int(month) for month, names in words_by_language("month").items() for name in names.split()}
"""The names of months as days have them, folded, in European languages, Turkish and Indonesian."""

MIN_MONTH_CHARS: Final = 3
"""Letters from which the beginning of a word, such as `Sept.`, tells a month."""

_WORD: Final = r"[^\W\d_]{3,12}"
_DAY_FIRST: Final = (
    r"(?P<d>\d{1,2})(?:\.|º|[^\W\d_]{1,2})?\s(?:(?:of|de|di|tháng)\s|d[’'])?" rf"(?P<m>{_WORD}|\d{{1,2}})"
)
_MONTH_FIRST: Final = rf"(?<![^\W\d_])(?P<m>{_WORD})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?"
_DAYS: Final = tuple(
    re.compile(rf"(?<![\d-]){pattern}(?!\d)")
    for pattern in (
        r"(?P<y>\d{4})(?:[-./]|\s?[年년]\s?)(?P<m>\d{1,2})(?:[-./]|\s?[月월]\s?)(?P<d>\d{1,2})(?!\d)[日일号號]?",
        r"(?P<d>\d{1,2})(?P<sign>[-./])\s?(?P<m>\d{1,2})(?P=sign)\s?(?P<y>\d{4})",
        rf"{_DAY_FIRST}[.,]*\s(?:(?:del?|năm)\s)?(?P<y>\d{{4}})",
        rf"{_MONTH_FIRST}[.,]*\s(?P<y>\d{{4}})",
        rf"(?P<y>\d{{4}})[.,]?\s(?P<m>{_WORD})\.?\s(?P<d>\d{{1,2}})",
    )
)
_DAYS_OF_ANY_YEAR: Final = tuple(
    re.compile(rf"(?<![\w-]){pattern}")
    for pattern in (
        rf"(?:[Nn]gày\s)?{_DAY_FIRST}(?!\w)(?:[’']\w+)?",
        rf"{_MONTH_FIRST}(?![\w:]|[.,]\d)",
        r"(?P<m>\d{1,2})(?:月|월\s?)(?P<d>\d{1,2})(?:[日号號]|일[에은는의]?)",
    )
)
"""A day without its year: then only the whole name of a month tells."""

_MONTHS_OF_YEARS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d-])(?P<y>\d{4})(?:-(?P<m>\d\d)(?![\d-])|\s?[年년]\s?(?P<n>\d{1,2})\s?[月월])",
        (
            r"(?:[(:,]\s?|\b(?:in|im|i|en|em|nel|a|ad|à|di|de|da|du|del|of|from|since|during|until|seit|bis|w|v|ve|в|во|през)\s"
            rf"|\bd['’])(?P<m>{_WORD})\.?,?\s(?:del?\s|of\s)?(?P<y>\d{{4}})(?!\d)"
        ),
    )
)
"""A month and its year without a day; a word such as *Marathon* is a month only behind a preposition."""

_YEAR: Final = re.compile(r"\d{4}")


def days_in(text: str) -> frozenset[str]:
    """Return the days that a text says, as in `2002-09-26`, and their months, as in `2002-09`.

    Of a notation such as `8/3/2002`, both days are returned that it may be.
    """
    if _YEAR.search(text) is None:
        return frozenset()
    days = [*chain.from_iterable(map(_read, chain.from_iterable(one.finditer(text) for one in _DAYS)))]
    months = map(_read_month, chain.from_iterable(one.finditer(text) for one in _MONTHS_OF_YEARS))
    return frozenset([*days, *(day[:MONTH_CHARS] for day in days), *filter(None, months)])


def asked_days(question: str) -> frozenset[str]:
    """Return the days that a question says, or if it says none the months."""
    return full_days(question) or days_in(question)


def full_days(text: str) -> frozenset[str]:
    return frozenset(one for one in days_in(text) if len(one) > MONTH_CHARS)


def cut_days(text: str, *, months: bool = False) -> str:
    """Return a text without the days that it says, or without days and months."""
    if _YEAR.search(text) is None:
        return text
    for one in _DAYS:
        text = one.sub(lambda found: " " if _read(found) else found[0], text)
    for one in _MONTHS_OF_YEARS if months else ():
        text = one.sub(lambda found: " " if _read_month(found) else found[0], text)
    return text


def add_years(text: str, names: Iterable[str]) -> str:
    """Return a text with the year of a day that it says without one: the last of those in which a name says it."""
    said = {one[0]: one for pattern in _DAYS_OF_ANY_YEAR for one in pattern.finditer(text)}
    ends = {
        written: f"-{month:02}-{int(one['d']):02}" for written, one in said.items() if (month := _name_month(one["m"]))
    }
    known = frozenset[str]().union(*map(full_days, names)) if ends and not full_days(text) else ()
    for written, end in ends.items():
        if days := [day for day in known if day.endswith(end)]:
            text = text.replace(written, f" {max(days)} ")
    return text


def _read_month(found: re.Match[str]) -> str | None:
    month = _month_of(found["m"] or found["n"])
    return f"{found['y']}-{month:02}" if 1 <= month <= MAX_MONTH else None


def _read(found: re.Match[str]) -> list[str]:
    year, month, day = int(found["y"]), _month_of(found["m"]), int(found["d"])
    pairs = {(month, day), (day, month)} if "sign" in found.groupdict() else {(month, day)}
    return [*filter(None, (_say_day(year, *pair) for pair in pairs))]


def _name_month(written: str) -> int:
    return int(written) if written.isdecimal() else _MONTHS.get(fold_word(written), 0)


def _month_of(written: str) -> int:
    if month := _name_month(written):
        return month
    folded = fold_word(written)
    chars, month = max((Prefix.similarity(folded, name), month) for name, month in _MONTHS.items())
    return month if chars >= MIN_MONTH_CHARS else 0


def _say_day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
