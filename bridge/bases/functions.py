"""The functions of expressions by the type of value that they belong to, by Obsidian's documentation (Functions)."""

import html
import math
import random
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from bridge.bases.note_files import NoteFiles
from bridge.bases.values import (
    Date,
    Duration,
    FileValue,
    LinkValue,
    RegExp,
    Result,
    as_list,
    check_items,
    check_length,
    compare,
    equal,
    is_empty,
    is_number,
    is_truthy,
    join,
    js_number,
    numbers_of,
    parse_date,
    parse_duration,
    size_of,
    sort_key,
    text_of,
    type_of,
)
from bridge.errors import InvalidArguments
from bridge.markdown.moment_format import format_moment
from bridge.text.fold import fold_case

MAX_STATE_VISITS: Final = 100_000_000
"""States that one call may visit at worst: some seconds, in which it cannot be stopped."""

_STATES_OF_A_STEP: Final = 20
_STEPS_OF_A_CALL: Final = 20
_MAX_FAST_STATES: Final = 20
"""States of an expression up to which RE2 needs no more than one look at each character."""

_COUNT: Final = re.compile(r"(\)?)\{(\d{1,4})(?:,(\d{0,4}))?\}")
_WIDE_CLASS: Final = re.compile(r"\\[pP]|\[\[:")
_LOOK_AROUND: Final = re.compile(r"\(\?<?[=!]")
_GROUP_AGAIN: Final = re.compile(r"\\[1-9k]|\(\?P(?!<)")
_MAX_REPETITIONS: Final = 1_000
"""The limit of RE2, for counts inside each other as well."""


def match_pattern(text: str, pattern: RegExp) -> bool:
    _check_work(text, pattern)
    return bool(_with_re2("match_substring_regex", text, pattern))


def replace_pattern(text: str, pattern: RegExp, new: str) -> str:
    """Replace what a regular expression matches: the first time, or with the flag `g` each time."""
    everywhere = "g" in pattern.flags
    _check_work(text, pattern, everywhere=everywhere)
    groups = len(re.findall(r"\$\d", new))
    times = len(text) + 1 if everywhere else 1
    if everywhere and times * len(new) > len(text):
        times = min(times, int(_with_re2("count_substring_regex", text, pattern)) + 1)
    # No two matches share a character, so a group has all of the text at most.
    check_length(len(text) * (1 + groups) + times * len(new))
    escaped = re.sub(r"\$(\d)", r"\\\1", new.replace("\\", "\\\\"))
    most = -1 if everywhere else 1
    return str(_with_re2("replace_substring_regex", text, pattern, escaped, max_replacements=most))


def split_pattern(text: str, pattern: RegExp) -> list[str]:
    """Split a text where a regular expression matches; one that matches nothing stands between all characters."""
    # Arrow's own function never ends where an expression matches no character.
    mark = next(one for one in map(chr, range(0xE000, 0xF900)) if one not in text)
    marked = replace_pattern(text, RegExp(pattern.pattern, f"{pattern.flags}g"), mark)
    check_items(marked.count(mark) + 1)
    parts = marked.split(mark)
    if len(parts) > 1 and match_pattern("", pattern):
        return parts[not parts[0] : len(parts) - (not parts[-1])]
    return parts


def work_of_pattern(text: str, pattern: RegExp, *, everywhere: bool) -> int:
    """Return the steps that a regular expression takes, as long as it is no extraordinary one."""
    states, length = _states_of(pattern.pattern), size_of(text) + 20
    again = length * length // (100 * _STATES_OF_A_STEP) if everywhere else 0
    return _STEPS_OF_A_CALL + states * length // _STATES_OF_A_STEP + again


def _check_work(text: str, pattern: RegExp, *, everywhere: bool = False) -> None:
    states, length = _states_of(pattern.pattern), size_of(text)
    # After each match, RE2 may look at the whole rest of the text to find the next one.
    times = length if everywhere else 1
    if length * times * (states if states > _MAX_FAST_STATES or not everywhere else 1) > MAX_STATE_VISITS:
        raise InvalidArguments(
            f"The regular expression `/{pattern.pattern[:100]}/` might take too long on a text of this length.",
            hint="Use a shorter one, smaller counts, or a part of the text.",
        )


