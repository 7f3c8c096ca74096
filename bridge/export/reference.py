"""The registry as a page for people: what operations share is described once."""

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bridge.api.docstring import parse_docstring
from bridge.api.hints import (
    Folder,
    Period,
    When,
    bounds,
    is_union,
    json_name,
    records_in,
    strip_hint,
    union_tag,
)
from bridge.api.registry import Operation, implied_errors
from bridge.api.signature import Argument
from bridge.docstrings import docstring_of
from bridge.features import FEATURES, operations
from bridge.records import dataclass
from bridge.types import Day, Digest, VaultPath

INTRODUCTION = """# Operations

Each operation is a call, `POST /api/<operation>` with a JSON object of arguments, and a command,
`vault-bridge <operation>`. With several vaults each also takes `vault`, a name or id. Unless noted, an operation only
reads, needs the scope `read` and an open vault, and is offered to agents; an argument is optional, and by default
empty, false or 0.

- **Path**, **folder**: relative to the vault, `/`-separated, with extension.
- **Lines**: counted from 1, first and last included.
- **Time**: ISO 8601, or words such as `yesterday` or `7 days ago`; a bare date is local midnight.
- **Day**: such as `2026-01-31`, `tomorrow` or `friday`. **Period**: a day, or such as `this week`, `2026-02`,
  `2026-Q1` or `2026-01-05/2026-02-10`.
- **Digest**: SHA-256 in hex; as an argument, at least its first 12 digits.

This page is written by `python -m bridge.export`.
"""

ERRORS_INTRODUCTION = """## Errors

Errors have the form `{"error": {"code", "message", "hint", …}}`. An operation lists its own; besides, any raises
`invalid_arguments` and `no_such_vault`, one on a vault `not_ready`, one with a path `outside_vault` and
`protected_path`, and one with the path of a file that must exist `note_not_found`.
"""

ARGUMENTS_ANCHOR = "shared-arguments"
MANY = 3
"""Operations that take the same argument before it is described once for all."""

PLAIN = 2
"""Words of a meaning that are repeated rather than looked up."""

TYPES: Mapping[Any, str] = {
    VaultPath: "path",
    Folder: "folder",
    Digest: "digest",
    When: "time",
    Period: "period",
    Day: "day",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}


EMPTY = frozenset({"null", "{}", "false", "", "0"})
"""Defaults that go without saying."""


@dataclass(frozen=True, slots=True)
class SharedParts:
    """What is described once, and linked to from each operation."""

    arguments: Mapping[str, str]
    """Lines that describe arguments, by name."""
    records: Iterable[type]
    """Records that results hold in several places, in the order of their first use."""


def reference() -> str:
    known = operations()
    shared = SharedParts(shared_arguments(known), shared_records(known))
    groups = {one.name: [each for each in known if each.function in one.operations] for one in FEATURES}
    lines = [INTRODUCTION]
    for name, group in groups.items():
        links = (f"[`{o.name}`](#{o.name}{'-1' if o.name in groups else ''})" for o in group)
        lines.append(f"- [{group_title(name)}](#{name.replace('_', '-')}): {', '.join(links)}")
    lines.append(f"- [Shared arguments](#{ARGUMENTS_ANCHOR}), [shared records](#shared-records), [errors](#errors)\n")
    for name, group in groups.items():
        lines.append(f"## {group_title(name)}\n")
        lines += ["\n".join(section(operation, shared)) for operation in group]
    lines += ["## Shared arguments\n", *sorted(shared.arguments.values()), "\n## Shared records\n"]
    for record in shared.records:
        lines += [f"### {record.__name__}\n", *fields(record, "", shared), ""]
    return "\n".join([*lines, ERRORS_INTRODUCTION, *error_lines(known), ""])


def group_title(name: str) -> str:
    return name.capitalize().replace("_", " ")


def shared_arguments(known: Iterable[Operation]) -> Mapping[str, str]:
    counts = Counter((a.name, shared_line(a)) for each in known for a in each.arguments if is_telling(a))
    return {name: line for (name, line), count in reversed(counts.most_common()) if count >= MANY}


def is_telling(argument: Argument) -> bool:
    """Say whether an argument's meaning is long enough to be looked up rather than repeated."""
    return len(argument.meaning.split()) > PLAIN


def shared_records(known: Iterable[Operation]) -> Iterable[type]:
    counts = Counter(record for each in known for record in records_in(each.result))
    return [record for record, count in counts.items() if count > 1]


