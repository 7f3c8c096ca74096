"""Converts an operation's arguments to command-line options, and options back to JSON."""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.cli.catalogue import PROGRAM, typed_name
from bridge.cli.render import translate_hint
from bridge.errors import InvalidArguments

if TYPE_CHECKING:
    from bridge.export.catalogue import CommandArgument, OperationCommand


_RANGE = re.compile(r"\s*\[?\s*\d+\s*(?:[-–,:]\s*\d+\s*)?\]?\s*")

_BEGINS_OBJECT = re.compile(r"\s*\[?\s*\{")


def add_options(parser: argparse.ArgumentParser, operation: str, command: "OperationCommand") -> None:
    """Add an option for each argument; some may be given by position instead."""
    for name, argument in command["arguments"].items():
        option, explained = option_name(name), help_text(argument["help"], operation)
        if argument["positional"]:
            # Optional for the parser, since `--json-args` can supply it; the operation requires it.
            count, by_option = ("*", "append") if argument["repeated"] else ("?", "store")
            parser.add_argument(
                name,
                nargs=count,
                action="extend" if argument["repeated"] else "store",
                default=argparse.SUPPRESS,
                metavar=position_name(name, argument),
                help=explained,
            )
            # Also as an option, like the optional ones: not everybody looks up which arguments are required.
            parser.add_argument(option, dest=name, action=by_option, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
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


def option_name(argument: str) -> str:
    return f"--{typed_name(argument)}"


def position_name(name: str, argument: "CommandArgument") -> str:
    return argument["placeholder"] if argument["repeated"] else name.upper()


def usage_words(command: "OperationCommand") -> str:
    """Return what is typed after a command: what may be left out is in brackets."""
    words = []
    for name, argument in command["arguments"].items():
        if argument["positional"]:
            word = position_name(name, argument) + (" …" if argument["repeated"] else "")
        elif argument["required"] and name != "digest":
            word = f"{option_name(name)} {argument['placeholder']}"
        else:
            continue
        words.append(word if argument["required"] else f"[{word}]")
    return " ".join([*words, "[OPTION …]"])


def help_text(text: str, operation: str) -> str:
    return translate_hint(text, operation).replace("%", "%%")


def collect(command: "OperationCommand", given: argparse.Namespace) -> dict[str, Any]:
    arguments = from_json(given.json_args) if given.json_args else {}
    for name, argument in command["arguments"].items():
        if name in given:
            arguments[name] = convert(argument, getattr(given, name))
    return arguments


def require_all(command: "OperationCommand", name: str, given: Mapping[str, Any]) -> None:
    """Refuse a call that lacks an argument; a digest is looked up later."""
    lacking = []
    for one, argument in command["arguments"].items():
        if argument["required"] and one not in given and one != "digest":
            shown = position_name(one, argument) if argument["positional"] else option_name(one)
            meaning = re.split(r"; |\.( |$)", translate_hint(argument["help"], name), maxsplit=1)[0]
            lacking.append(f"{shown} ({meaning[0].lower()}{meaning[1:]})")
    if lacking:
        typed = typed_name(name)
        raise InvalidArguments(
            f"`{PROGRAM} {typed}` needs {' and '.join(lacking)}.",
            hint=f"Such as: {command['example']}\n  `{PROGRAM} help {typed}` tells what it takes.",
        )


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
    if argument["kind"] == "range" and isinstance(typed, str) and not _RANGE.fullmatch(typed):
        raise InvalidArguments(f"“{typed[:60]}” are no lines.", hint="Give a line or a range of lines, such as 3-9.")
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
