"""The registry as pages for people: a page for each feature, in which what operations share is described once."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, get_args, get_origin, get_type_hints

from bridge.api.hints import (
    describe_hint,
    json_name,
    records_in,
    strip_hint,
    union_tag,
)
from bridge.api.operation import Operation
from bridge.api.registry import ANY_ERRORS, PATH_ERRORS, VAULT_ERRORS, implied_errors
from bridge.api.signature import Argument, parse_docstring
from bridge.docstrings import docstring_of
from bridge.errors import BridgeError, error_classes
from bridge.export.catalogue import command_line
from bridge.export.openapi import COMMON_ERRORS
from bridge.features import FEATURES, operations
from bridge.settings.schema import SECTIONS, SettingDescription, describe_settings

INTRODUCTION = """# Reference

Each operation is a call, `POST /api/<operation>` with a JSON object of arguments, and a command,
`vaultside <operation>`. With several vaults each also takes `vault`, a name or id. Unless noted, an operation only
reads, needs the scope `read` and an open vault, and is offered to agents; an argument is optional, and by default
empty, false or 0.

- **Path**, **folder**: relative to the vault, `/`-separated, with extension.
- **File**: of the machine, by its absolute path; a command also takes one relative to the current folder.
- **Lines**: counted from 1, first and last included.
- **Time**: ISO 8601, or words such as `yesterday` or `7 days ago`; a bare date is local midnight.
- **Day**: such as `2026-01-31`, `tomorrow` or `friday`. **Period**: a day, or such as `this week`, `2026-02`,
  `2026-Q1` or `2026-01-05/2026-02-10`.
- **Digest**: SHA-256 in hex; as an argument, at least its first 12 digits.
- **Error**: [errors.md](../errors.md) describes each. An operation lists its own; besides, any raises
  `invalid_arguments` and `no_such_vault`, one on a vault `not_ready`, one with a path `outside_vault` and
  `protected_path`, and one with the path of a file that must exist `note_not_found`.

These pages are written by `python -m bridge.export`.
"""

FEATURE_INTRODUCTION = """# Operations: {name}

[README.md](README.md) lists all operations and says what they share. This page is written by
`python -m bridge.export`.
"""

EMPTY_DEFAULTS = frozenset({"null", "{}", "false", "", "0"})
"""Defaults that go without saying."""


def reference_pages() -> Mapping[str, str]:
    """Return the pages by their names: one a feature, and one that lists all operations."""
    pages = {page_name(feature): feature_page(feature, group) for feature, group in operations_by_feature().items()}
    return {"README.md": operations_list(), **pages}


def operations_by_feature() -> Mapping[str, Sequence[Operation]]:
    return {one.name: [each for each in operations() if each.function in one.operations] for one in FEATURES}


def page_name(feature: str) -> str:
    return f"{feature.replace('_', '-')}.md"


def operations_list() -> str:
    lines = [INTRODUCTION]
    for feature, group in operations_by_feature().items():
        page = page_name(feature)
        lines.append(f"## [{feature.capitalize().replace('_', ' ')}]({page})\n")
        lines += [f"- [`{each.name}`]({page}#{each.name}): {each.summary}" for each in group]
        lines.append("")
    return "\n".join(lines)


def feature_page(feature: str, group: Sequence[Operation]) -> str:
    shared = shared_records(group)
    lines = [FEATURE_INTRODUCTION.format(name=feature.replace("_", " "))]
    lines += ["\n".join(section(operation, shared)) for operation in group]
    if shared:
        lines.append("## Shared records\n")
    for record in shared:
        lines += [f"### {record.__name__}\n", *fields(record, "", shared), ""]
    return "\n".join(lines)


def shared_records(known: Iterable[Operation]) -> Sequence[type]:
    """Return the records that results hold in several places, in the order of their first use."""
    counts = Counter(record for each in known for record in records_in(each.result))
    return [record for record, count in counts.items() if count > 1]


def section(operation: Operation, shared: Sequence[type]) -> Iterator[str]:
    yield f"## {operation.name}\n"
    yield f"{operation.summary}\n"
    if operation.details:
        yield f"{operation.details}\n"
    if notes := remarks(operation):
        yield f"{notes}\n"
    if operation.arguments:
        yield "Arguments:\n"
        for argument in operation.arguments:
            yield argument_line(argument)
            yield from argument_fields(argument.hint, shared)
        yield ""
    if operation.result in shared:
        yield f"Result: {record_link(operation.result)}.\n"
    else:
        yield "Result:\n"
        yield from fields(operation.result, "", shared)
        yield ""
    implied = implied_errors(operation.arguments, vault=operation.vault)
    if own := dict.fromkeys(error_link(error) for error in operation.errors if error not in implied):
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


def argument_line(argument: Argument) -> str:
    if argument.is_required:
        default = ", required"
    else:
        listed = isinstance(argument.default, tuple)
        written = "/".join(argument.default) if listed else json.dumps(argument.default).strip('"')
        default = f", default {written}" if written not in EMPTY_DEFAULTS else ""
    return f"- `{argument.name}` ({describe_form(argument.hint)}{default}): {argument.meaning}"


def describe_form(hint: Any) -> str:
    """Describe a hint in words; the fields of objects are listed below it."""
    if any(records_in(hint)):
        return "objects" if get_origin(strip_hint(hint)) is tuple else "an object"
    return describe_hint(hint)


def argument_fields(hint: Any, shared: Sequence[type]) -> Iterator[str]:
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


def fields(record: type, indent: str, shared: Sequence[type]) -> Iterator[str]:
    hints = get_type_hints(record)
    for name, meaning in parse_docstring(record).section("Attributes").items():
        inner = list(islice(records_in(hints[name]), 1))
        links = [record_link(each) for each in inner if each in shared]
        yield f"{indent}- `{json_name(name)}`: {' '.join([meaning, *links])}"
        for each in inner if not links else ():
            yield from fields(each, indent + "  ", shared)


def record_link(record: Any) -> str:
    return f"[{record.__name__}](#{record.__name__.lower()})"


def error_link(error: type[BridgeError]) -> str:
    return f"[`{error.code}`](../errors.md#{error.code})"


ERRORS_PAGE_INTRODUCTION = """# Errors

