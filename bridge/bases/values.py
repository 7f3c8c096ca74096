"""The values of expressions, and what JavaScript's operators make of them."""

import math
import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final

from bridge.errors import InvalidArguments
from bridge.records import Record
from bridge.text.fold import fold_case, listing_key

Result = Any
"""None, bool, int, float, str, list, dict, or one of the classes here."""

MAX_TEXT_CHARS: Final = 1_000_000
MAX_LIST_ITEMS: Final = 100_000
MAX_VALUE_SIZE: Final = 10_000_000
"""Size of a list or object with all that is in it, as `size_of` counts."""

MAX_VALUE_DEPTH: Final = 60
"""Lists and objects inside each other, so that each can be walked."""

_ITEM_SIZE: Final = 20
"""Size of an item itself; the characters of a text are added."""

_PLAIN_TYPES: Final = frozenset({bool, int, float, str})
_NESTED_TYPES: Final = frozenset({list, dict})

_MAX_INTEGER: Final = 2**53
_DATE: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?(Z|[+-]\d\d:?\d\d)?)?"
)
_DURATION: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")
MONTH_MS: Final = 365.25 / 12 * 86_400_000
UNITS_OF_DURATION: Final[Mapping[str, int]] = {
    "days": 86_400_000,
    "hours": 3_600_000,
    "minutes": 60_000,
    "seconds": 1_000,
    "milliseconds": 1,
}
"""The fields of a duration, which is as long as so many of each."""

_UNITS: Final[Mapping[str, tuple[str, float]]] = {
    **dict.fromkeys(("y", "year", "years"), ("months", 12)),
    **dict.fromkeys(("M", "month", "months"), ("months", 1)),
    **dict.fromkeys(("w", "week", "weeks"), ("ms", 7 * 86_400_000)),
    **dict.fromkeys(("d", "day", "days"), ("ms", 86_400_000)),
    **dict.fromkeys(("h", "hour", "hours"), ("ms", 3_600_000)),
    **dict.fromkeys(("m", "minute", "minutes"), ("ms", 60_000)),
    **dict.fromkeys(("s", "second", "seconds"), ("ms", 1_000)),
}


class Date(Record):
    """A moment in local time, or a day."""

    moment: datetime
    has_time: bool = True

    @property
    def ms(self) -> float:
        """Milliseconds since the epoch."""
        return self.moment.timestamp() * 1000

    def __str__(self) -> str:
        return f"{self.moment:%Y-%m-%dT%H:%M:%S}" if self.has_time else f"{self.moment:%Y-%m-%d}"


class Duration(Record):
    """A span of time: months of different lengths, and milliseconds; as a number it is all of it in milliseconds."""

    months: float
    ms: float

    @property
    def total(self) -> float:
        """All of it in milliseconds, with months of the mean length."""
        return self.months * MONTH_MS + self.ms

    def __bool__(self) -> bool:
        return self.total != 0

    def times(self, factor: float) -> "Duration":
        return Duration(self.months * factor, self.ms * factor)


class LinkValue(Record):
    """A link; `path` is the file that it leads to, if any."""

    target: str
    shown: str | None
    path: str | None

    def __str__(self) -> str:
        return f"[[{self.target}|{self.shown}]]" if self.shown else f"[[{self.target}]]"


class FileValue(Record):
    """A file of the vault."""

    path: str

    def __str__(self) -> str:
        return self.path


class Items(list[Any]):
    """A list that knows how much is in it: one that holds itself again and again is refused when it is built."""

    __slots__ = ("depth", "size")
    size: int
    depth: int


class Entries(dict[str, Any]):
    """An object that knows how much is in it, as `Items` does."""

    __slots__ = ("depth", "size")
    size: int
    depth: int


class TagValue(str):
    """A tag with its `#`, which equals the same tag without it, in any case."""

    __slots__ = ()


class RegExp(Record):
    """A regular expression."""

    pattern: str
    flags: str


_TYPE_NAMES: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    TagValue: "string",
    list: "list",
    Items: "list",
    dict: "object",
    Entries: "object",
    Date: "date",
    Duration: "duration",
    LinkValue: "link",
    FileValue: "file",
    RegExp: "regexp",
}


