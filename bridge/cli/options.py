"""Converts an operation's arguments to command-line options, and options back to JSON."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import InvalidArguments

if TYPE_CHECKING:
    from bridge.export.catalogue import CommandArgument, OperationCommand


_BEGINS_OBJECT = re.compile(r"\s*\[?\s*\{")


def add_options(parser: argparse.ArgumentParser, command: "OperationCommand") -> None:
    """Add an option for each argument; some may be given by position instead."""
    if (notes := notes_by_position(command)) is not None:
        explained = "The same as `--paths`."
        parser.add_argument(
            notes, nargs="*", action="extend", default=argparse.SUPPRESS, metavar="PATH", help=explained
        )
    for name, argument in command["arguments"].items():
        option, explained = "--" + name.replace("_", "-"), argument["help"].replace("%", "%%")
        if argument["positional"]:
            # Optional for the parser, since `--json-args` can supply it; the operation requires it.
            parser.add_argument(name, nargs="?", default=argparse.SUPPRESS, metavar=name.upper(), help=explained)
            # Also as an option, like the optional ones: not everybody looks up which arguments are required.
            parser.add_argument(option, dest=name, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        elif argument["kind"] == "bool":
            parser.add_argument(
                option, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=explained
            )
        else:
            parser.add_argument(
                option,
                dest=name,
                action="append" if argument["repeated"] else "store",
                default=argparse.SUPPRESS,
                metavar=argument["placeholder"],
                help=explained,
            )


def notes_by_position(command: "OperationCommand") -> str | None:
    arguments = command["arguments"]
    name, first = next(iter(arguments.items()), ("", None))
    if first is None or any(argument["positional"] for argument in arguments.values()):
        return None
    return name if first["repeated"] and first["placeholder"] == "PATH" else None


def collect(command: "OperationCommand", given: argparse.Namespace) -> dict[str, Any]:
    arguments = from_json(given.json_args) if given.json_args else {}
    for name, argument in command["arguments"].items():
        if name in given:
            arguments[name] = convert(argument, getattr(given, name))
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


def convert(argument: "CommandArgument", typed: Any) -> Any:
    """Convert what was typed to its JSON form where several forms exist; the operation reads numbers and lines."""
    if argument["kind"] in {"mapping", "texts"}:
        return parse_mapping(typed, texts=argument["kind"] == "texts")
    if argument["kind"] not in {"json", "bool"}:
        return typed
    if not isinstance(typed, list):
        return parse_json(typed) if isinstance(typed, str) else typed
    # A list of records may also be given at once, as one JSON array.
    values = map(parse_json, typed)
    return [part for value in values for part in (value if isinstance(value, list) else [value])]


def parse_json(typed: str) -> Any:
    """Parse what was typed for an argument that may be an object; other text is returned as it is."""
    value = parse_value(typed)
    if isinstance(value, str) and _BEGINS_OBJECT.match(typed):
        try:
            json.loads(typed)
        except (ValueError, RecursionError) as error:
            raise InvalidArguments(f"`{typed[:60]}` is not JSON: {error}.") from None
    return value


def parse_mapping(pairs: list[str], *, texts: bool = False) -> dict[str, Any]:
    """Parse `name=value` pairs or JSON objects; a name given several times matches any of its values."""
    found: dict[str, list[Any]] = {}
    for pair in pairs:
        name, equals, typed = pair.partition("=")
        if isinstance(several := parse_value(pair), dict):
            for each, value in several.items():
                found.setdefault(each, []).append(value)
        elif equals:
            found.setdefault(name, []).append(typed if texts else parse_value(typed))
        else:
            raise InvalidArguments(f"`{pair}` is neither NAME=VALUE nor a JSON object.")
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def parse_value(typed: str) -> Any:
    try:
        return json.loads(typed)
    except (ValueError, RecursionError):
        return typed
