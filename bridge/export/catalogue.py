"""The registry as plain values: the answer of `GET /api/operations`, and the file from which commands are read."""

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, get_args, get_origin

import orjson

from bridge.api.hints import File, Folder, describe_hint, is_union, records_in, strip_hint
from bridge.api.operation import Operation
from bridge.api.registry import RENAMED_OPERATIONS
from bridge.api.schemas import arguments_schema, result_schema
from bridge.api.signature import Argument
from bridge.features import operations
from bridge.types import Day, Preset, Scope, VaultPath


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


Kind = Literal["text", "path", "folder", "file", "bool", "range", "mapping", "texts", "json"]


class CommandArgument(TypedDict):
    """An argument of a command."""

    kind: Kind
    """How a value is typed."""
    positional: bool
    """Whether it may be given without its option."""
    required: bool
    repeated: bool
    """Whether its option may be repeated."""
    placeholder: str
    """What stands for the value in the help; the accepted words, joined by `|`, if only they fit."""
    help: str


class OperationCommand(TypedDict):
    """The command of an operation."""

    summary: str
    description: str
    scope: Scope
    complete: Scope
    """The scope with which nothing is left out of its result."""
    reads: bool
    vault: bool
    """Whether it works on one vault."""
    example: str
    arguments: Mapping[str, CommandArgument]


class CommandCatalogue(TypedDict):
    """What the command line knows of the operations."""

    scopes: Sequence[str]
    presets: Sequence[str]
    operations: Mapping[str, OperationCommand]
    renamed: Mapping[str, str]
    """What took the place of an operation of an earlier version."""


def command_catalogue() -> CommandCatalogue:
    return {
        "scopes": get_args(Scope),
        "presets": get_args(Preset),
        "operations": {operation.name: describe_command(operation) for operation in operations()},
        "renamed": RENAMED_OPERATIONS,
    }


def describe_command(operation: Operation) -> OperationCommand:
    positional = positional_arguments(operation)
    return {
        "summary": operation.summary,
        "description": full_description(operation),
        "scope": operation.scope,
        "complete": operation.complete,
        "reads": operation.reads,
        "vault": operation.vault,
        "example": command_line(operation),
        "arguments": {
            argument.name: describe_argument(argument, positional=argument in positional)
            for argument in operation.arguments
        },
    }


def describe_argument(argument: Argument, *, positional: bool) -> CommandArgument:
    return {
        "kind": value_kind(argument),
        "positional": positional,
        "required": argument.is_required,
        "repeated": is_repeated(argument),
        "placeholder": placeholder(argument),
        "help": argument_help(argument),
    }


def command_line(operation: Operation, example: Mapping[str, Any] | None = None) -> str:
    """Format a call as a command line, by default the operation's example."""
    given = operation.example if example is None else example
    positional = positional_arguments(operation)
    placed: list[str] = []
    options: list[str] = []
    for argument in operation.arguments:
        # Nobody types a digest: the command looks it up.
        if argument.name in given and argument.name != "digest":
            words = typed_words(given[argument.name], value_kind(argument))
            option = f"--{argument.name.replace('_', '-')}"
            if argument in positional:
                placed += words
            elif value_kind(argument) == "bool":
                options.append(option if given[argument.name] else option.replace("--", "--no-", 1))
            else:
                options += [part for word in words for part in (option, word)]
    return shlex.join(["vaultside", operation.name.replace("_", "-"), *placed, *options])


def typed_words(value: Any, kind: Kind) -> list[str]:
    """Format a value of an argument as the words that are typed for it."""
    match value:
        case str():
            return [value]
        case list() | tuple():
            return [word for one in value for word in typed_words(one, kind)]
        case Mapping() if kind != "json" and not any(isinstance(one, dict | list) for one in value.values()):
            return [f"{name}={one if isinstance(one, str) else json.dumps(one)}" for name, one in value.items()]
        case _:
            return [json.dumps(value)]


def positional_arguments(operation: Operation) -> Sequence[Argument]:
    required = [argument for argument in operation.arguments if argument.is_required and not is_repeated(argument)]
    if required:
        return [argument for argument in required if argument.name != "digest"]
    return [
        argument
        for argument in operation.arguments[:1]
        if strip_hint(argument.hint) in (VaultPath, Folder, Day, str) or placeholder(argument) in ("PATH", "NAME=VALUE")
    ]


def is_repeated(argument: Argument) -> bool:
    kind = strip_hint(argument.hint)
    return is_mapping(kind) or (get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis)


def is_mapping(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def item_hint(argument: Argument) -> Any:
    kind = strip_hint(argument.hint)
    return strip_hint(get_args(kind)[0]) if is_repeated(argument) and not is_mapping(kind) else kind


def value_kind(argument: Argument) -> Kind:
    hint = item_hint(argument)
    kinds: Mapping[Any, Kind] = {VaultPath: "path", Folder: "folder", File: "file", bool: "bool"}
    if is_mapping(hint):
        return "texts" if get_args(hint)[1:] == (str,) else "mapping"
    if any(records_in(hint)) or is_union(hint):
        return "json"
    return "range" if get_origin(hint) is tuple else kinds.get(hint, "text")


def placeholder(argument: Argument) -> str:
    hint = item_hint(argument)
    if get_origin(hint) is Literal:
        return "|".join(map(str, get_args(hint)))
    fixed: Mapping[Kind, str] = {"mapping": "NAME=VALUE", "texts": "NAME=VALUE", "range": "FIRST-LAST", "json": "JSON"}
    name = _singular(argument.name) if is_repeated(argument) else argument.name
    return "PATH" if hint is VaultPath else fixed.get(value_kind(argument), name.upper())


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name.removesuffix("es") if name.endswith(("ases", "sses")) else name.removesuffix("s")


def argument_help(argument: Argument) -> str:
    default = "" if argument.is_required or not argument.default else f" (default {argument.default})"
    several = " May be repeated." if is_repeated(argument) else ""
    needs_form = strip_hint(argument.hint) in (int, float) or placeholder(argument) == "JSON"
    form = describe_hint(argument.hint) if needs_form else ""
    form = f" {form[0].upper()}{form[1:]}." if form else ""
    return f"{argument.meaning}{form}{several}{default}"