Every error has the form `{"error": {"code", "message", "hint", …}}`; an operation may add fields. Programs act on
`code`, which never changes. `message` says what went wrong, and `hint` the way out: the one below unless the case has a
better one. The status is that of the HTTP answer.

This page is written by `python -m bridge.export`.
"""

GENERAL_ERRORS = {
    "any call": {error.__name__ for error in COMMON_ERRORS} | {*ANY_ERRORS},
    "any operation on a vault": {*VAULT_ERRORS},
    "any operation that takes a path": {*PATH_ERRORS},
}
"""The errors that operations need not name, by who raises them."""


def errors_page() -> str:
    codes = classes_by_code()
    listing = "\n".join(f"- [`{code}`](#{code})" for code in codes)
    return "\n".join(
        [ERRORS_PAGE_INTRODUCTION, listing, "", *("\n".join(describe_code(code, held)) for code, held in codes.items())]
    )


def classes_by_code() -> Mapping[str, tuple[type[BridgeError], ...]]:
    found: defaultdict[str, list[type[BridgeError]]] = defaultdict(list)
    for error in sorted(error_classes(), key=lambda error: error.status):
        found[error.code].append(error)
    return {code: tuple(classes) for code, classes in found.items()}


def describe_code(code: str, classes: tuple[type[BridgeError], ...]) -> Iterator[str]:
    yield f"## {code}\n"
    yield "| status | when | way out |"
    yield "|---|---|---|"
    yield from (f"| {error.status} | {docstring_of(error)} | {error.hint} |" for error in classes)
    yield ""
    yield "Raised by:\n"
    yield from list_raisers(classes) or ("- no operation in particular",)
    yield ""


def list_raisers(classes: tuple[type[BridgeError], ...]) -> list[str]:
    names = {error.__name__ for error in classes}
    everywhere = [f"- {who}" for who, implied in GENERAL_ERRORS.items() if names & implied]
    general_cases = {docstring_of(error) for error in classes} if everywhere else set()
    found: defaultdict[str, list[str]] = defaultdict(list)
    for feature, group in operations_by_feature().items():
        for operation in group:
            for error, when in operation.errors.items():
                if error in classes and when not in general_cases:
                    found[when].append(f"[`{operation.name}`](reference/{page_name(feature)}#{operation.name})")
    return [*everywhere, *(f"- {', '.join(links)}: {when}" for when, links in found.items())]


SETTINGS_INTRODUCTION = """# Settings

The bridge keeps them in `settings.toml` in its data folder, for all vaults; an absent one has its default. Change them
in Obsidian's settings, with `vaultside change-settings --json-args FILE`, or in the file:

```toml
deny = ["Private/**"]
confirm_files = 50
```

A changed file takes effect within seconds. A line that does not fit is left out, and `read-settings` and `doctor` name
it; a rule (`deny`, `readonly`) that does not fit never opens a note: see [rules.md](rules.md).

This page is written by `python -m bridge.export`.

"""
HEAD = "| setting | type | default | meaning |\n|---|---|---|---|\n"


def settings_page() -> str:
    known = describe_settings()
    own = "".join(f"{setting_row(setting)}\n" for setting in known if "." not in setting.name)
    return SETTINGS_INTRODUCTION + HEAD + own + "".join(section_part(name, known) for name in SECTIONS)


def section_part(name: str, known: Sequence[SettingDescription]) -> str:
    rows = "".join(f"{setting_row(one)}\n" for one in known if one.name.startswith(f"{name}."))
    return f"\n## {name.capitalize()}\n\nIn the section `[{name}]`, without the name before the dot.\n\n{HEAD}{rows}"


def setting_row(setting: SettingDescription) -> str:
    default = json.dumps(setting.default)
    restart = " Takes effect after a restart." if setting.restart else ""
    return f"| `{setting.name}` | {setting_values(setting)} | `{default}` | {setting.meaning}{restart} |"


def setting_values(setting: SettingDescription) -> str:
    kind = setting.type.replace("'", "`").replace(" | ", ", ")
    if setting.least is None or setting.most is None:
        return kind
    return f"{kind}, {setting.least:,} to {setting.most:,}"