def section(operation: Operation, shared: SharedParts) -> Iterator[str]:
    yield f"### {operation.name}\n"
    yield f"{operation.summary}\n"
    if operation.details:
        yield f"{operation.details}\n"
    if notes := remarks(operation):
        yield f"{notes}\n"
    if operation.arguments:
        yield "Arguments:\n"
        yield from arguments(operation, shared)
        yield ""
    if operation.result in shared.records:
        yield f"Result: {record_link(operation.result)}.\n"
    else:
        yield "Result:\n"
        yield from fields(operation.result, "", shared)
        yield ""
    implied = implied_errors(operation.arguments, vault=operation.vault)
    if own := dict.fromkeys(f"`{error.code}`" for error in operation.errors if error not in implied):
        yield f"Errors: {', '.join(own)}.\n"
    yield "```console"
    yield f"$ {command_line(operation)}"
    yield "```\n"


def remarks(operation: Operation) -> str:
    """Say what an operation needs or does that others do not."""
    said = []
    if operation.scope != "read":
        said.append(f"Scope `{operation.scope}`{', only reads' * operation.reads}.")
    elif not operation.reads:
        said.append("Scope `read`, may write.")
    if not operation.vault:
        said.append("Needs no open vault.")
    if not operation.tool:
        said.append("Not offered to agents.")
    return " ".join(said)


def arguments(operation: Operation, shared: SharedParts) -> Iterator[str]:
    """Describe the arguments of an operation, and name those that are described elsewhere."""
    elsewhere = []
    for argument in operation.arguments:
        line = argument_line(argument)
        if shared.arguments.get(argument.name) == shared_line(argument):
            elsewhere.append(f"`{argument.name}`{' (required)' * argument.required}")
            continue
        yield line
        yield from argument_fields(argument.hint, shared)
    if elsewhere:
        yield f"- {', '.join(elsewhere)}: [shared](#{ARGUMENTS_ANCHOR})"


def argument_line(argument: Argument) -> str:
    if argument.required:
        default = ", required"
    else:
        listed = isinstance(argument.default, tuple)
        written = "/".join(argument.default) if listed else json.dumps(argument.default).strip('"')
        default = f", default {written}" if written not in EMPTY else ""
    return f"- `{argument.name}` ({value_type(argument.hint)}{default}): {argument.meaning}"


def shared_line(argument: Argument) -> str:
    return argument_line(argument).replace(", required): ", "): ", 1)


def argument_fields(hint: Any, shared: SharedParts) -> Iterator[str]:
    if options := next(filter(None, map(union_tag, (hint, *get_args(strip_hint(hint))))), None):
        tag, records = options
        if any(name in {operation.name for operation in operations()} for name in records):
            return
        for name, record in records.items():
            text = parse_docstring(record)
            yield f"  - `{name}`: {text.summary}"
            yield from (f"    - `{f}`: {m}" for f, m in text.section("Attributes").items() if f != tag)
    else:
        for record in islice(records_in(hint), 1):
            yield from fields(record, "  ", shared)


def value_type(hint: Any) -> str:
    bare, limits = strip_hint(hint), bounds(hint)
    if get_origin(bare) is Literal:
        return "/".join(f"`{value}`" for value in get_args(bare))
    if get_origin(bare) is tuple:
        first, *rest = get_args(bare)
        word, *bounded = value_type(first).split(" ", 1)
        items = f"list of {word}" if word.startswith("`") else " ".join([f"{word}s", *bounded])
        return items if rest == [Ellipsis] else f"{len(rest) + 1} {items}"
    if is_union(bare) and not union_tag(hint):
        return "value or list"
    least, most = limits.least, limits.longest if bare is str else limits.most
    if least is not None:
        return f"{TYPES[bare]} {least:,}–{most:,}" if most is not None else f"{TYPES[bare]} ≥{least:,}"
    return TYPES.get(bare, "object") + (f" ≤{most:,}" if most is not None else "")


def fields(record: type, indent: str, shared: SharedParts) -> Iterator[str]:
    hints = get_type_hints(record)
    for name, meaning in parse_docstring(record).section("Attributes").items():
        inner = list(islice(records_in(hints[name]), 1))
        links = [record_link(each) for each in inner if each in shared.records]
        yield f"{indent}- `{json_name(name)}`: {' '.join([meaning, *links])}"
        for each in inner if not links else ():
            yield from fields(each, indent + "  ", shared)


def record_link(record: Any) -> str:
    return f"[{record.__name__}](#{record.__name__.lower()})"


def error_lines(known: Iterable[Operation]) -> Iterator[str]:
    found = {error.code: error for each in known for error in each.errors}
    for code, error in sorted(found.items()):
        yield f"- `{code}` ({error.status}): {' '.join(docstring_of(error).split())}"


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
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def flags(name: str, value: Any) -> list[str]:
    """Format one argument of the example as options."""
    if value is True:
        return [f"--{name}"]
    if value is False:
        return [f"--no-{name}"]
    if isinstance(value, list):
        return [word for item in value for word in (f"--{name}", str(item))]
    return [f"--{name}", str(value)]
