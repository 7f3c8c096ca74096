"""Encodes results as JSON."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, NewType, get_args

import orjson

from bridge.api.hints import record_hints
from bridge.text.invisible import may_hide, visible_text
from bridge.types import EXACT


def encode(result: Any) -> bytes:
    """Encode a result as JSON.

    Fields whose default is None are omitted while they are None. File names that are not valid Unicode lose the
    offending bytes. Texts lose what a reader does not see, except in paths and in fields that are `Exact`.
    """
    formed = dump(result)
    if dataclasses.is_dataclass(result) and may_hide(formed):
        return dump(strip_unseen(result))
    return formed


def strip_unseen(value: Any, *, exact: bool = False) -> Any:
    """Strip from every text of a value what a reader does not see, except where it must be exact."""
    if isinstance(value, str):
        seen = value if exact else visible_text(value)
        return seen if seen == value or "\n" in seen else " ".join(seen.split())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = exact_fields(type(value))
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(
            value, **{name: strip_unseen(item, exact=name in kept) for name, item in fields.items()}
        )
    if isinstance(value, Mapping):
        return {strip_unseen(key, exact=exact): strip_unseen(item, exact=exact) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(strip_unseen(item, exact=exact) for item in value)
    return value


@cache
def exact_fields(record: type) -> frozenset[str]:
    return frozenset(name for name, hint in record_hints(record).items() if is_exact(hint))


def is_exact(hint: Any) -> bool:
    return hint == EXACT or isinstance(hint, NewType) or any(map(is_exact, get_args(hint)))


def dump(result: Any) -> bytes:
    """Encode a result as JSON, with all of its texts."""
    value = record_fields(result) if dataclasses.is_dataclass(result) else result
    try:
        return orjson.dumps(value, default=encode_default)
    except TypeError:
        return orjson.dumps(sanitize(value), default=encode_default)


def record_fields(record: Any) -> dict[str, Any]:
    values = {field: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {field.name: value for field, value in values.items() if value is not None or field.default is not None}


def encode_default(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be JSON")


def sanitize(value: Any) -> Any:
    """Replace lone surrogates in every string of a value, and convert integers beyond 64 bits to strings."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, Mapping):
        return {sanitize(key): sanitize(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: sanitize(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple | frozenset | set):
        return [sanitize(item) for item in value]
    return value


def to_json(result: Any) -> dict[str, Any]:
    """Return a result as a client would decode it from HTTP."""
    value: dict[str, Any] = orjson.loads(encode(result))
    return value
