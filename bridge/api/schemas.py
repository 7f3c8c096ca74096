"""The JSON schemas of arguments and results, with descriptions from the docstrings."""

import functools
from collections.abc import Iterable
from typing import Any

from bridge.api import docstring
from bridge.api.arguments import VAULT, model_of
from bridge.api.hints import Period, When, json_name, records_in, strip_hint
from bridge.api.registry import Operation
from bridge.types import Day

EXAMPLES = {When: ("2026-01-31", "7 days ago"), Day: ("2026-01-31", "tomorrow"), Period: ("2026-01-31", "this week")}
"""Examples of values whose schema is only a string."""


@functools.cache
def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments, `vault` included."""
    made = model_of(operation).model_json_schema()
    made.pop("title", None)
    for record in (made, *made.get("$defs", {}).values()):
        require_discriminator(record)
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
    text = docstring.parse_docstring(record)
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
