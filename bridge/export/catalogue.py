"""The registry as plain values: what `GET /api/operations` answers."""

import hashlib
from typing import Any

import orjson

from bridge.api.registry import Operation
from bridge.api.schemas import arguments_schema, result_schema
from bridge.features import operations


def catalogue() -> list[dict[str, Any]]:
    """Return every operation with its schemas, errors and example."""
    return [entry(operation) for operation in operations()]


def entry(operation: Operation) -> dict[str, Any]:
    """Write one operation down."""
    arguments, result = arguments_schema(operation), result_schema(operation.result)
    return {
        "name": operation.name,
        "title": operation.title,
        "description": described(operation),
        "scope": operation.scope,
        "reads": operation.reads,
        "form": form(arguments, result),
        "arguments": arguments,
        "result_name": operation.result.__name__,
        "result": result,
        "errors": [
            {"code": error.code, "status": int(error.status), "when": when} for error, when in operation.errors.items()
        ],
        "example": operation.example,
    }


def described(operation: Operation) -> str:
    """Return the whole description of an operation."""
    return "\n\n".join(filter(None, (operation.summary, operation.details)))


def form(*schemas: Any) -> str:
    """Return a short digest of how something is called and answered, whatever the words that describe it."""
    plain = orjson.dumps([bare(schema) for schema in schemas], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(plain).hexdigest()[:12]


def bare(schema: Any) -> Any:
    """Take the words off a schema; a property that is called `description` is no word."""
    match schema:
        case {"properties": dict(properties), **rest}:
            return {**bare(rest), "properties": {name: bare(held) for name, held in properties.items()}}
        case dict():
            return {key: bare(held) for key, held in schema.items() if key not in {"description", "title"}}
        case list():
            return [bare(held) for held in schema]
        case _:
            return schema
