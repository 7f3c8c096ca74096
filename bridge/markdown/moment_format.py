"""Moment.js formats, in which Obsidian's settings and templates write dates, and filling in its own templates."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from bridge.errors import InvalidArguments
from bridge.records import Record

_TOKEN: Final = re.compile(
    r"\[[^\[]*\]|\\?(?:[Hh]mm(?:ss)?|Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do?|w[ow]?|W[oW]?|Qo?|N{1,5}|YYYYYY|YYYYY|YYYY|YY"
    r"|y{2,4}|yo?|gg(?:ggg?)?|GG(?:GGG?)?|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?|LTS|LT|LL?L?L?|l{1,4}|.)"
)
_LONG_FORMATS: Final = {
    "LTS": "h:mm:ss A",
    "LT": "h:mm A",
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "l": "M/D/YYYY",
    "ll": "MMM D, YYYY",
    "lll": "MMM D, YYYY h:mm A",
    "llll": "ddd, MMM D, YYYY h:mm A",
}
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
# Names of eras and of time zones are unknown here; they are rejected, not guessed.
_REFUSED_TOKEN: Final = re.compile(r"N+|z+")


def format_moment(pattern: str, when: datetime) -> str:
    """Format a moment as Moment.js does with an English locale."""
    return "".join(_format_token(token, when) for token in _TOKEN.findall(pattern))


def _format_token(token: str, when: datetime) -> str:
    if token.startswith("[") and len(token) > 1:
        return token[1:-1]
    if token in _LONG_FORMATS:
        return format_moment(_LONG_FORMATS[token], when)
    if _REFUSED_TOKEN.fullmatch(token):
        raise InvalidArguments(
            f"The date format has `{token}`, which is not supported.",
            hint="Change the format in Obsidian's settings; put words into brackets: `[Journal] YYYY-MM-DD`.",
        )
    write = _TOKENS.get(token)
    return write(when) if write else token.replace("\\", "")


def _ordinal(number: int) -> str:
    tens = number // 10 % 10
    return f"{number}{'th' if tens == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _weekday(when: datetime) -> int:
    return when.isoweekday() % 7


def _week(when: datetime) -> tuple[int, int]:
    """Return the year and week in the English convention: weeks start on Sunday, the first holds January 1."""
    saturday = when + timedelta(days=6 - _weekday(when))
    return saturday.year, (saturday.timetuple().tm_yday - 1) // 7 + 1


def _offset(when: datetime, between: str) -> str:
    minutes = round((when.utcoffset() or timedelta()).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{between}{abs(minutes) % 60:02}"


def _twelve_hour(when: datetime) -> int:
    return when.hour % 12 or 12


def _year(width: int) -> Callable[[datetime], str]:
    return lambda when: f"{when.year:0{width}}"


def _fraction(digits: int) -> Callable[[datetime], str]:
    """Return a formatter for fractions of a second; Moment.js has milliseconds."""
    return lambda when: f"{when.microsecond // 1000:03}000000"[:digits]


_TOKENS: Final[dict[str, Callable[[datetime], str]]] = {
    "YYYYYY": lambda when: f"+{when.year:06}",
    "YYYYY": lambda when: f"{when.year:05}",
    "YYYY": lambda when: f"{when.year:04}",
    "YY": lambda when: f"{when.year % 100:02}",
    "Y": lambda when: f"{when.year:04}",
    **{"y" * width: _year(width) for width in range(1, 5)},
    "yo": lambda when: _ordinal(when.year),
    "Q": lambda when: f"{(when.month + 2) // 3}",
    "Qo": lambda when: _ordinal((when.month + 2) // 3),
    "MMMM": lambda when: _MONTHS[when.month - 1],
    "MMM": lambda when: _MONTHS[when.month - 1][:3],
    "MM": lambda when: f"{when.month:02}",
    "Mo": lambda when: _ordinal(when.month),
    "M": lambda when: f"{when.month}",
    "DDDD": lambda when: f"{when.timetuple().tm_yday:03}",
    "DDDo": lambda when: _ordinal(when.timetuple().tm_yday),
    "DDD": lambda when: f"{when.timetuple().tm_yday}",
    "DD": lambda when: f"{when.day:02}",
    "Do": lambda when: _ordinal(when.day),
    "D": lambda when: f"{when.day}",
    "dddd": lambda when: _DAYS[_weekday(when)],
    "ddd": lambda when: _DAYS[_weekday(when)][:3],
    "dd": lambda when: _DAYS[_weekday(when)][:2],
    "do": lambda when: _ordinal(_weekday(when)),
    "d": lambda when: f"{_weekday(when)}",
    "e": lambda when: f"{_weekday(when)}",
    "E": lambda when: f"{when.isoweekday()}",
    "GGGGG": lambda when: f"{when.isocalendar().year:05}",
    "GGGG": lambda when: f"{when.isocalendar().year:04}",
    "GG": lambda when: f"{when.isocalendar().year % 100:02}",
    "WW": lambda when: f"{when.isocalendar().week:02}",
    "Wo": lambda when: _ordinal(when.isocalendar().week),
    "W": lambda when: f"{when.isocalendar().week}",
    "ggggg": lambda when: f"{_week(when)[0]:05}",
    "gggg": lambda when: f"{_week(when)[0]:04}",
    "gg": lambda when: f"{_week(when)[0] % 100:02}",
    "ww": lambda when: f"{_week(when)[1]:02}",
    "wo": lambda when: _ordinal(_week(when)[1]),
    "w": lambda when: f"{_week(when)[1]}",
    "HH": lambda when: f"{when.hour:02}",
    "H": lambda when: f"{when.hour}",
    "hh": lambda when: f"{_twelve_hour(when):02}",
    "h": lambda when: f"{_twelve_hour(when)}",
    "kk": lambda when: f"{when.hour or 24:02}",
    "k": lambda when: f"{when.hour or 24}",
    "Hmm": lambda when: f"{when.hour}{when.minute:02}",
    "Hmmss": lambda when: f"{when.hour}{when.minute:02}{when.second:02}",
    "hmm": lambda when: f"{_twelve_hour(when)}{when.minute:02}",
    "hmmss": lambda when: f"{_twelve_hour(when)}{when.minute:02}{when.second:02}",
    "mm": lambda when: f"{when.minute:02}",
    "m": lambda when: f"{when.minute}",
    "ss": lambda when: f"{when.second:02}",
    "s": lambda when: f"{when.second}",
    **{"S" * digits: _fraction(digits) for digits in range(1, 10)},
    "A": lambda when: "AM" if when.hour < 12 else "PM",
    "a": lambda when: "am" if when.hour < 12 else "pm",
    "ZZ": lambda when: _offset(when, ""),
    "Z": lambda when: _offset(when, ":"),
    "X": lambda when: f"{int(when.timestamp())}",
    "x": lambda when: f"{int(when.timestamp() * 1000)}",
}


_FIELD: Final = re.compile(r"\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}", re.IGNORECASE)
_OTHER_FIELD: Final = re.compile(r"\{\{[^{}\r\n]*\}\}")


class FilledTemplate(Record):
    """A template's text with its fields filled in, and the fields left as they were."""

    text: str
    warnings: tuple[str, ...] = ()


def fill_template(
    text: str, title: str, when: datetime, *, date_format: str = "YYYY-MM-DD", time_format: str = "HH:mm"
) -> FilledTemplate:
    def value(field: re.Match[str]) -> str:
        name, pattern = field[1].lower(), (field[2] or "").strip()
        if name == "title":
            return title
        return format_moment(pattern or (date_format if name == "date" else time_format), when)

    warnings = []
    if "<%" in text:
        warnings.append("The template has commands of Templater (`<% … %>`); they are not executed and stay.")
    others = dict.fromkeys(found for found in _OTHER_FIELD.findall(text) if not _FIELD.fullmatch(found))
    if others:
        shown = ", ".join(f"`{each[:40]}`" for each in list(others)[:5])
        warnings.append(f"The template has fields that are not Obsidian's own; they stay: {shown}.")
    return FilledTemplate(_FIELD.sub(value, text), tuple(warnings))
