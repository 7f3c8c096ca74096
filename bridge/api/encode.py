"""Encodes results as JSON."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import orjson


def encode(result: Any) -> bytes:
    """Encode a result as JSON.

    Fields whose default is None are omitted while they are None. File names that are not valid Unicode lose the
    offending bytes.
    """
    value = record_fields(result) if dataclasses.is_dataclass(result) else result
    try:
        return orjson.dumps(value, default=encode_default)
    except TypeError:
        return orjson.dumps(sanitize(value), default=encode_default)


def record_fields(record: Any) -> dict[str, Any]:
    """Return a record's fields without the optional ones that are None."""
    values = {field: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {field.name: value for field, value in values.items() if value is not None or field.default is not None}


def encode_default(value: Any) -> Any:
    """Convert the types that orjson does not know."""
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
