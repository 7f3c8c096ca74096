"""The registry as a reference page for people."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

from bridge.api.docstring import parse_docstring
from bridge.api.hints import describe_hint, records_in
from bridge.api.registry import Argument, Operation
from bridge.features import operations

INTRODUCTION = """# Operations

What the bridge can do. Each operation is a call, `POST /api/<operation>` with a JSON object of arguments, and a
command, `vault-bridge <operation>`. With several vaults each also takes `vault`, a name or an id.

Paths are relative to the vault, `/`-separated, with extension. Lines are counted from 1, first and last included.
Times are ISO 8601; a bare date is local midnight. Errors have the form `{"error": {"code", "message", "hint", …}}`.

This page is written by `python -m bridge.export`.
"""


def reference() -> str:
    """Return the whole page."""
    listing = "\n".join(f"- [`{o.name}`](#{o.name}): {o.summary}" for o in operations())
    return "\n".join([INTRODUCTION, listing, "", *("\n".join(section(o)) for o in operations())])


def section(operation: Operation) -> Iterator[str]:
    """Describe one operation."""
    yield f"## {operation.name}\n"
    yield f"{operation.summary}\n"
    if operation.details:
        yield f"{operation.details}\n"
    tool = "" if operation.tool else "; for applications, never offered to agents"
    yield f"Scope `{operation.scope}`; {'changes nothing' if operation.reads else 'changes something'}{tool}.\n"
    if operation.arguments:
        yield "| argument | what | default | meaning |"
        yield "|---|---|---|---|"
        yield from (argument_row(argument) for argument in operation.arguments)
        yield ""
    yield "Result:\n"
    yield from fields(operation.result, "")
    yield ""
    yield "Errors: " + ", ".join(f"`{code}`" for code in dict.fromkeys(e.code for e in operation.errors)) + ".\n"
    yield "```console"
    yield f"$ {command_line(operation)}"
    yield "```\n"


def argument_row(argument: Argument) -> str:
    """Describe one argument."""
    default = "required" if argument.required else json.dumps(argument.default)
    default = "" if default in {"null", "[]", "{}"} else default if argument.required else f"`{default}`"
    return f"| `{argument.name}` | {describe_hint(argument.hint)} | {default} | {argument.meaning} |"


def fields(record: type, indent: str) -> Iterator[str]:
    """Describe the fields of a result and of the records in it."""
    hints = get_type_hints(record)
    for name, meaning in parse_docstring(record).section("Attributes").items():
        inner = next(records_in(hints[name]), None)
        yield f"{indent}- `{name}`: {meaning}"
        if inner is not None:
            yield from fields(inner, indent + "  ")


def command_line(operation: Operation, example: Mapping[str, Any] | None = None) -> str:
    """Format a call as a command line, by default the operation's example."""
    given = operation.example if example is None else example
    words = ["vault-bridge", operation.name.replace("_", "-")]
    if any(is_nested(value) for value in given.values()):
        return f"echo {shlex.quote(json.dumps(given))} | {shlex.join([*words, '--json-args', '-'])}"
    # A list is a repeated option even if required; a digest is given by name, since few people type one.
    required = {
        a.name
        for a in operation.arguments
        if a.required and a.name != "digest" and not isinstance(given.get(a.name), list)
    }
    words += [
        json.dumps(value) if isinstance(value, bool) else str(value) for n, value in given.items() if n in required
    ]
    for name, value in given.items():
        if name not in required:
            words += flags(name.replace("_", "-"), value)
    return shlex.join(words)


def is_nested(value: Any) -> bool:
    """Say whether a value is better passed as JSON."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def flags(name: str, value: Any) -> list[str]:
    """Format one argument of the example as options."""
    if value is True:
        return [f"--{name}"]
    if isinstance(value, list):
        return [word for item in value for word in (f"--{name}", str(item))]
    return [f"--{name}", str(value)]
