"""Binds arguments that plainly fit without pydantic, whose import alone takes a tenth of a start."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from annotated_types import Interval, MaxLen

from bridge.api.hints import bounds, is_union, marks_of, strip_hint
from bridge.api.signature import Argument
from bridge.types import START, PathRole

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader keeps."""


def bind_plain(taken: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a call with the defaults of others; None unless all are simple and plainly fit."""
    bound: dict[str, Any] = {}
    for argument in taken:
        if argument.name not in given:
            if argument.required:
                return None
            bound[argument.name] = argument.default
        elif fits_plainly(given[argument.name], argument.hint):
            bound[argument.name] = given[argument.name]
        else:
            return None
    return bound if given.keys() <= bound.keys() else None


def fits_plainly(value: Any, hint: Any) -> bool:
    bare = strip_hint(hint)
    if value is None:
        return is_union(hint) and type(None) in get_args(hint)
    if get_origin(bare) is Literal:
        return type(value) is str and value in get_args(bare)
    plain = getattr(bare, "__supertype__", bare)
    if type(value) is not plain or not all(map(is_known_mark, marks_of(hint))):
        return False
    limits = bounds(hint)
    if isinstance(value, str):
        return is_unicode(value) and (limits.longest is None or len(value) <= limits.longest)
    least = -LARGEST if limits.least is None else limits.least
    most = LARGEST if limits.most is None else limits.most
    return type(value) is bool or (type(value) is int and least <= value <= most)


def is_known_mark(mark: Any) -> bool:
    if isinstance(mark, Interval):
        return mark.gt is None and mark.lt is None
    return isinstance(mark, MaxLen | PathRole) or mark is START


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