@lru_cache(maxsize=256)
def _states_of(pattern: str) -> int:
    each = 500 if _WIDE_CLASS.search(pattern) else 10 if "." in pattern or "[" in pattern else 2
    single, grouped = 0, 1
    for closing, least, most in _COUNT.findall(pattern):
        count = max(int(least), int(most or 0)) + 1
        if closing:
            grouped = min(_MAX_REPETITIONS, grouped * count)
        else:
            single += count * each
    return (len(pattern) + pattern.count("\\p") * 500 + single) * grouped


def _with_re2(function: str, text: str, pattern: RegExp, *arguments: Any, **options: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    flags = "".join(flag for flag in "ims" if flag in pattern.flags)
    try:
        found = getattr(pc, function)(
            [text], f"(?{flags}){pattern.pattern}" if flags else pattern.pattern, *arguments, **options
        )
    except pa.ArrowInvalid as error:
        why = str(error).partition(": ")[2].splitlines()[0]
        hint = "Correct it; the syntax is that of RE2."
        if around := _LOOK_AROUND.search(why):
            why = f"`{around[0]}` looks ahead or behind, which might take too long"
            hint = "Test each part by itself, such as `/a/.matches(title) && !/ab/.matches(title)`; to replace, take"
            hint += ' what is around into groups: `title.replace(/(a)b/, "$1")`.'
        elif group := _GROUP_AGAIN.search(why):
            why = f"`{group[0]}` stands for what a group matched, which might take too long"
            hint = "Write out what it may be, such as `aa|bb`."
        raise InvalidArguments(
            f"The regular expression `/{pattern.pattern[:100]}/` cannot be used: {why}.", hint=hint
        ) from None
    return found[0].as_py()


SIZE_OF_A_STEP: Final = 50
"""Size of a value, as `size_of` counts, that takes one more step to walk."""

MAX_FORMAT_CHARS: Final = 1_000
"""Characters of a date format."""

_WORD: Final = re.compile(r"\S+")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_AGES: Final = (
    (45, "a few seconds", 1),
    (90, "a minute", 1),
    (45 * _MINUTE, "{} minutes", _MINUTE),
    (90 * _MINUTE, "an hour", 1),
    (22 * _HOUR, "{} hours", _HOUR),
    (36 * _HOUR, "a day", 1),
    (26 * _DAY, "{} days", _DAY),
    (45 * _DAY, "a month", 1),
    (320 * _DAY, "{} months", 30.4375 * _DAY),
    (548 * _DAY, "a year", 1),
    (math.inf, "{} years", 365.25 * _DAY),
)
"""Seconds below which an age is said in these words, and the unit that is counted."""


Function = Callable[..., Result]
"""Called with the files, the value that it belongs to unless it is global, and the arguments."""


def as_file(files: NoteFiles, value: Result) -> Result:
    link = value if isinstance(value, FileValue) else files.as_link(value)
    path = link.path if isinstance(link, LinkValue | FileValue) else None
    return FileValue(path) if path else None


def number(_: NoteFiles, value: Result) -> Result:  # noqa: PLR0911 - one kind of value, one line
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case Duration():
            return value.total
        case Date():
            return value.ms
        case str():
            try:
                found = float(value)
            except ValueError:
                return None
            return int(found) if found.is_integer() and abs(found) < 1e15 else found
        case _:
            return None


def date(_: NoteFiles, value: Result) -> Result:
    return value if isinstance(value, Date) else parse_date(value) if isinstance(value, str) else None


def today(files: NoteFiles) -> Date:
    return Date(files.now.replace(hour=0, minute=0, second=0, microsecond=0), has_time=False)


def relative(files: NoteFiles, value: Date) -> str:
    seconds = (files.now - value.moment).total_seconds()
    _, words, unit = next((one for one in _AGES if abs(seconds) < one[0]), _AGES[-1])
    said = words.format(max(2, round(abs(seconds) / unit)))
    return f"{said} ago" if seconds >= 0 else f"in {said}"


def slice_of(value: Any, start: Result = 0, end: Result = None) -> Any:
    first = int(start) if is_number(start) else 0
    return value[first : int(end)] if is_number(end) else value[first:]


def round_half_up(_: NoteFiles, value: float, digits: Result = 0) -> float:
    if math.isnan(value) or math.isinf(value):
        return value
    factor = 10 ** min(15, max(0, int(digits) if is_number(digits) else 0))
    found = math.floor(value * factor + 0.5) / factor
    return int(found) if float(found).is_integer() and factor == 1 else found


def format_date(_: NoteFiles, value: Date, pattern: Result) -> str:
    written = text_of(pattern)
    if len(written) > MAX_FORMAT_CHARS:
        raise InvalidArguments("A date format in the expression is too long.")
    return format_moment(written, value.moment)


def repeat(_: NoteFiles, text: str, count: Result) -> str:
    times = max(0, int(count)) if is_number(count) and not math.isinf(count) else 0
    check_length(times * len(text))
    return text * times


def replace(_: NoteFiles, text: str, pattern: Result, replacement: Result) -> str:
    """Replace a text everywhere, or what a regular expression matches."""
    new = text_of(replacement)
    if not isinstance(pattern, RegExp):
        old = text_of(pattern)
        if old:
            check_length(len(text) + text.count(old) * (len(new) - len(old)))
        return text.replace(old, new) if old else text
    return replace_pattern(text, pattern, new)


def split(_: NoteFiles, text: str, separator: Result, most: Result = None) -> list[Result]:
    """Split a text at another, or where a regular expression matches."""
    if isinstance(separator, RegExp):
        parts = split_pattern(text, separator)
    else:
        between = text_of(separator)
        check_items(text.count(between) + 1 if between else len(text))
        parts = text.split(between) if between else list(text)
    return parts[: int(most)] if is_number(most) else parts


def contains(_: NoteFiles, value: Result, other: Result, *more: Result) -> bool:
    """Return whether a text or the text of a link has all others in it, or a list has all of them as elements."""
    others = (other, *more)
    if isinstance(value, list):
        return all(any(equal(one, wanted) for one in value) for wanted in others)
    return all(text_of(wanted) in str(value) for wanted in others)


def contains_any(files: NoteFiles, value: Result, *others: Result) -> bool:
    return any(contains(files, value, other) for other in others)


def unique(_: NoteFiles, values: list[Result]) -> list[Result]:
    found: list[Result] = []
    seen: set[tuple[str, str]] = set()
    for value in values:
        key = (type_of(value), text_of(value))
        if key not in seen:
            seen.add(key)
            found.append(value)
    return found


def flat(_: NoteFiles, values: list[Result]) -> list[Result]:
    check_items(sum(len(as_list(value)) for value in values))
    return [item for value in values for item in as_list(value)]


def extreme(values: tuple[Result, ...], sign: int) -> Result:
    best: Result = None
    for value in values:
        if best is None or (compare(value, best) or 0) * sign > 0:
            best = value if value is not None else best
    return best


def mean(values: list[Result]) -> Result:
    """Return the mean of a list's numbers; null without any."""
    return sum(numbers) / len(numbers) if (numbers := numbers_of(values)) else None


def links_to(files: NoteFiles, value: Result, other: Result) -> bool:
    """Return whether a file, or the one that a link leads to, links to another."""
    source, target = as_file(files, value), as_file(files, other)
    return source is not None and target is not None and files.has_link(source.path, target.path)


def _work_to_find(value: Result, *others: Result) -> int:
    if isinstance(value, list):
        return len(value) * sum(1 + size_of(one) // SIZE_OF_A_STEP for one in others)
    return len(others) * size_of(value) // SIZE_OF_A_STEP


def _work_to_sort(value: Result) -> int:
    """Each item is compared as often as the number of items has digits, by all its characters at worst."""
    return len(value).bit_length() * (1 + size_of(value) // SIZE_OF_A_STEP) if isinstance(value, list) else 0


def _work_to_change(value: Result, pattern: Result = None, *_: Result, everywhere: bool = False) -> int:
    if not isinstance(pattern, RegExp) or not isinstance(value, str):
        return 0
    return work_of_pattern(value, pattern, everywhere=everywhere or "g" in pattern.flags)


WORK: Final[Mapping[str, Callable[..., int]]] = {
    **dict.fromkeys(("contains", "containsAll", "containsAny"), _work_to_find),
    "matches": lambda value, text=None, *_: _work_to_change(text_of(text), value),
    "replace": _work_to_change,
    "sort": _work_to_sort,
    "split": partial(_work_to_change, everywhere=True),
}
"""By the function: the steps beyond those for its value and arguments, each of which is walked once."""

GLOBAL_FUNCTIONS: Final[Mapping[str, Function]] = {
    "date": date,
    "duration": lambda _, text: parse_duration(text_of(text)),
    "escapeHTML": lambda _, text: html.escape(text_of(text)),
    "file": as_file,
    "html": lambda _, text: text_of(text),
    "icon": lambda _, name: text_of(name),
    "image": lambda _, path: text_of(path),
    "link": NoteFiles.as_link,
    "list": lambda _, value=None: list(as_list(value)),
    "max": lambda _, *values: extreme(values, 1),
    "min": lambda _, *values: extreme(values, -1),
    "now": lambda files: Date(files.now),
    "number": number,
    "random": lambda _: random.random(),  # noqa: S311 - not for secrets
    "today": today,
}
"""Global functions; `if` is evaluated apart, since it evaluates only one branch."""

OF_ANY: Final[Mapping[str, Function]] = {
    "isTruthy": lambda _, value: is_truthy(value),
    "isType": lambda _, value, name: type_of(value) == text_of(name).lower(),
    "toString": lambda _, value: text_of(value),
    "isEmpty": lambda _, value: is_empty(value),
}

_OF_NUMBERS: Final[Mapping[str, Function]] = {
    "abs": lambda _, value: abs(value),
    "ceil": lambda _, value: math.ceil(value) if math.isfinite(value) else value,
    "floor": lambda _, value: math.floor(value) if math.isfinite(value) else value,
    "round": round_half_up,
    "toFixed": lambda _, value, digits=0: f"{value:.{min(100, max(0, int(digits)))}f}",
}


def _of_duration(function: Function) -> Function:
    return lambda files, value, *arguments: function(files, value.total, *arguments)


_CONTAINMENT: Final[Mapping[str, Function]] = {
    **dict.fromkeys(("contains", "containsAll"), contains),
    "containsAny": contains_any,
}

OF_TYPE: Final[Mapping[str, Mapping[str, Function]]] = {
    "date": {
        "date": lambda _, value: Date(value.moment.replace(hour=0, minute=0, second=0, microsecond=0), has_time=False),
        "format": format_date,
        "time": lambda _, value: f"{value.moment:%H:%M:%S}",
        "relative": relative,
    },
    "string": {
        **_CONTAINMENT,
        "startsWith": lambda _, value, other: value.startswith(text_of(other)),
        "endsWith": lambda _, value, other: value.endswith(text_of(other)),
        "lower": lambda _, value: value.lower(),
        "upper": lambda _, value: value.upper(),
        "title": lambda _, value: _WORD.sub(lambda word: word[0][:1].upper() + word[0][1:].lower(), value),
        "trim": lambda _, value: value.strip(),
        "reverse": lambda _, value: value[::-1],
        "repeat": repeat,
        "replace": replace,
        "split": split,
        "slice": lambda _, value, *bounds: slice_of(value, *bounds),
        "linksTo": lambda files, value, other: links_to(files, files.as_link(value), other),
        "asFile": as_file,
    },
    "number": _OF_NUMBERS,
    "list": {
        **_CONTAINMENT,
        "flat": flat,
        "join": lambda _, value, between=", ": join(value, text_of(between)),
        "reverse": lambda _, value: value[::-1],
        "slice": lambda _, value, *bounds: slice_of(value, *bounds),
        "sort": lambda _, value: sorted(value, key=sort_key),
        "unique": unique,
        "sum": lambda _, value: js_number(sum(numbers_of(value))),
        "mean": lambda _, value: mean(value),
    },
    "link": {
        "asFile": as_file,
        "linksTo": links_to,
        **_CONTAINMENT,
    },
    "file": {
        "asLink": NoteFiles.as_link,
        "hasLink": links_to,
        "hasProperty": lambda files, value, name: fold_case(text_of(name)) in files.property_names(value.path),
        "hasTag": lambda files, value, *tags: any(files.has_tag(value.path, text_of(tag)) for tag in tags),
        "inFolder": lambda _, value, folder: value.path.startswith(f"{text_of(folder).strip('/')}/".removeprefix("/")),
        "linksTo": links_to,
    },
    "object": {
        "keys": lambda _, value: list(value),
        "values": lambda _, value: list(value.values()),
    },
    "regexp": {"matches": lambda _, value, text: match_pattern(text_of(text), value)},
    "duration": {name: _of_duration(function) for name, function in _OF_NUMBERS.items()},
    "boolean": {},
    "null": {},
}

EVALUATED_APART: Final = frozenset({"if", "filter", "map", "reduce"})
"""Functions whose arguments are evaluated for each element, or not all."""

OF_NOTHING: Final[Mapping[str, Result]] = {"contains": False, "containsAll": False, "containsAny": False}
"""What functions return of a property that a note does not have."""

MEMBER_NAMES: Final = frozenset({*OF_ANY, "filter", "map", "reduce", *(name for of in OF_TYPE.values() for name in of)})
