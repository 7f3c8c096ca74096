"""Checks the values that a caller gives to the variables of a policy."""

import math
from collections.abc import Callable, Mapping
from typing import Final

from bridge.bases.values import Result, parse_date
from bridge.errors import InvalidArguments
from bridge.features.policies.model import Policy, Variable
from bridge.markdown.note import Value
from bridge.records import dataclass
from bridge.text.closest import find_closest

MAX_VALUE_CHARS: Final = 100_000
"""Characters of all values together."""

MAX_ITEMS: Final = 500

_EMPTY: Final[Mapping[str, Value]] = {"list": [], "yes-no": False}
_YES_NO: Final[Mapping[str, bool]] = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class VariableReaders:
    """What the meaning of a value depends on."""

    date: Callable[[str, str], str]
    """Returns the day that a text means, given the name of the variable."""
    note: Callable[[str, str], str]
    """Returns the path of the note that a text means, given the name of the variable."""


def bind_variables(policy: Policy, given: Mapping[str, Value], readers: VariableReaders) -> dict[str, Value]:
    """Return a value for every variable."""
    for name in given:
        if name not in policy.variables:
            near = find_closest(name, policy.variables)
            names = ", ".join(f"`{each}`" for each in policy.variables) or "none"
            hint = f"Did you mean `{near}`?" if near else f"It takes {names}."
            raise InvalidArguments(f"The policy has no variable `{name[:60]}`.", hint=hint)
    bound = {name: _bind(one, given.get(name, one.default), readers) for name, one in policy.variables.items()}
    if sum(_length(value) for value in bound.values()) > MAX_VALUE_CHARS:
        raise InvalidArguments(f"The variables have more than {MAX_VALUE_CHARS:,} characters together.")
    return bound


def expression_values(policy: Policy, values: Mapping[str, Value]) -> Mapping[str, Result]:
    dated = {name: parse_date(str(value)) for name, value in values.items() if policy.variables[name].kind == "date"}
    return {**values, **{name: date for name, date in dated.items() if date is not None}}


def _bind(one: Variable, value: Value, readers: VariableReaders) -> Value:
    if value is None or value == "":
        if one.required:
            meaning = f": {one.meaning}" if one.meaning else ""
            raise InvalidArguments(f"The variable `{one.name}` has no value{meaning}.")
        return _EMPTY.get(one.kind, "")
    return _READ[one.kind](one, value, readers)


def _read_text(one: Variable, value: Value, _: VariableReaders) -> Value:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(one, "a text")
    return str(value)


def _read_number(one: Variable, value: Value, _: VariableReaders) -> Value:
    if isinstance(value, str):
        try:
            value = float(value) if "." in value or "e" in value.casefold() else int(value[:30])
        except ValueError:
            raise _wrong(one, "a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(one, "a number")
    return value


def _read_yes_no(one: Variable, value: Value, _: VariableReaders) -> Value:
    found = _YES_NO.get(value.strip().casefold()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise _wrong(one, "yes or no")
    return found


def _read_list(one: Variable, value: Value, _: VariableReaders) -> Value:
    found = list(value) if isinstance(value, list | tuple) else [value]
    if len(found) > MAX_ITEMS or not all(isinstance(each, str | int | float) for each in found):
        raise _wrong(one, f"a list of at most {MAX_ITEMS} texts or numbers")
    return found


def _read_choice(one: Variable, value: Value, _: VariableReaders) -> Value:
    if str(value) not in one.choices:
        raise _wrong(one, f"one of {', '.join(one.choices)}")
    return str(value)


def _read_date(one: Variable, value: Value, readers: VariableReaders) -> Value:
    if not isinstance(value, str):
        raise _wrong(one, "a day such as 2026-01-31 or tomorrow")
    return readers.date(one.name, value)


def _read_note(one: Variable, value: Value, readers: VariableReaders) -> Value:
    if not isinstance(value, str):
        raise _wrong(one, "the path of a note")
    return readers.note(one.name, value)


_READ: Final[Mapping[str, Callable[[Variable, Value, VariableReaders], Value]]] = {
    "text": _read_text,
    "number": _read_number,
    "yes-no": _read_yes_no,
    "list": _read_list,
    "choice": _read_choice,
    "date": _read_date,
    "note": _read_note,
}


def _length(value: Value) -> int:
    return sum(map(_length, value)) if isinstance(value, list | tuple) else len(str(value))


def _wrong(one: Variable, what: str) -> InvalidArguments:
    return InvalidArguments(f"The variable `{one.name}` must be {what}.")
