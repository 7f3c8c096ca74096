"""Reads arguments in the forms that models write, where they have only one possible meaning."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

import orjson

from bridge.api.hints import is_record, is_union, json_name, record_hints, strip_hint, union_tag

RANGE = re.compile(r"\s*(\d{1,9})\s*[-–]\s*(\d{1,9})\s*")
"""Lines as results format them: `3-9`."""

PYTHON: Mapping[str, Any] = {"True": True, "False": False, "None": None}
"""Python literals that differ from JSON."""


def coerce(value: Any, hint: Any) -> Any:
    """Convert a value to what a hint asks for, or return it as it is where its meaning is not certain.

    JSON written as a string is parsed, a single item becomes a list of one, and a number without a fraction an integer.
    Where a string is expected, every string stays as it is. Null for an optional field of a record leaves it out.
    """
    bare = strip_hint(hint)
    if isinstance(value, str) and not takes_text(hint):
        return coerce_text(value, hint, bare)
    if isinstance(value, float) and bare is int and value.is_integer():
        return int(value)
    if get_origin(bare) is tuple:
        return coerce_list(value, get_args(bare))
    if isinstance(value, Mapping):
        return coerce_object(value, hint, bare)
    return value


def takes_text(hint: Any) -> bool:
    bare = strip_hint(hint)
    if union_tag(hint):
        return False
    if is_union(bare):
        return any(map(takes_text, get_args(bare)))
    return bare not in (int, float, bool) and get_origin(bare) not in (tuple, Mapping) and not is_record(bare)


def coerce_text(text: str, hint: Any, bare: Any) -> Any:
    if get_origin(bare) is not tuple:
        read = parse_literal(text)
        return text if isinstance(read, str) else coerce(read, hint)
    items = get_args(bare)
    if items == (int, int) and (found := RANGE.fullmatch(text)):
        return [int(found[1]), int(found[2])]
    read = parse_literal(text)
    # `2024` is a valid tag.
    return coerce_list(text if takes_text(items[0]) and not isinstance(read, list) else read, items)


def parse_literal(text: str) -> Any:
    """Parse text as JSON or as a Python literal; return the text itself if it is neither."""
    if text in PYTHON:
        return PYTHON[text]
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def coerce_list(value: Any, items: tuple[Any, ...]) -> Any:
    """Return a list with its items converted; a single item becomes a list of one."""
    many = items[-1] is Ellipsis
    if isinstance(value, list | tuple):
        hints = [items[0]] * len(value) if many else items
        return [*(coerce(*pair) for pair in zip(value, hints, strict=False)), *value[len(hints) :]]
    alone = bool(value) and isinstance(value, str) == takes_text(items[0])
    return [coerce(value, items[0])] if many and alone else value


def coerce_object(value: Mapping[str, Any], hint: Any, bare: Any) -> Mapping[str, Any]:
    """Return an object with its fields converted.

    Of several records, agents are told the fields of all as those of one; null for another's leaves it out, too.
    """
    others = set[str]()
    if options := union_tag(hint):
        field, records = options
        bare = records.get(str(value.get(field)))
        others = {json_name(name) for record in records.values() for name in record_hints(record)}
    if is_record(bare):
        hints = {json_name(name): item for name, item in record_hints(bare).items()}
        optional = others - hints.keys() | {
            json_name(field.name) for field in dataclasses.fields(bare) if has_default(field)
        }
        fields = {name: coerce(item, hints[name]) if name in hints else item for name, item in value.items()}
        return {name: item for name, item in fields.items() if item is not None or name not in optional}
    if get_origin(bare) is not None and len(get_args(bare)) == 2:
        return {name: coerce(item, get_args(bare)[1]) for name, item in value.items()}
    return value


def has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
