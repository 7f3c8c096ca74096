"""Converts an operation's arguments to command-line options, and options back to JSON."""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from bridge.api.hints import Folder, describe_hint, records_in, strip_hint
from bridge.api.registry import Operation
from bridge.api.signature import Argument
from bridge.errors import InvalidArguments
from bridge.types import Day, VaultPath

RANGE = re.compile(r"(\d+)(?:[-–:,](\d+))?")


def add(parser: argparse.ArgumentParser, operation: Operation) -> None:
    """Add an option for each argument; some may be given by position instead."""
    in_order = positional_arguments(operation)
    for argument in operation.arguments:
        if argument in in_order:
            # Optional for the parser, since `--json-args` can supply it; the registry requires it.
            parser.add_argument(
                argument.name,
                nargs="?",
                default=argparse.SUPPRESS,
                metavar=argument.name.upper(),
                help=argument_help(argument),
            )
            # Also as an option, like the optional ones: not everybody looks up which arguments are required.
            parser.add_argument(
                option_name(argument.name), dest=argument.name, default=argparse.SUPPRESS, help=argparse.SUPPRESS
            )
        elif strip_hint(argument.hint) is bool:
            parser.add_argument(
                option_name(argument.name),
                action=argparse.BooleanOptionalAction,
                default=argparse.SUPPRESS,
                help=argument_help(argument),
            )
        else:
            parser.add_argument(
                option_name(argument.name),
                dest=argument.name,
                action="append" if is_repeatable(argument) else "store",
                default=argparse.SUPPRESS,
                metavar=placeholder(argument),
                help=argument_help(argument),
            )


def positional_arguments(operation: Operation) -> Sequence[Argument]:
    """Return the arguments that may be given by position: the required ones, else the first if it is text."""
    required = [argument for argument in operation.arguments if argument.required and not is_repeatable(argument)]
    if required:
        # Nobody types a digest: the command looks it up.
        return [argument for argument in required if argument.name != "digest"]
    return [
        argument for argument in operation.arguments[:1] if strip_hint(argument.hint) in (VaultPath, Folder, Day, str)
    ]


def is_repeatable(argument: Argument) -> bool:
    """Say whether an option may be repeated."""
    kind = strip_hint(argument.hint)
    return is_mapping(kind) or (get_origin(kind) is tuple and get_args(kind)[-1] is Ellipsis)


def is_mapping(kind: Any) -> bool:
    """Say whether a hint is a mapping from names to values."""
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def option_name(name: str) -> str:
    """Return the option of an argument."""
    return "--" + name.replace("_", "-")


def placeholder(argument: Argument) -> str:
    """Return the placeholder of an option's value."""
    kind = strip_hint(argument.hint)
    if is_mapping(kind):
        return "NAME=VALUE"
    one = strip_hint(get_args(kind)[0]) if is_repeatable(argument) else kind
    if get_origin(one) is Literal:
        return "|".join(map(str, get_args(one)))
    if get_origin(kind) is tuple and not is_repeatable(argument):
        return "FIRST-LAST"
    return "JSON" if has_records(kind) else argument.name.rstrip("s").upper()


def has_records(kind: Any) -> bool:
    """Say whether a value is an object or a list of objects."""
    return any(records_in(kind))


def argument_help(argument: Argument) -> str:
    """Return an argument's line of help."""
    default = "" if argument.required or not argument.default else f" (default {argument.default})"
    repeated = " May be repeated." if is_repeatable(argument) else ""
    takes = (
        describe_hint(argument.hint)
        if strip_hint(argument.hint) in (int, float) or placeholder(argument) == "JSON"
        else ""
    )
    takes = f" {takes[0].upper()}{takes[1:]}." if takes else ""
    return f"{argument.meaning}{takes}{repeated}{default}".replace("%", "%%")


def collect(operation: Operation, given: argparse.Namespace) -> dict[str, Any]:
    """Return the given arguments in the form of JSON.

    Raises:
        InvalidArguments: `--json-args` is not a JSON object.
    """
    arguments = from_json(given.json_args) if given.json_args else {}
    for argument in operation.arguments:
        if argument.name in given:
            arguments[argument.name] = convert(strip_hint(argument.hint), getattr(given, argument.name))
    return arguments


def from_json(source: str) -> dict[str, Any]:
    """Read arguments from a file, or from standard input for `-`."""
    try:
        text = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        arguments = json.loads(text)
    except OSError as error:
        raise InvalidArguments(f"{source} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidArguments(f"`--json-args` is not JSON: {error}.") from None
    if not isinstance(arguments, dict):
        raise InvalidArguments("`--json-args` must be a JSON object of arguments.")
    return arguments


def convert(kind: Any, written: Any) -> Any:
    """Convert what was typed to its JSON form; what does not fit is left for the registry to refuse."""
    if is_mapping(kind):
        return parse_mapping(written)
    if isinstance(written, list):
        items = [convert(strip_hint(get_args(kind)[0]), item) for item in written]
        # A list of records may also be given at once, as one JSON array.
        return [part for item in items for part in (item if has_records(kind) and isinstance(item, list) else [item])]
    if has_records(kind) or (kind is bool and isinstance(written, str)):
        return parse_value(written)
    if kind in (int, float):
        return parse_number(kind, written)
    if get_origin(kind) is tuple and isinstance(written, str):
        found = RANGE.fullmatch(written.strip())
        return [int(found[1]), int(found[2] or found[1])] if found else written
    return written


def parse_number(kind: type[int] | type[float], written: str) -> int | float | str:
    """Parse a number; other text is returned as it is."""
    try:
        return kind(written)
    except ValueError:
        return written


def parse_mapping(pairs: list[str]) -> dict[str, Any]:
    """Parse `name=value` pairs or JSON objects; a name given several times matches any of its values."""
    found: dict[str, list[Any]] = {}
    for pair in pairs:
        name, equals, written = pair.partition("=")
        if isinstance(several := parse_value(pair), dict):
            for each, value in several.items():
                found.setdefault(each, []).append(value)
        elif equals:
            found.setdefault(name, []).append(parse_value(written))
        else:
            raise InvalidArguments(f"`{pair}` is neither NAME=VALUE nor a JSON object.")
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def parse_value(written: str) -> Any:
    """Parse a value as JSON, or return it as text."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written