def parse_date(text: str) -> Date | None:
    """Return the day or moment that a text is, in local time; one without an offset is local."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        zone = datetime.strptime(found[8], "%z").tzinfo if found[8] else None
        micros = int((found[7] or "0").ljust(6, "0"))
        moment = datetime(year, month, day, hour, minute, second, micros, zone).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
    return Date(moment, found[4] is not None)


def parse_duration(text: str) -> Duration | None:
    """Return the duration that a text is, such as `1 day` or `-2h`; None if it is none."""
    found = _DURATION.fullmatch(text)
    unit = _UNITS.get(found[2]) if found else None
    if found is None or unit is None:
        return None
    count = float(found[1]) * unit[1]
    return Duration(count, 0) if unit[0] == "months" else Duration(0, count)


def shift_date(date: Date, span: Duration) -> Date:
    """Return a date so much later; a day that its month does not have becomes its last."""
    try:
        moment = date.moment
        if span.months:
            months = moment.year * 12 + moment.month - 1 + round(span.months)
            year, month = divmod(months, 12)
            last = monthrange(year, month + 1)[1]
            moment = moment.replace(year=year, month=month + 1, day=min(moment.day, last))
        moved = (moment.replace(tzinfo=None) + timedelta(milliseconds=span.ms)).astimezone()
    except (ValueError, OverflowError, OSError):
        raise InvalidArguments("A date is too far away.") from None
    return Date(moved, date.has_time or span.ms % 86_400_000 != 0)


def measure(value: list[Result] | dict[str, Result]) -> Items | Entries:
    """Return a list or object as one that knows how much is in it."""
    if isinstance(value, Items | Entries):
        return value
    found: Items | Entries
    if isinstance(value, list):
        check_items(len(value))
        found = Items(value)
        if any(type(item) in _NESTED_TYPES for item in value):
            found[:] = [measure(item) if type(item) in _NESTED_TYPES else item for item in value]
        inside: Iterable[Result] = found
    else:
        found = Entries({name: measure(item) if type(item) in _NESTED_TYPES else item for name, item in value.items()})
        inside = chain(found, found.values())
    size, depth = 0, 0
    for item in inside:
        kind = type(item)
        if kind is str:
            size += len(item) if item.isascii() else 4 * len(item)
        elif kind is Items or kind is Entries:
            size += item.size
            depth = max(depth, item.depth)
        else:
            size += size_of(item)
    size += _ITEM_SIZE * len(found)
    if size > MAX_VALUE_SIZE:
        raise InvalidArguments("A list in the expression becomes too large.")
    if depth >= MAX_VALUE_DEPTH:
        raise InvalidArguments("A list in the expression is nested too deeply.")
    found.size, found.depth = size, depth + 1
    return found


def size_of(value: Result) -> int:
    """Return how much a value holds: about the bytes of all texts in it, in constant time if it was measured."""
    if isinstance(value, str):
        return len(value) if value.isascii() else 4 * len(value)
    if isinstance(value, Items | Entries):
        return value.size
    if isinstance(value, LinkValue):
        return len(value.target) + len(value.shown or "")
    return len(value.pattern) if isinstance(value, RegExp) else 0


def check_length(length: int) -> None:
    """Require that a text is not too long, before it is made."""
    if length > MAX_TEXT_CHARS:
        raise InvalidArguments("A text in the expression becomes too long.")


def check_items(count: int) -> None:
    """Require that a list is not too long, before it is made."""
    if count > MAX_LIST_ITEMS:
        raise InvalidArguments("A list in the expression becomes too long.")


def join(values: Iterable[Result], between: str) -> str:
    parts: list[str] = []
    length = 0
    for value in values:
        parts.append(text_of(value))
        length += len(parts[-1]) + len(between)
        check_length(length - len(between))
    return between.join(parts)


def is_truthy(value: Result) -> bool:
    """Return whether a value counts as true, as in JavaScript; an empty list does not."""
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value) if isinstance(value, bool | int | float | str | list | dict | Duration | None) else True


def is_empty(value: Result) -> bool:
    return value is None or value in ("", [], {})


def type_of(value: Result) -> str:
    return _TYPE_NAMES[type(value)]


def text_of(value: Result) -> str:  # noqa: PLR0911 - one kind of value, one line
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case list():
            return join(value, ", ")
        case dict():
            return join((f"{name}: {text_of(item)}" for name, item in value.items()), ", ")
        case RegExp():
            return f"/{value.pattern}/{value.flags}"
        case Duration():
            return text_of(value.total)
        case _:
            return str(value)


def equal(one: Result, other: Result) -> bool:  # noqa: PLR0911 - one kind of value, one line
    """Return whether two values are equal: links by the file they lead to, dates also with texts that are dates."""
    if type(one) is type(other) and type(one) in _PLAIN_TYPES:
        return bool(one == other)
    if isinstance(one, TagValue) or isinstance(other, TagValue):
        return not isinstance(one, list | dict) and not isinstance(other, list | dict) and _same_tag(one, other)
    one, other = as_number(one), as_number(other)
    match one, other:
        case (Date(), Date()):
            return bool(one.ms == other.ms)
        case (Date(), str()) | (str(), Date()):
            date, text = (one, other) if isinstance(one, Date) else (other, one)
            parsed = parse_date(text)
            return parsed is not None and parsed.ms == date.ms
        case (LinkValue() | FileValue(), LinkValue() | FileValue()):
            if one.path is not None or other.path is not None:
                return bool(one.path == other.path)
            return bool(one.target.casefold() == other.target.casefold())
        case (LinkValue(), str()) | (str(), LinkValue()):
            link, text = (one, other) if isinstance(one, LinkValue) else (other, one)
            return text in (link.target, str(link))
        case (list(), list()):
            return len(one) == len(other) and all(map(equal, one, other))
        case (bool(), _) | (_, bool()):
            return one is other
        case _:
            return type_of(one) == type_of(other) and bool(one == other)


def _same_tag(one: Result, other: Result) -> bool:
    names = (text_of(one).removeprefix("#"), text_of(other).removeprefix("#"))
    return fold_case(names[0]) == fold_case(names[1])


def compare(one: Result, other: Result) -> int | None:
    if isinstance(one, Date) and isinstance(other, str):
        other = parse_date(other)
    if isinstance(one, Duration) and isinstance(other, str):
        other = parse_duration(other)
    if isinstance(other, Duration) and isinstance(one, str):
        one = parse_duration(one)
    one, other = as_number(one), as_number(other)
    if isinstance(other, Date) and isinstance(one, str):
        one = parse_date(one)
    if isinstance(one, Date) and isinstance(other, Date):
        one, other = one.ms, other.ms
    if isinstance(one, LinkValue | FileValue) and isinstance(other, LinkValue | FileValue):
        one, other = str(one).casefold(), str(other).casefold()
    if isinstance(one, bool | int | float) and isinstance(other, bool | int | float):
        return (one > other) - (one < other)
    if isinstance(one, str) and isinstance(other, str):
        return (one > other) - (one < other)
    return None


def sort_key(value: Result) -> tuple[int, Any]:
    """Return a key that sorts values of all types; those that are not there come last."""
    match value:
        case None:
            return 9, 0
        case bool() | int() | float():
            return 1, value
        case Duration():
            return 1, value.total
        case Date():
            return 2, value.ms
        case list() if not value:
            return 9, 0
        case _:
            return 4, listing_key(text_of(value))


def add(one: Result, other: Result) -> Result:  # noqa: PLR0911 - one kind of value, one line
    """Return a sum: of numbers, texts, or a date and a duration; null where that has no meaning."""
    if isinstance(other, Date) and not isinstance(one, Date):
        one, other = other, one
    if isinstance(one, Date):
        span = other if isinstance(other, Duration) else parse_duration(other) if isinstance(other, str) else None
        if span is not None:
            return shift_date(one, span)
        return shift_date(one, Duration(0, other)) if is_number(other) else join((one, other), "")
    if isinstance(one, Duration) and isinstance(other, Duration):
        return Duration(one.months + other.months, one.ms + other.ms)
    one, other = as_number(one), as_number(other)
    if is_number(one) and is_number(other):
        return js_number(js_number(one) + js_number(other))
    if isinstance(one, list) and isinstance(other, list):
        check_items(len(one) + len(other))
        return [*one, *other]
    if isinstance(one, str) or isinstance(other, str):
        return join((one, other), "")
    return None


def subtract(one: Result, other: Result) -> Result:
    """Return a difference, of dates as a duration; null where that has no meaning."""
    if isinstance(one, Date) and isinstance(other, Date):
        return Duration(0, one.ms - other.ms)
    if isinstance(one, Date):
        span = other if isinstance(other, Duration) else parse_duration(other) if isinstance(other, str) else None
        if is_number(other):
            span = Duration(0, other)
        return shift_date(one, span.times(-1)) if span is not None else None
    if isinstance(one, Duration) and isinstance(other, Duration):
        return Duration(one.months - other.months, one.ms - other.ms)
    one, other = as_number(one), as_number(other)
    return js_number(js_number(one) - js_number(other)) if is_number(one) and is_number(other) else None


def multiply(operator: str, one: Result, other: Result) -> Result:
    """Return a product, quotient or remainder of numbers, or of a duration and a number; null without meaning."""
    if isinstance(one, Duration) and is_number(other) and (operator == "*" or (operator == "/" and other)):
        return one.times(other if operator == "*" else 1 / other)
    one, other = as_number(one), as_number(other)
    if not (is_number(one) and is_number(other)):
        return None
    one, other = js_number(one), js_number(other)
    try:
        if operator == "*":
            return js_number(one * other)
        if not other:
            return math.nan if operator == "%" or not one else math.copysign(math.inf, one)
        # As in JavaScript, a remainder has the sign of what is divided.
        return one / other if operator == "/" else math.nan if math.isinf(one) else math.fmod(one, other)
    except OverflowError:
        return math.inf


def js_number(number: float) -> float:
    """Return a number as JavaScript holds it: a large integer as a float, so that none grows without end."""
    if not isinstance(number, int) or abs(number) <= _MAX_INTEGER:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_number(value: Result) -> bool:
    """Return whether a value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(value: Result) -> Result:
    return value.total if isinstance(value, Duration) else value


def numbers_of(values: Iterable[Result]) -> list[float]:
    return [one for one in map(as_number, values) if is_number(one)]


def as_list(value: Result) -> Sequence[Result]:
    """Return a list as it is, nothing as an empty one, and any other value as the only item of one."""
    return value if isinstance(value, list) else [] if value is None else [value]
