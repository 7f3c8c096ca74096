"""Results of operations of which a test says only what it is about."""

import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

import orjson
from msgspec import NODEFAULT
from msgspec.structs import fields

from bridge.api.hints import is_record, record_hints
from bridge.api.schemas import encode, view_json
from bridge.features import get_operation
from bridge.records import Record

EMPTY: Mapping[Any, Any] = {str: "", int: 0, float: 0.0, bool: False}


def as_json(value: Any) -> Any:
    return orjson.loads(encode(value))


def drawn(result: Record) -> Any:
    """Return the view of a result as a client gets it."""
    return as_json(view_json(result))


def result_of(operation: str, given: Mapping[str, Any]) -> Record:
    """Return a result as its JSON says; fields that it leaves out have their defaults, or are empty."""
    made: Record = record_of(get_operation(operation).result, given)
    return made


def record_of(record: type, given: Mapping[str, Any]) -> Any:
    hints = record_hints(record)
    needed = {one.name for one in fields(record) if one.default is NODEFAULT and one.default_factory is NODEFAULT}
    values = {name: value_of(hints[name], value) for name, value in given.items()}
    return record(**{name: empty_of(hints[name]) for name in needed - given.keys()}, **values)


def value_of(hint: Any, value: Any) -> Any:
    match plain(hint), value:
        case ((type() as record), {}) if is_record(record):
            return record_of(record, value)
        case kind, [*items] if get_origin(kind) is tuple:
            return tuple(value_of(get_args(kind)[0], item) for item in items)
        case _:
            return value


def empty_of(hint: Any) -> Any:
    kind, parts = plain(hint), get_args(plain(hint))
    if is_optional(hint):
        return None
    if is_record(kind):
        return record_of(kind, {})
    if get_origin(kind) is Literal:
        return parts[0]
    if get_origin(kind) is tuple:
        return tuple(empty_of(part) for part in parts if ... not in parts)
    return EMPTY.get(kind, {})


def plain(hint: Any) -> Any:
    """Return a hint without marks, names and None."""
    if get_origin(hint) is Annotated:
        return plain(get_args(hint)[0])
    if isinstance(hint, NewType):
        return plain(hint.__supertype__)
    if is_optional(hint):
        return plain(next(one for one in get_args(hint) if one is not types.NoneType))
    return hint


def is_optional(hint: Any) -> bool:
    return get_origin(hint) in {Union, types.UnionType} and types.NoneType in get_args(hint)
