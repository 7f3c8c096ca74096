"""Reads the days that a text says, in whatever notation."""

import re
from datetime import date
from itertools import chain
from typing import Final

from bridge.text.fold import fold_word

DAY: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
"""A day or a month as terms have it."""

MONTH_CHARS: Final = len("2002-09")
MAX_MONTH: Final = 12

_MONTHS: Final = {
    start: month
    for month, starts in enumerate(
        (
            "jan gen ene ian янв січ ιαν oca sty led",
            "feb fev фев лют φεβ sub lut uno",
            "mar maa мар бер μαρ brez",
            "apr abr avr апр кві απρ nis kwi dub",
            "may mai maj mag mei май тра μαι kve",
            "jun juin giu iun июн чер ιουν haz cze cerv",
            "jul juil lug iul июл лип ιουλ tem lip cervence",
            "aug ago agu aou авг сер αυγ sie srp",
            "sep set сеп сен вер σεπ eyl wrz zar",
            "oct okt ott out окт жов οκτ eki paz rij",
            "nov noi ноя ное лис νοε kas lis",
            "dec dez dic des дек гру δεκ ara gru pro",
        ),
        start=1,
    )
    for start in starts.split()
}
"""How the names of months begin, folded, in European languages, Turkish and Indonesian."""

_WORD: Final = r"[^\W\d_]{3,12}"
_DAYS: Final = tuple(
    re.compile(rf"(?<![\d-]){pattern}(?!\d)")
    for pattern in (
        r"(?P<y>\d{4})(?:[-./]|\s?[年년]\s?)(?P<m>\d{1,2})(?:[-./]|\s?[月월]\s?)(?P<d>\d{1,2})(?!\d)[日일号號]?",
        r"(?P<d>\d{1,2})(?P<sign>[-./])\s?(?P<m>\d{1,2})(?P=sign)\s?(?P<y>\d{4})",
        (
            r"(?P<d>\d{1,2})(?:\.|º|[^\W\d_]{1,2})?\s(?:(?:of|de|di|tháng)\s|d[’'])?"
            rf"(?P<m>{_WORD}|\d{{1,2}})[.,]*\s(?:(?:del?|năm)\s)?(?P<y>\d{{4}})"
        ),
        rf"(?<![^\W\d_])(?P<m>{_WORD})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[.,]*\s(?P<y>\d{{4}})",
        rf"(?P<y>\d{{4}})[.,]?\s(?P<m>{_WORD})\.?\s(?P<d>\d{{1,2}})",
    )
)
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


def _read_month(found: re.Match[str]) -> str | None:
    month = _month_of(found["m"] or found["n"])
    return f"{found['y']}-{month:02}" if 1 <= month <= MAX_MONTH else None


def _read(found: re.Match[str]) -> list[str]:
    year, month, day = int(found["y"]), _month_of(found["m"]), int(found["d"])
    pairs = {(month, day), (day, month)} if "sign" in found.groupdict() else {(month, day)}
    return [*filter(None, (_say_day(year, *pair) for pair in pairs))]


def _month_of(written: str) -> int:
    if written.isdecimal():
        return int(written)
    folded = fold_word(written)
    return max(((len(start), month) for start, month in _MONTHS.items() if folded.startswith(start)), default=(0, 0))[1]


def _say_day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
