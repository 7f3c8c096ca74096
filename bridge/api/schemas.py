"""The JSON schemas of arguments and results, with descriptions from the docstrings."""

import functools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NewType, get_args

import orjson
from msgspec.structs import asdict, fields, replace

from bridge.api import signature
from bridge.api.arguments import VAULT, model_of
from bridge.api.hints import Period, When, json_name, record_hints, records_in, strip_hint
from bridge.api.registry import Operation
from bridge.records import Record
from bridge.text.invisible import may_hide, visible_text
from bridge.types import EXACT, Day

EXAMPLES = {When: ("2026-01-31", "7 days ago"), Day: ("2026-01-31", "tomorrow"), Period: ("2026-01-31", "this week")}
"""Examples of values whose schema is only a string."""


@functools.cache
def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments, `vault` included."""
    made = model_of(operation).model_json_schema()
    made.pop("title", None)
    for record in (made, *made.get("$defs", {}).values()):
        require_discriminator(record)
        record["additionalProperties"] = False
    describe_all(made, (argument.hint for argument in operation.arguments))
    properties = made.setdefault("properties", {})
    for argument in operation.arguments:
        properties[argument.name].pop("title", None)
        properties[argument.name]["description"] = argument.meaning
        if examples := EXAMPLES.get(strip_hint(argument.hint)):
            properties[argument.name]["examples"] = list(examples)
    properties[VAULT] = {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "default": None,
        "description": "The vault, by name or id; optional while there is one.",
    }
    return made


@functools.cache
def result_schema(record: type) -> dict[str, Any]:
    from pydantic import TypeAdapter

    made = TypeAdapter(record).json_schema(mode="serialization")
    describe(made, record)
    describe_all(made, (record,))
    return made


def describe_all(made: dict[str, Any], hints: Iterable[Any]) -> None:
    records = {record.__name__: record for hint in hints for record in records_in(hint)}
    for name, part in made.get("$defs", {}).items():
        if name in records:
            describe(part, records[name])


def describe(part: dict[str, Any], record: type) -> None:
    """Copy the texts of a record's docstring into its schema."""
    text = signature.parse_docstring(record)
    part.pop("title", None)
    part["description"] = text.summary
    for field, meaning in text.section("Attributes").items():
        schema = part["properties"][json_name(field)]
        schema.pop("title", None)
        schema["description"] = meaning


def require_discriminator(record: dict[str, Any]) -> None:
    for name, field in record.get("properties", {}).items():
        if "const" in field:
            field.pop("default", None)
            record["required"] = [name, *record.get("required", ())]
        for place in (field, field.get("items", {}), *field.get("anyOf", ())):
            place.pop("discriminator", None)


def encode(result: Any) -> bytes:
    """Encode a result as JSON.

    Fields whose default is None are omitted while they are None. File names that are not valid Unicode lose the
    offending bytes. Texts lose what a reader does not see, except in paths and in fields that are `Exact`.
    """
    formed = dump(result)
    if isinstance(result, Record) and may_hide(formed):
        return dump(strip_unseen(result))
    return formed


def strip_unseen(value: Any, *, exact: bool = False) -> Any:
    """Strip from every text of a value what a reader does not see, except where it must be exact."""
    if isinstance(value, str):
        seen = value if exact else visible_text(value)
        return seen if seen == value or "\n" in seen else " ".join(seen.split())
    if isinstance(value, Record):
        kept = exact_fields(type(value))
        return replace(value, **{name: strip_unseen(item, exact=name in kept) for name, item in asdict(value).items()})
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
    value = record_fields(result) if isinstance(result, Record) else result
    try:
        return orjson.dumps(value, default=encode_default)
    except TypeError:
        return orjson.dumps(sanitize(value), default=encode_default)


def record_fields(record: Record) -> dict[str, Any]:
    left_out = optional_fields(type(record))
    return {name: value for name, value in asdict(record).items() if value is not None or name not in left_out}


@cache
def optional_fields(record: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(record) if one.default is None)


def encode_default(value: Any) -> Any:
    if isinstance(value, Record):
        return asdict(value)
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
    if isinstance(value, Record):
        return {name: sanitize(item) for name, item in asdict(value).items()}
    if isinstance(value, list | tuple | frozenset | set):
        return [sanitize(item) for item in value]
    return value


def to_json(result: Any) -> dict[str, Any]:
    """Return a result as a client would decode it from HTTP."""
    value: dict[str, Any] = orjson.loads(encode(result))
    return value
