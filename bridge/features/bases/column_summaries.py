"""The summaries of columns that Bases has by name."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bridge.bases.values import Date, Duration, Result, as_number, is_empty, is_number, js_number, text_of, type_of


def _numbers(values: Sequence[Result]) -> list[float]:
    return [one for one in map(as_number, values) if is_number(one)]


def _dates(values: Sequence[Result]) -> list[Date]:
    return sorted((one for one in values if isinstance(one, Date)), key=lambda one: one.ms)


def _range(values: Sequence[Result]) -> Result:
    if dates := _dates(values):
        return Duration(0, dates[-1].ms - dates[0].ms)
    numbers = _numbers(values)
    return max(numbers) - min(numbers) if numbers else None


def _of_numbers(function: Callable[[list[float]], float]) -> Callable[[Sequence[Result]], Result]:
    return lambda values: function(numbers) if (numbers := _numbers(values)) else None


SUMMARIES: Final[Mapping[str, Callable[[Sequence[Result]], Result]]] = {
    "Average": _of_numbers(statistics.fmean),
    "Min": _of_numbers(min),
    "Max": _of_numbers(max),
    "Sum": _of_numbers(lambda numbers: js_number(sum(numbers))),
    "Range": _range,
    "Median": _of_numbers(statistics.median),
    "Stddev": _of_numbers(statistics.pstdev),
    "Earliest": lambda values: next(iter(_dates(values)), None),
    "Latest": lambda values: next(reversed(_dates(values)), None),
    "Checked": lambda values: sum(one is True for one in values),
    "Unchecked": lambda values: sum(one is False for one in values),
    "Empty": lambda values: sum(map(is_empty, values)),
    "Filled": lambda values: sum(not is_empty(one) for one in values),
    "Unique": lambda values: len({(type_of(one), text_of(one)) for one in values if not is_empty(one)}),
}
"""By its name: the summary of a column's values."""
