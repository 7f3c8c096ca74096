"""The registry as plain values: the answer of `GET /api/operations`."""

import hashlib
from typing import Any

import orjson

from bridge.api.operation import Operation
from bridge.api.schemas import arguments_schema, result_schema
from bridge.features import operations


def catalogue() -> list[dict[str, Any]]:
    """Return every operation with its schemas, errors and example."""
    return [describe_operation(operation) for operation in operations()]


def describe_operation(operation: Operation) -> dict[str, Any]:
    arguments, result = arguments_schema(operation), result_schema(operation.result)
    return {
        "name": operation.name,
        "title": operation.title,
        "description": full_description(operation),
        "scope": operation.scope,
        "reads": operation.reads,
        "form": schema_digest(arguments, result),
        "arguments": arguments,
        "result_name": operation.result.__name__,
        "result": result,
        "errors": [
            {"code": error.code, "status": error.status, "when": when} for error, when in operation.errors.items()
        ],
        "example": operation.example,
    }


def full_description(operation: Operation) -> str:
    return "\n\n".join(filter(None, (operation.summary, operation.details)))


def schema_digest(*schemas: Any) -> str:
    plain = orjson.dumps([strip_descriptions(schema) for schema in schemas], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(plain).hexdigest()[:12]


def strip_descriptions(schema: Any) -> Any:
    match schema:
        case {"properties": dict(properties), **rest}:
            return {
                **strip_descriptions(rest),
                "properties": {name: strip_descriptions(held) for name, held in properties.items()},
            }
        case dict():
            return {
                key: strip_descriptions(held) for key, held in schema.items() if key not in {"description", "title"}
            }
        case list():
            return [strip_descriptions(held) for held in schema]
        case _:
            return schema
