"""What is written down is what there is."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.api.hints import records_in
from bridge.api.signature import parse_docstring
from bridge.changes.requests.base import Request
from bridge.cli.catalogue import read_catalogue
from bridge.events import Event
from bridge.export.catalogue import catalogue, schema_digest
from bridge.export.command_catalogue import command_catalogue
from bridge.export.openapi import openapi
from bridge.export.reference import command_line, error_classes, errors_page, group_title, reference, settings_page
from bridge.export.typescript import called_operations, events_module, operations_module, type_expression
from bridge.features import FEATURES, operations
from bridge.settings.schema import describe_settings

PAGE = reference()


@pytest.mark.process(brief=True)
@pytest.mark.parametrize("optimize", [[], ["-OO", "-B"]], ids=["plain", "without docstrings"])
def test_the_generated_files_are_up_to_date(optimize: list[str]) -> None:
    checked = subprocess.run(
        [sys.executable, *optimize, "-m", "bridge.export", "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_catalogue_has_every_operation_whole() -> None:
    for entry in catalogue():
        assert set(entry) == {
            "name", "title", "description", "scope", "reads", "form", "arguments", "result_name", "result", "errors",
            "example",
        }  # fmt: skip
        assert set(entry["example"]) <= set(entry["arguments"]["properties"])
        assert set(entry["arguments"].get("required", [])) <= set(entry["example"])
        assert "invalid_arguments" in {error["code"] for error in entry["errors"]}


def test_the_command_line_knows_every_operation_as_it_is() -> None:
    known = json.loads(json.dumps(command_catalogue()))
    assert read_catalogue() == known
    for operation in operations():
        assert list(known["operations"][operation.name]["arguments"]) == [one.name for one in operation.arguments]


def references(value: Any) -> list[str]:
    """Return every reference in a schema."""
    match value:
        case {"$ref": str(reference), **rest}:
            return [reference, *references(rest)]
        case dict():
            return [found for held in value.values() for found in references(held)]
        case list():
            return [found for held in value for found in references(held)]
        case _:
            return []


def test_openapi_holds_together() -> None:
    described = openapi()
    schemas = described["components"]["schemas"]
    assert {reference.rpartition("/")[2] for reference in references(described)} <= set(schemas)
    assert all(reference.startswith("#/components/schemas/") for reference in references(described))
    for operation in operations():
        post = described["paths"][f"/api/{operation.name}"]["post"]
        assert post["operationId"] == operation.name
        assert {"200", "400", "401", "403", "421", "413", "500"} <= set(post["responses"])


def test_records_of_one_name_are_one_record() -> None:
    results = {operation.result.__name__: operation.result for operation in operations()}
    assert len(results) == len({operation.result for operation in operations()})


def section_of(heading: str, page: str = PAGE) -> str:
    """Return what a page says under a heading."""
    level = heading.partition(" ")[0]
    found = re.search(rf"^{heading}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    return found[1]


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_the_page_describes_every_argument_and_field(operation: Any) -> None:
    page = section_of(f"### {operation.name}")
    for argument in operation.arguments:
        line = re.compile(rf"^- `{argument.name}` \(.*\): {re.escape(argument.meaning)}$", re.MULTILINE)
        elsewhere = re.search(rf"^- .*`{argument.name}`.*: \[shared\]\(#shared-arguments\)$", page, re.MULTILINE)
        assert line.search(section_of("## Shared arguments") if elsewhere else page)
    # A request in a result is an operation, which has its own place.
    for record in (one for one in records_in(operation.result) if not issubclass(one, Request)):
        heading = f"### {record.__name__}"
        held = section_of(heading) if f"{heading}\n" in PAGE else page
        for name, meaning in parse_docstring(record).section("Attributes").items():
            assert f"- `{name}`: {meaning}" in held
    assert f"$ {command_line(operation)}" in page


def test_the_page_describes_every_error_once() -> None:
    described = re.findall(r"^- `(\w+)` \(\d{3}\): ", section_of("## Errors"), re.MULTILINE)
    assert described == sorted({error.code for operation in operations() for error in operation.errors})


def test_the_page_groups_operations_by_feature() -> None:
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    shared = ["Shared arguments", "Shared records", "Errors"]
    assert headings == [*(group_title(feature.name) for feature in FEATURES), *shared]


def test_what_the_page_links_to_is_there() -> None:
    headings = [heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)]
    anchors = {f"{name}-1" if name in headings[:at] else name for at, name in enumerate(headings)}
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= anchors


def test_the_settings_page_has_every_setting_with_its_default_and_range() -> None:
    page = settings_page()
    for setting in describe_settings():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{setting.name}` |"))
        assert setting.meaning in row
        assert f"| `{json.dumps(setting.default)}` |" in row
        assert setting.most is None or f"{setting.least:,} to {setting.most:,}" in row
        assert ("after a restart" in row) == setting.restart


@pytest.mark.parametrize("error", [*error_classes()], ids=lambda error: error.__name__)
def test_the_errors_page_has_every_error_with_its_status_and_way_out(error: Any) -> None:
    part = section_of(f"## {error.code}", errors_page())
    assert f"| {int(error.status)} | {(error.__doc__ or '').strip()} | {error.hint} |" in part


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_the_errors_page_names_who_raises_an_error_when(operation: Any) -> None:
    page = errors_page()
    general = {error.__doc__ for error in error_classes()}
    for error, when in operation.errors.items():
        part = section_of(f"## {error.code}", page)
        told = any(operation.name in line and line.endswith(when) for line in part.splitlines())
        assert told or (when in general and ("- any call\n" in part or "- any operation " in part))


def test_a_form_is_of_the_fields_and_not_of_the_words_about_them() -> None:
    plain = {"type": "object", "properties": {"description": {"type": "string"}}}
    told = {"type": "object", "description": "A note.", "properties": {"description": {"type": "string", "title": "D"}}}
    assert schema_digest(plain) == schema_digest(told)
    assert schema_digest(plain) != schema_digest({"type": "object", "properties": {"words": {"type": "string"}}})
    assert schema_digest(plain) != schema_digest({"type": "object", "properties": {"description": {"type": "integer"}}})


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"$ref": "#/$defs/Hit"}, "Hit"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, "string | null"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({"type": "array", "items": {"enum": ["note", "pdf"], "type": "string"}}, 'readonly ("note" | "pdf")[]'),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]}, "readonly [number, number]"),
        ({"type": "array", "items": {"type": "string"}}, "readonly string[]"),
        ({"type": "array", "items": {}}, "readonly unknown[]"),
        ({"type": "object", "additionalProperties": True}, "Readonly<Record<string, unknown>>"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Readonly<Record<string, number>>"),
        ({}, "unknown"),
    ],
)
def test_each_schema_has_its_type(schema: Any, written: str) -> None:
    assert type_expression(schema) == written


def test_typescript_names_every_operation_with_its_form() -> None:
    written = operations_module({entry["name"] for entry in catalogue()})
    for entry in catalogue():
        assert f'\t{entry["name"]}: "{entry["form"]}",' in written
        assert f"\t\tresult: {entry['result_name']};" in written


def test_typescript_has_what_the_plugin_calls_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "pane.ts").write_text(
        'link.call("search", {}); icon("no_operation"); answer.get("list_clients")'
    )
    (tmp_path / "operations.ts").write_text(operations_module({"read_note"}))
    called = called_operations(tmp_path)
    assert called == {"search", "list_clients"}
    written = operations_module(called)
    assert re.findall(r"^\t(\w+): \"", written, re.MULTILINE) == ["search", "list_clients"]
    assert 'ADMIN: ReadonlySet<string> = new Set(["list_clients"])' in written


def test_typescript_tells_events_apart_by_kind() -> None:
    written = events_module()
    for record in get_args(Event):
        assert f'export interface {record.__name__} {{\n\treadonly kind: "{record.kind}";' in written
        assert all(f"\treadonly {field.name}: " in written for field in fields(record))
