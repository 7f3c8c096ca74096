"""The registry as plain values: what `GET /api/operations` answers."""

from typing import Any

from bridge.operations import Operation, arguments_schema, operations, result_schema


def catalogue() -> list[dict[str, Any]]:
    """Return every operation with its schemas, errors and example."""
    return [entry(operation) for operation in operations()]


def entry(operation: Operation) -> dict[str, Any]:
    """Write one operation down."""
    return {
        "name": operation.name,
        "title": operation.title,
        "description": described(operation),
        "scope": operation.scope,
        "reads": operation.reads,
        "arguments": arguments_schema(operation),
        "result": result_schema(operation.result),
        "errors": [
            {"code": error.code, "status": int(error.status), "when": when} for error, when in operation.errors.items()
        ],
        "example": operation.example,
    }


def described(operation: Operation) -> str:
    """Return the whole description of an operation."""
    return "\n\n".join(filter(None, (operation.summary, operation.details)))
