"""The registry as OpenAPI 3.1."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import bridge
from bridge.api.operation import Operation
from bridge.api.schemas import arguments_schema, result_schema
from bridge.errors import (
    BadHost,
    BridgeError,
    DiskFull,
    Forbidden,
    Internal,
    InvalidArguments,
    NoSuchVault,
    RateLimited,
    ReadOnly,
    TooLarge,
    Unauthorized,
)
from bridge.export.catalogue import full_description
from bridge.features import operations

COMMON_ERRORS: tuple[type[BridgeError], ...] = (Unauthorized, Forbidden, BadHost, TooLarge, RateLimited, Internal)
"""Errors that any call can return."""

PUBLIC_ERRORS: tuple[type[BridgeError], ...] = (Forbidden, BadHost, TooLarge, Internal)
"""Errors that a call without a token can return."""

STREAM_ERRORS: tuple[type[BridgeError], ...] = (*COMMON_ERRORS, NoSuchVault)

APPLIES_PARAMETER = {
    "name": "applies",
    "in": "query",
    "required": False,
    "description": "The vault whose changes the caller makes in Obsidian as long as it reads.",
    "schema": {"type": "string"},
}

ERROR_SCHEMA = {
    "type": "object",
    "description": "Every error has this form.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string", "description": "What went wrong, for programs."},
                "message": {"type": "string", "description": "What went wrong, for people."},
                "hint": {"type": "string", "description": "The way out."},
            },
            "additionalProperties": True,
        }
    },
}


def openapi() -> dict[str, Any]:
    schemas: dict[str, Any] = {"Error": ERROR_SCHEMA}
    paths = {f"/api/{operation.name}": {"post": describe_post(operation, schemas)} for operation in operations()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Vaultside",
            "version": bridge.__version__,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "http://127.0.0.1:{port}", "variables": {"port": {"default": "0"}}}],
        "security": [{"token": []}],
        "paths": {**paths, **other_paths()},
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def describe_post(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    """Describe the call of one operation; its records are added to `schemas`."""
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        **({"description": full_description(operation)} if operation.details else {}),
        "x-scope": operation.scope,
        "x-reads": operation.reads,
        "requestBody": {
            "required": any(argument.is_required for argument in operation.arguments),
            "content": {
                "application/json": {
                    "schema": hoist_definitions(arguments_schema(operation), schemas),
                    "example": operation.example,
                }
            },
        },
        "responses": {
            "200": {
                "description": "The result.",
                "content": {
                    "application/json": {"schema": hoist_definitions(result_schema(operation.result), schemas)},
                    **({"text/event-stream": {}} if operation.streams else {}),
                },
            },
            **error_responses((*operation.errors, *COMMON_ERRORS)),
        },
    }


def error_responses(errors: Iterable[type[BridgeError]]) -> dict[str, Any]:
    by_status: defaultdict[int, list[str]] = defaultdict(list)
    for error in errors:
        if error.code not in by_status[error.status]:
            by_status[error.status].append(error.code)
    return {
        str(status): {
            "description": ", ".join(f"`{code}`" for code in codes),
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for status, codes in sorted(by_status.items())
    }


def hoist_definitions(schema: Any, schemas: dict[str, Any]) -> Any:
    match schema:
        case {"$ref": str(reference)}:
            return {**schema, "$ref": reference.replace("#/$defs/", "#/components/schemas/")}
        case {"$defs": dict(definitions)}:
            schemas.update({name: hoist_definitions(part, schemas) for name, part in definitions.items()})
            return hoist_definitions({key: value for key, value in schema.items() if key != "$defs"}, schemas)
        case dict():
            return {key: hoist_definitions(value, schemas) for key, value in schema.items()}
        case list():
            return [hoist_definitions(value, schemas) for value in schema]
        case _:
            return schema


def other_paths() -> dict[str, Any]:
    return {
        "/api/pair": {"post": describe_pairing()},
        "/api/operations": {
            "get": describe_get("operations", "List every operation with its schemas.", "application/json")
        },
        "/api/events": {
            "get": {
                **describe_get(
                    "events",
                    "Stream events; `Last-Event-ID` replays what was missed.",
                    "text/event-stream",
                    STREAM_ERRORS,
                ),
                "parameters": [APPLIES_PARAMETER],
            }
        },
        "/openapi.json": {"get": describe_get("openapi", "This description.", "application/json")},
        "/healthz": {
            "get": {
                **describe_get("healthz", "Say that the bridge is up.", "application/json", PUBLIC_ERRORS),
                "security": [],
            }
        },
    }


def describe_pairing() -> dict[str, Any]:
    """Describe how a client gets a token; not an operation, since it needs no token."""
    text = {"type": "string"}
    asked = {
        "code": {**text, "description": "What `open_pairing` told."},
        "client": {**text, "description": "Its name."},
    }
    answered = {
        "token": {**text, "description": "Its token, told only this once."},
        "scopes": {"type": "array", "items": text, "description": "What it may do."},
        "client": {**text, "description": "Its name, numbered when another client has it."},
    }
    errors = (InvalidArguments, Forbidden, BadHost, TooLarge, RateLimited, ReadOnly, DiskFull, Internal)
    return {
        "operationId": "pair",
        "summary": "Give a client that knows the code a token of its own.",
        "security": [],
        "requestBody": {"required": True, "content": {"application/json": {"schema": object_schema(asked)}}},
        "responses": {
            "200": {"description": "The token.", "content": {"application/json": {"schema": object_schema(answered)}}},
            **error_responses(errors),
        },
    }


def object_schema(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def describe_get(
    name: str, summary: str, content: str, errors: Iterable[type[BridgeError]] = COMMON_ERRORS
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "responses": {"200": {"description": "The answer.", "content": {content: {}}}, **error_responses(errors)},
    }
